// loops_sort.cpp: what the C++ library has for the cases that sort, count and search. Searches are
// shared out as loops.h shares loops.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>

template <typename T> static void sort(const void *in, void *out, std::size_t rows, std::size_t n)
{
    T *x = static_cast<T *>(out);
    std::memcpy(x, in, rows * n * sizeof *x);
    for (std::size_t row = 0; row < rows; row++) std::sort(x + row * n, x + (row + 1) * n);
}

template <typename T> static void argsort(const void *in, void *out, std::int32_t n)
{
    const T *x = static_cast<const T *>(in);
    std::int32_t *at = static_cast<std::int32_t *>(out);
    std::iota(at, at + n, 0);
    std::stable_sort(at, at + n, [x](std::int32_t a, std::int32_t b) { return x[a] < x[b]; });
}

/* Networks of exchanges, as one writes them out: of 4 (5 exchanges), and the median of 9 (19). */
template <typename T> static inline void exchange(T &a, T &b)
{
    T low = a < b ? a : b, high = a < b ? b : a;
    a = low;
    b = high;
}

template <typename T> static void sort_fours(const void *in, void *out, std::size_t rows)
{
    const T *x = static_cast<const T *>(in);
    T *o = static_cast<T *>(out);
    for (std::size_t i = 0; i < rows; i++) {
        T p[4] = { x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3] };
        exchange(p[0], p[1]), exchange(p[2], p[3]), exchange(p[0], p[2]), exchange(p[1], p[3]);
        exchange(p[1], p[2]);
        for (int k = 0; k < 4; k++) o[4 * i + k] = p[k];
    }
}

template <typename T> static void median(const void *in, void *out, int height, int width)
{
    const T *__restrict x = static_cast<const T *>(in);
    T *__restrict o = static_cast<T *>(out);
#pragma omp parallel for
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) {
            T p[9];
            for (int k = 0; k < 9; k++) p[k] = x[(i + k / 3) * (width + 2) + j + k % 3];
            exchange(p[1], p[2]), exchange(p[4], p[5]), exchange(p[7], p[8]), exchange(p[0], p[1]);
            exchange(p[3], p[4]), exchange(p[6], p[7]), exchange(p[1], p[2]), exchange(p[4], p[5]);
            exchange(p[7], p[8]), exchange(p[0], p[3]), exchange(p[5], p[8]), exchange(p[4], p[7]);
            exchange(p[3], p[6]), exchange(p[1], p[4]), exchange(p[2], p[5]), exchange(p[4], p[7]);
            exchange(p[4], p[2]), exchange(p[6], p[4]), exchange(p[4], p[2]);
            o[i * width + j] = p[4];
        }
}

template <typename T>
static void top(const void *in, void *out, std::size_t rows, std::size_t n, std::size_t k)
{
    const T *x = static_cast<const T *>(in);
    T *best = static_cast<T *>(out);
    for (std::size_t row = 0; row < rows; row++)
        std::partial_sort_copy(x + row * n, x + (row + 1) * n, best + row * k, best + (row + 1) * k,
                               std::greater<T>());
}

template <typename T> static void search(const void *in, const void *values, void *out, std::size_t n)
{
    const T *sorted = static_cast<const T *>(in), *v = static_cast<const T *>(values);
    std::int32_t *at = static_cast<std::int32_t *>(out);
#pragma omp parallel for
    for (std::size_t i = 0; i < n; i++)
        at[i] = static_cast<std::int32_t>(std::lower_bound(sorted, sorted + n, v[i]) - sorted);
}

#define BOTH(NAME, CALL, ...) \
    void c_##NAME(const void *const *in, void *const *out) { CALL<float>(__VA_ARGS__); } \
    void c_##NAME##_f64(const void *const *in, void *const *out) { CALL<double>(__VA_ARGS__); }
extern "C" {
BOTH(sort_1M, sort, in[0], out[0], 1, 1000000)
BOTH(sort_rows_1000x100, sort, in[0], out[0], 1000, 100)
BOTH(sort_rows_100x1000, sort, in[0], out[0], 100, 1000)
BOTH(sort_rows_250000x4, sort_fours, in[0], out[0], 250000)
BOTH(median_720x1280, median, in[0], out[0], 720, 1280)
BOTH(argsort_1M, argsort, in[0], out[0], 1000000)
BOTH(top_10_1000x1000, top, in[0], out[0], 1000, 1000, 10)
BOTH(searchsorted_1M, search, in[0], in[1], out[0], 1000000)
void c_sort_i32_1M(const void *const *in, void *const *out) { sort<std::int32_t>(in[0], out[0], 1, 1000000); }
void c_deposit_200k(const void *const *in, void *const *out)
{
    const float *x = (const float *)in[0], *y = (const float *)in[1], *weight = (const float *)in[2];
    float *grid = (float *)out[0];
    std::memset(grid, 0, 2000000 * sizeof *grid);
    for (size_t k = 0; k < 200000; k++) {
        unsigned i = (unsigned)(x[k] * 1000), j = (unsigned)(y[k] * 2000);
        if (i < 1000 && j < 2000) grid[i * 2000 + j] += weight[k];
    }
}

void c_bincount_1M(const void *const *in, void *const *out)
{
    const std::int32_t *x = static_cast<const std::int32_t *>(in[0]);
    std::int32_t *count = static_cast<std::int32_t *>(out[0]);
    std::memset(count, 0, 10000 * sizeof *count);
    for (int i = 0; i < 1000000; i++) {
        std::int32_t at = x[i] < 0 ? 0 : x[i];
        if (at < 10000) count[at]++;
    }
}
}
