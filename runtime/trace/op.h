/* op.h: where the public op functions meet eager mode and tracing.
 *
 * Every public op ends in op_apply: on concrete arrays it infers the type, allocates the result in the
 * current scope and runs eager's kernel; if an operand is traced it appends a node to that trace's graph; a
 * NULL operand gives NULL (and, if no error is pending, an error "operand 1 is NULL"). Compositions (softmax,
 * einsum, ...) call other ops and so work in both worlds; messages name the outermost public function.
 */
#ifndef WEFT_TRACE_OP_H
#define WEFT_TRACE_OP_H
#include "compiler/graph/graph.h"
#include "weft/array.h"

struct Local;

/* Who is speaking, for messages: "demo.c:42: weft_softmax: ...". Calls nest; the outermost wins. */
void op_begin(const char *name, const char *at);
void op_end(void);

/* given: of an op whose type, shape or regions are given these fields, and no others; or NULL. */
weft_array *op_apply(Op op, weft_array *const *args, int n_args, const int64_t *attr, int n_attr,
                     const NodeSpec *given);
/* The same for ops with several results (REDUCE_REGION): results[n_results] are written, NULLs on failure. */
bool op_apply_all(Op op, weft_array *const *args, int n_args, const int64_t *attr, int n_attr,
                  const NodeSpec *given, weft_array **results, int n_results);
weft_array *op_unary(Op op, weft_array *a);
/* equal types: promotion and broadcasting are done by the caller */
weft_array *op_binary(Op op, weft_array *a, weft_array *b);
/* Is a scalar that f32 cannot hold the same one behind the op: moved, spread, negated, or a part of it? */
bool op_keeps_digits(Op);
/* Records the thread's first error under the running op's name and returns NULL. */
weft_array *op_fail(weft_status code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Is it usable as an operand: not NULL or freed, of this context, and of a live trace? Else an error. */
bool op_check(const weft_array *a, const char *what);
/* The same check as an op of its own, in this name. Local NULL: that of the array. */
bool op_check_for(const char *name, const char *at, struct Local *, const weft_array *a, const char *what);
/* Errors of the running op go to this array's context, if none of its operands was seen before. */
void op_speak_for(const weft_array *a);
/* The same for operand number i, from 0; its name for messages is made only when needed. */
bool op_check_operand(const weft_array *a, int i);
/* For ops without arrays: their context is this one (NULL: the current one). False: none, error set. */
bool op_context(weft_context *ctx);
struct Local *op_local(void); /* of the running op; NULL: there is no context */
/* Rank 0; a constant of the program when tracing. bits: as scalar_load gives them. */
weft_array *op_scalar(DType, uint64_t bits);
weft_array *op_element(DType, const void *element); /* the same, of any type */
weft_array *op_number(DType t, double v);
weft_array *op_integer(DType t, int64_t v);
/* A constant of any type, whose elements are put in place by a function. */
weft_array *op_table(Type, void (*put)(const void *user, void *elements), const void *user);
Type array_type(const weft_array *a); /* a must not be NULL; dims borrowed from a */
bool array_is_traced(const weft_array *a);
#endif
