/* special.c: see special.h. */
#include "special.h"

bool is_special(const Graph *g, Ref r)
{
    (void)g; (void)r;
    return false;
}

Special special_of(const Graph *g, Ref r)
{
    (void)g; (void)r;
    return (Special){ .n_kernels = 1 };
}

void special_kernel(Build *b, Ref r, const Special *s, uint32_t which)
{
    (void)b; (void)r; (void)s; (void)which;
}

uint32_t special_calls(const Build *b, Ref r, const Special *s, uint32_t which, ProgramStep *calls)
{
    (void)b; (void)r; (void)s; (void)which; (void)calls;
    return 0;
}
