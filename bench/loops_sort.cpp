// loops_sort.cpp: std::sort, the peer of weft's sort.
#include <algorithm>
#include <cstring>
extern "C" {
#include "loops.h"
void c_sort_1M(const void *const *in, void *const *out)
{
    float *x = static_cast<float *>(out[0]);
    std::memcpy(x, in[0], 1000000 * sizeof *x);
    std::sort(x, x + 1000000);
}
}
