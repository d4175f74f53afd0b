/* api.h: every public function, each of its parameters by kind, and values of each kind: right ones, and
 * what may go wrong.
 *
 * The functions come from the headers (table.awk). The sweep (test_doors.c) gives each parameter each
 * value of its kind, all others being right; weft-fuzz-api calls functions in random order with random
 * values, results of earlier calls among them.
 */
#ifndef WEFT_TESTS_API_H
#define WEFT_TESTS_API_H
#include <stdio.h>
#include "weft.h"

/* kind, C type; named as in table.awk */
/* clang-format off */
#define API_KINDS(X) \
    X(context, weft_context *) X(array, weft_array *) X(operand, weft_operand) X(key, weft_random_key) \
    X(scope, weft_scope *) X(plan, weft_plan *) X(program, weft_program *) X(fn, weft_fn) \
    X(fns, const weft_fn *) X(hook, weft_hook_id) \
    X(dtype, weft_dtype) X(combine, weft_combine) X(derivative, weft_derivative) \
    X(options, const weft_options *) X(over, weft_over) X(order, weft_order) X(update, weft_update) \
    X(window, weft_window) X(convolution, weft_convolution) X(factor, weft_factor) \
    X(counting, weft_counting) X(uniques, weft_uniques) X(positions, weft_positions) \
    X(fourier, weft_fourier) X(interpolation, weft_interpolation) X(control, weft_control) \
    X(vmap, weft_vmap_options) X(foreign, weft_foreign_options) X(planning, weft_plan_options) \
    X(schedule, weft_schedule) X(optimizer, weft_optimizer) X(draw, weft_draw) X(tree, const weft_tree *) \
    X(tensor, struct DLManagedTensorVersioned *) \
    X(list, const void *) X(results, weft_array **) X(dims, const int64_t *) X(real, double) X(flag, bool) \
    X(size, size_t) X(integer, int64_t) X(number, int) X(rank, int) X(count, int) X(text, const char *) \
    X(place, const char *) X(path, const char *) X(buffer, char *) X(memory, void *) X(block, void *) \
    X(pointers, void *) X(structs, void *) X(structure, void *) X(release, Release *) \
    X(custom, const weft_custom_fn *)
/* clang-format on */

typedef void Release(void *user, void *data);
typedef enum {
#define X(name, type) KIND_##name,
    API_KINDS(X)
#undef X
        KINDS
} ApiKind;

typedef enum {
    GOOD,    /* may be right, may be wrong: an error or the right answer */
    DEAD,    /* never right: there must be an error */
    FOREIGN, /* of the other context: right alone, an error among those of the first */
    ENDLESS  /* nobody may call what is made with it */
} ApiNature;

typedef struct ApiValue {
    const char *name;
    ApiNature nature;
#define X(name, type) type name;
    union {
        API_KINDS(X)
    };
#undef X
} ApiValue;

typedef struct ApiOutcome {
    weft_array *array;
    weft_fn fn;
    weft_status status;
} ApiOutcome;

enum { API_PARAMS = 10 };
typedef struct ApiFunction {
    const char *name;
    void (*call)(const ApiValue *, ApiOutcome *);
    int n;
    ApiKind kind[API_PARAMS];
} ApiFunction;
extern const ApiFunction api_functions[];
extern const int api_function_count;

/* Two contexts with all that has handles, the second opened last, and what is left of others. */
typedef struct ApiWorld {
    weft_context *ctx, *other;
    weft_array *x, *scoped;
    weft_unary *jitted;
    weft_plan *plan;
    weft_program *program;
} ApiWorld;
void api_open(ApiWorld *);
void api_no_files(void);           /* from now on relative paths lead nowhere */
bool api_intact(const ApiWorld *); /* does it all still work? */
/* The values of a kind, the first one right. For memory that calls write to, the slot of that parameter,
 * filled anew. */
const ApiValue *api_values(ApiKind, int *n);
ApiValue api_fresh(ApiValue, ApiKind, int param);
/* weft believes a count of what the caller gives or has room for, so the count must be true. The greatest
 * counts are left out for functions where they would not be. */
bool api_believed(const ApiFunction *, ApiKind, const ApiValue *);
/* Whether the function gives a weft_unary when it is given one. */
bool api_gives_unary(const ApiFunction *);
#endif
