/* ops_data.h: tables of op calls against results that JAX and NumPy computed (tests/data/ops.txt, written by
 * make_ops_data.py; grad.txt is another such file).
 *
 * A suite lists rows R(name, tolerance, call); name finds the expected array, IN(x) an input. Each row runs
 * eagerly and is compared with JAX, and runs compiled in strict mode and is compared with eager bit for bit.
 */
#ifndef OPS_DATA_H
#define OPS_DATA_H
#include "weft.h"

typedef struct OpsRow {
    const char *name;
    double tolerance;
} OpsRow;
typedef weft_array *OpsCompute(weft_array *, int row);

/* which file, before anything else; ops.txt if nothing is said */
void ops_data_file(const char *path);
weft_array *ops_data_input(const char *name); /* of the context that ops_data_open made; loaded once */
weft_context *ops_data_open(const weft_options *);
/* Eager results against JAX's. tolerance: of |difference| / max(1, |expected|); f16 and bf16 get half a unit
 * in the last place at least. Type, shape, NaN and inf must agree. */
void ops_data_check(const OpsRow *, int n, OpsCompute *);
/* Compiled results against eager's, bit for bit; nothing where there is no compiler back end. */
void ops_data_check_compiled(const OpsRow *, int n, OpsCompute *);

#define IN(name)                         ops_data_input(#name)
#define OPS_ROW(name, tolerance, ...)    { #name, tolerance },
#define OPS_NUMBER(name, tolerance, ...) ROW_##name,
#define OPS_CASE(name, tolerance, ...) \
    case ROW_##name: return __VA_ARGS__;
/* Makes rows[] and compute() of ROWS(R), and the two tests. */
#define OPS_SUITE(suite, ROWS) OPS_SUITE_OF("tests/data/ops.txt", suite, ROWS)
#define OPS_SUITE_OF(file, suite, ROWS) \
    enum { ROWS(OPS_NUMBER) ROW_COUNT }; \
    static const OpsRow rows[] = { ROWS(OPS_ROW) }; \
    static weft_array *compute(weft_array *unused, int row) \
    { \
        (void)unused; \
        switch (row) { \
            ROWS(OPS_CASE) default : return NULL; \
        } \
    } \
    Test(suite, eager_agrees_with_jax) \
    { \
        ops_data_file(file); \
        ops_data_check(rows, ROW_COUNT, compute); \
    } \
    Test(suite, compiled_agrees_with_eager) \
    { \
        ops_data_file(file); \
        ops_data_check_compiled(rows, ROW_COUNT, compute); \
    }
#endif
