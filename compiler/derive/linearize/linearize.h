/* linearize.h: jvp, then partial evaluation: what depends on no tangent is known, the rest is linear in the
 * tangents.
 *
 * Loops and branches are split too: the known half gives residuals, the linear half takes them (a scan's
 * carries by fixpoint; its residuals are stacked). */
#ifndef WEFT_LINEARIZE_LINEARIZE_H
#define WEFT_LINEARIZE_LINEARIZE_H
#include "compiler/graph/graph.h"

typedef struct Linearized {
    Graph *known;  /* g's parameters -> g's outputs, then residuals */
    Graph *linear; /* residuals, a tangent for each active parameter -> a tangent for each wanted output */
    uint32_t n_residuals;
} Linearized;

/* active, want, errors: as of jvp_graph. most: bytes that the residuals of one loop may take, 0: any; more is
 * an error that names the loop and says what to use. */
bool linearize_graph(Arena *, const Graph *g, const bool *active, const bool *want, size_t most, Linearized *,
                     Failure *f);
#endif
