/* ops_data.c: see ops_data.h. */
#include "tests/support/graph_support.h"
#include "tests/support/ops_data.h"
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/graph/types/dtype.h"
#include "runtime/exec/compile.h"

typedef struct Entry {
    char name[48], kind;
    weft_dtype dtype;
    int rank;
    int64_t dim[8], count;
    unsigned char *data;
    weft_array *array;
} Entry;
enum { MAX_ENTRIES = 2000 };
static Entry entries[MAX_ENTRIES];
static int n_entries;
static weft_context *context;
static const char *file = "tests/data/ops.txt";

void ops_data_file(const char *path) { file = path; }

static void read_entry(char *line, Entry *e)
{
    char *save, *word = strtok_r(line, " ", &save);
    e->kind = *word;
    snprintf(e->name, sizeof e->name, "%s", strtok_r(NULL, " ", &save));
    e->dtype = (weft_dtype)dtype_named(strtok_r(NULL, " ", &save));
    e->count = 1;
    while ((word = strtok_r(NULL, " ", &save)) && *word != ':') e->count *= e->dim[e->rank++] = atoll(word);
    size_t bytes = (size_t)e->count * dtype_bytes((DType)e->dtype);
    e->data = malloc(bytes + 1);
    const char *hex = strtok_r(NULL, " \n", &save);
    for (size_t i = 0; i < bytes; i++) {
        unsigned v = 0;
        sscanf(hex + 2 * i, "%2x", &v);
        e->data[i] = (unsigned char)v;
    }
}

static void load(void)
{
    FILE *f = fopen(file, "r");
    cr_assert(f, "%s cannot be read", file);
    static char line[1 << 18];
    while (n_entries < MAX_ENTRIES && fgets(line, sizeof line, f)) read_entry(line, &entries[n_entries++]);
    fclose(f);
}

static Entry *find(char kind, const char *name)
{
    for (int i = 0; i < n_entries; i++)
        if (entries[i].kind == kind && !strcmp(entries[i].name, name)) return &entries[i];
    fprintf(stderr, "%s has no %s\n", file, name);
    abort();
}

weft_context *ops_data_open(const weft_options *options)
{
    if (!n_entries) load();
    for (int i = 0; i < n_entries; i++) entries[i].array = NULL;
    return context = weft_open(options);
}

/* Kept arrays: a row may run inside a trace, where new constants would be part of the program. */
static void make_inputs(void)
{
    for (int i = 0; i < n_entries; i++) {
        Entry *e = &entries[i];
        if (e->kind == '+') e->array = weft_from_shape(context, e->dtype, e->data, e->rank, e->dim);
    }
}

weft_array *ops_data_input(const char *name) { return find('+', name)->array; }

/* Numbers of an element: a complex one is two. */
static int64_t parts_of(weft_dtype t) { return 1 + dtype_is_complex((DType)t); }

/* Number i. */
static double element(weft_dtype t, const void *data, int64_t i)
{
    t = dtype_part((DType)t);
    return scalar_to_double((DType)t,
                            scalar_load((DType)t, (const char *)data + i * (int64_t)dtype_bytes((DType)t)));
}

static bool close_enough(weft_dtype t, double got, double want, double tolerance)
{
    if (isnan(want) || isnan(got)) return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got)) return want == got;
    if (t == WEFT_F16 && tolerance < 1e-3) tolerance = 1e-3;
    if (t == WEFT_BF16 && tolerance < 8e-3) tolerance = 8e-3;
    if (!dtype_is_inexact((DType)t)) return want == got;
    return fabs(got - want) <= tolerance * fmax(1, fabs(want));
}

static void compare(const OpsRow *row, const weft_array *got, const Entry *want)
{
    if (!got) {
        cr_expect_fail("%s: %s", row->name, weft_error(context));
        weft_clear(context);
        return;
    }
    bool same = weft_dtype_of(got) == want->dtype && weft_rank(got) == want->rank;
    for (int i = 0; same && i < want->rank; i++) same = weft_dim(got, i) == want->dim[i];
    if (!same) {
        char text[256];
        weft_format(got, text, sizeof text);
        cr_expect_fail("%s: type %s rank %d count %lld, not %s rank %d count %lld: %s", row->name,
                       dtype_name((DType)weft_dtype_of(got)), weft_rank(got), (long long)weft_count(got),
                       dtype_name((DType)want->dtype), want->rank, (long long)want->count, text);
        return;
    }
    const void *data = weft_data(got);
    for (int64_t i = 0; i < want->count * parts_of(want->dtype); i++) {
        double g = element(want->dtype, data, i), w = element(want->dtype, want->data, i);
        if (close_enough(want->dtype, g, w, row->tolerance)) continue;
        cr_expect_fail("%s: element %lld is %.9g, not %.9g", row->name, (long long)i, g, w);
        return;
    }
}

void ops_data_check(const OpsRow *rows, int n, OpsCompute *compute)
{
    ops_data_open(NULL);
    make_inputs();
    size_t before = weft_stats(context).arrays;
    for (int i = 0; i < n; i++) {
        weft_scope *scope = weft_scope_open(context);
        compare(&rows[i], compute(NULL, i), find('=', rows[i].name));
        weft_scope_close(scope);
    }
    cr_expect_eq(weft_stats(context).arrays, before, "%zu arrays are left over",
                 weft_stats(context).arrays - before);
    weft_close(context);
}

WEFT_SIGNATURE(compute_fn, weft_array *, (weft_array * unused, int row));

static bool same_bits(const weft_array *a, const weft_array *b)
{
    if (!a || !b || weft_dtype_of(a) != weft_dtype_of(b) || weft_count(a) != weft_count(b) ||
        weft_rank(a) != weft_rank(b))
        return false;
    weft_dtype t = weft_dtype_of(a);
    const char *p = weft_data(a), *q = weft_data(b);
    size_t bytes = dtype_bytes(dtype_part((DType)t));
    for (int64_t i = 0; i < weft_count(a) * parts_of(t); i++) {
        bool both_nan = isnan(element(t, p, i)) && isnan(element(t, q, i));
        if (!both_nan && memcmp(p + i * (int64_t)bytes, q + i * (int64_t)bytes, bytes) != 0) return false;
    }
    return true;
}

void ops_data_check_compiled(const OpsRow *rows, int n, OpsCompute *compute)
{
    Failure f = { .code = WEFT_OK };
    if (!backend_get(&f)) cr_skip_test("%s", f.text);
    ops_data_open(&(weft_options){ .mode = WEFT_MODE_STRICT });
    make_inputs();
    weft_declare(context, compute, compute_fn);
    compute_fn *compiled = weft_jit(context, compute);
    weft_array *unused = weft_scalar(context, 0);
    for (int i = 0; i < n; i++) {
        weft_scope *scope = weft_scope_open(context);
        weft_array *eager = compute(NULL, i), *fast = compiled(unused, i);
        if (!same_bits(eager, fast)) {
            char a[600], b[600];
            weft_format(eager, a, sizeof a);
            if (fast) weft_format(fast, b, sizeof b);
            cr_expect_fail("%s: compiled\n%s\neager\n%s", rows[i].name, fast ? b : weft_error(context), a);
            weft_clear(context);
        }
        weft_scope_close(scope);
    }
    weft_close(context);
}
