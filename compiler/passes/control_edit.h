/* control_edit.h: a node with regions taken apart, so that rules can change what its regions are handed and
 * what they give; for simplify, and for raise_graph.
 *
 * The regions of one node share their parameters. An Edit says for each parameter what becomes of it and for
 * each output whether it stays, and then copies the regions once: linear in their size. New nodes meet the
 * fold rules on the way.
 */
#ifndef WEFT_PASSES_CONTROL_EDIT_H
#define WEFT_PASSES_CONTROL_EDIT_H
#include "compiler/graph/graph.h"

#define NOWHERE UINT32_MAX

/* SCAN, WHILE, CASE or MAP. Parameters are invariants, then carries, then inputs (a slice in each step). CASE
 * and MAP have invariants only. */
typedef struct Control {
    Graph *g; /* where operands are and results will be */
    Op op;
    ScanShape s; /* n_invariant n_carry n_xs of any; the rest of SCAN */
    Ref index;   /* CASE */
    Type shape;  /* MAP; its dtype is not looked at */
    const Graph **regions;
    uint32_t n_regions; /* WHILE: cond, body */
    Ref *args;
    uint32_t n_results; /* of the node as it was */
    Ref *out;           /* result i, if it is known; else REF_NONE, and it is */
    uint32_t *at;       /* output number at[i] of the regions; NOWHERE: nobody wants it */
} Control;

static inline uint32_t control_n_args(const Control *c)
{
    return c->s.n_invariant + c->s.n_carry + c->s.n_xs;
}
/* The region that gives the results; of CASE, the first of those that do. */
static inline const Graph *control_body(const Control *c) { return c->regions[c->op == OP_WHILE]; }
static inline uint32_t control_n_outputs(const Control *c) { return control_body(c)->n_outputs; }

typedef enum { ROLE_GONE, ROLE_INVARIANT, ROLE_CARRY, ROLE_INPUT } Role;
Role control_role(const Control *c, uint32_t param);

/* A parameter that the regions get in addition, in place of node `node` of region `region` (NOWHERE: of
 * none). */
typedef struct Extra {
    Role role;
    Ref arg;
    uint32_t region;
    Ref node;
    Ref param[2];
} Extra;

typedef struct Edit {
    Control *c;
    Role *role; /* by parameter: as it is, until the rule says else */
    Ref *arg;   /* by parameter: its operand */
    bool *keep; /* by output */
    /* by output: of a carry that becomes a stacked output, the node that is its slice, of one element along
     * the first axis; else REF_NONE */
    Ref *slice;
    Extra *extra;
    uint32_t n_extra, cap_extra;
    Graph **to; /* by region: the new one; NULL before edit_params */
    Ref **map;  /* by region, by node: what it is in the new one; REF_NONE: not yet */
} Edit;

void edit_open(Edit *, Control *);
void edit_add(Edit *, Extra);
/* Makes the new regions and their parameters. Then a rule sets map[..] for parameters that are gone but used,
 * or are now something made of the new one. False: the rule has changed nothing. */
bool edit_params(Edit *);
/* The parameters, if need be, the rest of the nodes, and the node's new operands and outputs. False: the rule
 * has changed nothing. */
bool edit_close(Edit *);

/* An output whose value is known: all results that ask for it have it. */
void control_settle(Control *, uint32_t output, Ref value);

/* What the regions see of an operand. */
Type control_type(const Control *, Ref arg, Role);
/* A constant of few bytes, or an iota: the regions can hold it themselves. */
bool control_sinks(const Node *);
/* Writes it into a region, or out of it, as a value of this type: all of it or a slice. */
Ref control_sink(Graph *to, const Node *, Type);

/* ---- who asks the rules, and the rules */

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
/* simplify_narrow.c: */
/* The loop over what its carries and outputs are without the axes along which they do not vary. Writes it
 * into small; returns the axes that each output keeps; NULL: all of them. */
const uint32_t *loop_narrow(const Control *, Control *small);
/* The loop's results, from those of the narrow one. */
void loop_widen(Control *, const Control *small, const uint32_t *keep);
/* raise_loop.c: */
bool loop_count(Control *);        /* WHILE: becomes a SCAN */
bool loop_take_slices(Control *);  /* SCAN */
bool loop_number_steps(Control *); /* SCAN */
/* simplify_hoist.c: */
bool loop_hoist(Control *);
/* raise_lanes.c: */
bool loop_run_in_lanes(Control *); /* WHILE: becomes a MAP */
#endif
