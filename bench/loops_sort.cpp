// loops_sort.cpp: std::sort, the peer of weft's sort.
#include <algorithm>
#include <cstring>

template <typename Real> static void sort(const void *in, void *out, std::size_t n)
{
    Real *x = static_cast<Real *>(out);
    std::memcpy(x, in, n * sizeof *x);
    std::sort(x, x + n);
}
extern "C" {
void c_sort_1M(const void *const *in, void *const *out) { sort<float>(in[0], out[0], 1000000); }
void c_sort_1M_f64(const void *const *in, void *const *out) { sort<double>(in[0], out[0], 1000000); }
}
