/* special.c: which ops have kernels of their own, and whose rules make them: see special.h. */
#include "special.h"
#include "point_parts.h"

bool is_special(const Graph *g, Ref r)
{
    switch ((Op)g->nodes[r].op) {
    case OP_WHILE: case OP_SCAN: return point_control(g, r);
    default: return false;
    }
}

Special special_of(const Graph *g, Ref r)
{
    (void)g; (void)r;
    return (Special){ .n_kernels = 1 };
}

void special_kernel(Build *b, Ref r, const Special *s, uint32_t which)
{
    (void)s; (void)which;
    switch ((Op)node_of(b, r)->op) {
    case OP_WHILE: case OP_SCAN: control_kernel(b, r); break;
    default: break;
    }
}

uint32_t special_calls(const Build *b, Ref r, const Special *s, uint32_t which, ProgramStep *calls)
{
    (void)b; (void)r; (void)s; (void)which; (void)calls;
    return 0;
}
