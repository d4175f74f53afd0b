/* range.h: between which numbers an int lies, as far as that is known without running. Numbers are those of
 * integers that never wrap; whoever asks compares with what the type holds. */
#ifndef WEFT_GRAPH_RANGE_H
#define WEFT_GRAPH_RANGE_H
#include "ops.h"

typedef struct Range {
    int64_t low, high;
} Range;

/* All values of the type that an int64 can be; false: it is no int, or has others. */
bool range_of_type(DType, Range *);
static inline bool range_within(Range r, Range limits)
{
    return r.low >= limits.low && r.high <= limits.high;
}
static inline Range range_hull(Range x, Range y)
{
    return (Range){ x.low < y.low ? x.low : y.low, x.high > y.high ? x.high : y.high };
}
/* r += coef * x. False: beyond int64. */
bool range_add(Range *r, Range x, int64_t coef);
/* Of an op on one int, or on two of a type, of ranges that are known; false: of any value. */
bool range_of_unary(Op, Range x, Range *r);
bool range_of_binary(Op, DType, Range x, Range y, Range *r);
#endif
