/* op_examples.h: each op of the table on a type that it takes: one graph with an output per size (0, 1, a
 * vector's lanes less one, exactly, one more, a prime) and per way an operand can come in (as it is,
 * broadcast, transposed, sliced with a stride, reversed). */
#ifndef WEFT_TESTS_OP_EXAMPLES_H
#define WEFT_TESTS_OP_EXAMPLES_H
#include "compiler/graph/graph.h"

enum { OP_EXAMPLES = 64 }; /* at most */

typedef struct OpExamples {
    Graph *g; /* the caller's, empty at first */
    DType t;
    Ref outputs[OP_EXAMPLES];
    uint32_t n;
} OpExamples;

void op_examples(OpExamples *, Op);
#endif
