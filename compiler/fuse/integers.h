/* integers.h: arithmetic that C leaves out. */
#ifndef WEFT_FUSE_INTEGERS_H
#define WEFT_FUSE_INTEGERS_H
#include <stdint.h>

static inline int64_t min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max_i64(int64_t a, int64_t b) { return a > b ? a : b; }
static inline uint32_t max_u32(uint32_t a, uint32_t b) { return a > b ? a : b; }
/* The least multiple of step that is no less. */
static inline int64_t round_up_i64(int64_t x, int64_t step)
{
    int64_t rest = x % step;
    return rest > 0 ? x - rest + step : x - rest;
}
static inline int64_t common_divisor(int64_t a, int64_t b) { return b ? common_divisor(b, a % b) : a; }
#endif
