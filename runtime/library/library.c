/* library.c: see library.h. */
#include "library.h"
#include <string.h>
#include "library_foreign.h"
#include "library_sort.h"

LibraryFn *const library_functions[LIBRARY_COUNT] = {
    [LIBRARY_SORT] = library_sort, [LIBRARY_FOREIGN] = library_foreign
};

uint32_t library_addresses(const Program *p, const void **to)
{
    uint32_t n = 0;
    for (int f = 0; f < LIBRARY_COUNT; f++)
        if (p->library >> f & 1) memcpy(&to[n++], &library_functions[f], sizeof *to);
    return n;
}
