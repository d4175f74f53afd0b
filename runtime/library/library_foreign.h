/* library_foreign.h: the library function that calls a function of the user's. */
#ifndef WEFT_LIBRARY_LIBRARY_FOREIGN_H
#define WEFT_LIBRARY_LIBRARY_FOREIGN_H
#include <stdint.h>
/* numbers: how many of the buffers are operands, then the node's attributes (compiler/graph/foreign_op.h). */
void library_foreign(void *const *buffers, const int64_t *numbers);
#endif
