/* simplify_rules.h: the rules of nodes with regions, and who asks them. */
#ifndef WEFT_PASSES_SIMPLIFY_RULES_H
#define WEFT_PASSES_SIMPLIFY_RULES_H
#include "control_edit.h"

/* A node with regions or of several results, with operands in g: the simplest that gives the results that are
 * used. deep: simplify its regions too. Writes one reference for each result; of one that is not used,
 * anything. */
void simplify_control(Graph *g, const Node *n, const Ref *args, const bool *used, bool deep, Ref *out);

/* Rules of SCAN and WHILE, but where said; true: it found something.
 * simplify_loop.c: */
bool control_drop_unneeded(Control *); /* CASE and MAP too */
bool loop_fix_carries(Control *);
bool loop_settle_params(Control *);   /* CASE and MAP too */
bool loop_sink_broadcasts(Control *); /* CASE too */
bool loop_settle_outputs(Control *);  /* SCAN */
/* raise_loop.c: */
bool loop_count(Control *);        /* WHILE: becomes a SCAN */
bool loop_number_steps(Control *); /* SCAN */
/* simplify_hoist.c: */
bool loop_hoist(Control *);
#endif
