/* foreign.c: weft_foreign: a C function from elsewhere as a function of arrays. At a call, sizes are bound
 * and checked, the results' types follow, and a FOREIGN op is added to the running trace; when the op runs,
 * libffi calls the function on the memory of operands and results.
 *
 * The node's numbers are one for each of the function's parameters: the bits of a number that is no array,
 * the bytes of what is argument and result at once.
 */
#include "foreign.h"
#include "runtime/transforms/staging.h"
#include "runtime/memory/floating.h"
#include <stdio.h>
#include <string.h>
#include "runtime/trace/op.h"
#include "weft/rules.h"

enum { NUMBER_ADDRESS, NUMBER_USER, NUMBER_IMPURE, NUMBER_BATCH, NUMBERS }; /* of the Function */
/* in its text: the C type, the entries */
static const char between[] = " : ";

/* ---- when the op runs ---- */

typedef union ForeignNumber {
    uint8_t u8;
    uint64_t u64;
} ForeignNumber;

static void *pointer_for(const ForeignParam *p, const Foreign *x, int64_t number, const void *const *in,
                         void *const *out)
{
    switch (p->from) {
    case FROM_USER:     return x->user;
    case FROM_ARGUMENT: return (void *)(uintptr_t)in[p->operand];
    case FROM_BOTH:     memcpy(out[p->out], in[p->operand], (size_t)number); return out[p->out];
    default:            return out[p->out];
    }
}

static void take_returned(const Foreign *x, const void *returned, void *out)
{
    DType t = (DType)x->type.returns.number;
    ffi_arg word;
    if (dtype_is_float(t)) {
        memcpy(out, returned, dtype_bytes(t));
        return;
    }
    memcpy(&word, returned, sizeof word); /* libffi widens what is smaller */
    scalar_store(t, out, t == WEFT_BOOL ? (word & 0xff) != 0 : (uint64_t)word);
}

static void call_foreign(const ForeignOp *op, const int64_t *numbers, const void *const *in, void *const *out)
{
    const Foreign *x = op->user;
    int n = x->type.n_params;
    void *values[SIGNATURE_MAX_PARAMS + 1], *pointers[SIGNATURE_MAX_PARAMS + 1];
    ForeignNumber scalars[SIGNATURE_MAX_PARAMS + 1], returned = { .u64 = 0 };
    for (int i = 0; i < n; i++) {
        const ForeignParam *p = &x->param[i];
        const CParam *c = &x->type.params[i];
        bool stored = p->from == FROM_SIZE || (p->from == FROM_ARGUMENT && p->operand < 0);
        if (stored) scalar_store((DType)c->number, &scalars[i], (uint64_t)numbers[i]);
        if (c->pointer) pointers[i] = stored ? &scalars[i] : pointer_for(p, x, numbers[i], in, out);
        values[i] = c->pointer ? (void *)&pointers[i]
                    : stored   ? (void *)&scalars[i]
                               : (void *)(uintptr_t)in[p->operand];
    }
    floating_leave(thread.floating);
    ffi_call((ffi_cif *)(uintptr_t)&x->type.cif, x->address, &returned, values);
    floating_enter();
    if (x->returns >= 0) take_returned(x, &returned, out[x->returns]);
}

/* ---- one call: sizes and types ---- */

typedef struct ForeignCall {
    const Function *f;
    Local *l;
    const Flat *in;
    const Foreign *x;
    Sizes sizes;
    int64_t numbers[SIGNATURE_MAX_PARAMS];
    Type results[SIGNATURE_MAX_PARAMS + 1];
    int64_t dims[]; /* memory of results */
} ForeignCall;

/* "x[n, 2 * m]" */
static const char *entry_text(const Foreign *x, const ForeignEntry *p, char *buf, size_t size)
{
    int used =
        snprintf(buf, size, "%s%s", p->param == FOREIGN_RETURN ? "return" : x->type.params[p->param].name,
                 p->brackets ? "[" : "");
    for (int i = 0; i < p->rank && used >= 0 && (size_t)used < size; i++) {
        char text[80];
        used += snprintf(buf + used, size - (size_t)used, "%s%s", i ? ", " : "",
                         size_text(p->size[i], text, sizeof text));
    }
    if (p->brackets && used >= 0 && (size_t)used < size) snprintf(buf + used, size - (size_t)used, "]");
    return buf;
}

static DType entry_type(const Foreign *x, const ForeignEntry *p)
{
    return (DType)(p->param == FOREIGN_RETURN ? x->type.returns.number : x->type.params[p->param].number);
}

/* The leaf that an argument is. */
static weft_array *leaf_of(const ForeignCall *b, const ForeignEntry *p)
{
    return b->in->leaf[b->x->param[p->param].operand];
}

/* C spells a half float uint16_t: its bits are wanted, not its value. */
static const char *way_to(DType want, DType is)
{
    if (want == is) return "";
    return dtype_is_narrow_float(is) && want == WEFT_U16 ? " (weft_bitcast gives its bits as u16)"
                                                         : " (weft_astype makes another element type of it)";
}

static bool check_argument(ForeignCall *b, const ForeignEntry *p)
{
    char entry[STAGE_TEXT];
    Type t = array_type(leaf_of(b, p));
    DType want = entry_type(b->x, p);
    if (t.dtype == want && t.rank == p->rank) return true;
    return stage_error(b->f, b->l, t.dtype != want ? WEFT_DTYPE : WEFT_SHAPE,
                       "argument %s must be %s of rank %d, as C's %s is, but it is %s%s",
                       entry_text(b->x, p, entry, sizeof entry), dtype_name(want), p->rank,
                       b->x->type.params[p->param].name, STAGE_TYPE(t), way_to(want, (DType)t.dtype));
}

/* Binds the sizes that are names alone. */
static bool bind_argument(ForeignCall *b, const ForeignEntry *p)
{
    Type t = array_type(leaf_of(b, p));
    for (int i = 0; i < p->rank; i++) {
        size_t length;
        const char *name = p->size[i];
        if (!size_is_name(&name, &length)) continue;
        if (!size_find(&b->sizes, name, length) && !size_add(&b->sizes, name, length, t.dim[i]))
            return stage_error(b->f, b->l, WEFT_ARGUMENT, "more than %d sizes", FOREIGN_NAMES);
    }
    return true;
}

static bool check_sizes(const ForeignCall *b, const ForeignEntry *p)
{
    Type t = array_type(leaf_of(b, p));
    for (int i = 0; i < p->rank; i++) {
        char entry[STAGE_TEXT], size[80];
        int64_t want;
        Failure failure = { .code = WEFT_OK };
        if (!size_value(p->size[i], &b->sizes, &want, &failure)) return stage_failure(b->f, b->l, &failure);
        if (want == t.dim[i]) continue;
        return stage_error(b->f, b->l, WEFT_SHAPE, "argument %s is %s: axis %d is %lld, but %s is %lld",
                           entry_text(b->x, p, entry, sizeof entry), STAGE_TYPE(t), i, (long long)t.dim[i],
                           size_text(p->size[i], size, sizeof size), (long long)want);
    }
    return true;
}

static bool has_field(const Function *f, int argument)
{
    return f->sig->in.field[argument].kind != WEFT_FIELD_STATIC;
}

/* Takes the static numbers, which may be sizes too. */
static bool bind_numbers(ForeignCall *b)
{
    uint32_t word = 0;
    for (int i = 0; i < b->x->n_in; i++) {
        if (has_field(b->f, i)) continue;
        const CParam *c = &b->x->type.params[b->x->in[i].param];
        DType from = (DType)b->f->sig->in.field[i].number;
        uint64_t bits = b->in->word[word++];
        b->numbers[b->x->in[i].param] = (int64_t)scalar_convert((DType)c->number, from, bits);
        if (!dtype_is_float(from) &&
            !size_add(&b->sizes, c->name, strlen(c->name), scalar_to_i64(from, bits)))
            return stage_error(b->f, b->l, WEFT_ARGUMENT, "more than %d sizes", FOREIGN_NAMES);
    }
    return true;
}

/* Sets the C parameters that are sizes. */
static bool set_sizes(ForeignCall *b)
{
    for (int i = 0; i < b->x->type.n_params; i++) {
        const ForeignParam *p = &b->x->param[i];
        const CParam *c = &b->x->type.params[i];
        DType t = (DType)c->number;
        int64_t v;
        Failure failure = { .code = WEFT_OK };
        if (p->from != FROM_SIZE) continue;
        if (!size_value(p->size, &b->sizes, &v, &failure)) return stage_failure(b->f, b->l, &failure);
        uint64_t bits = scalar_from_i64(t, v);
        if (!dtype_is_float(t) && (scalar_to_i64(t, bits) != v || (v < 0 && !dtype_is_signed(t))))
            return stage_error(b->f, b->l, WEFT_SHAPE, "parameter %s is %s in C, too small for %lld", c->name,
                               dtype_name(t), (long long)v);
        b->numbers[i] = (int64_t)(dtype_is_float(t) ? scalar_from_double(t, (double)v) : bits);
    }
    return true;
}

static bool type_result(ForeignCall *b, int o)
{
    const ForeignEntry *p = &b->x->out[o];
    int64_t *dim = b->dims + (size_t)o * WEFT_MAX_RANK;
    for (int i = 0; i < p->rank; i++) {
        char entry[STAGE_TEXT];
        Failure failure = { .code = WEFT_OK };
        if (!size_value(p->size[i], &b->sizes, &dim[i], &failure)) return stage_failure(b->f, b->l, &failure);
        if (dim[i] < 0)
            return stage_error(b->f, b->l, WEFT_SHAPE, "result %s: axis %d would be %lld",
                               entry_text(b->x, p, entry, sizeof entry), i, (long long)dim[i]);
    }
    b->results[o] = (Type){ (uint8_t)entry_type(b->x, p), (uint8_t)p->rank, dim };
    return true;
}

/* A parameter that is argument and result at once must have one shape. */
static bool check_both(ForeignCall *b)
{
    for (int i = 0; i < b->x->type.n_params; i++) {
        const ForeignParam *p = &b->x->param[i];
        if (p->from != FROM_BOTH) continue;
        Type s = array_type(b->in->leaf[p->operand]), t = b->results[p->out];
        if (s.rank != t.rank || (s.rank && memcmp(s.dim, t.dim, s.rank * sizeof *s.dim)))
            return stage_error(
                b->f, b->l, WEFT_SHAPE,
                "parameter %s is argument and result, but goes in as %s and would come out as %s",
                b->x->type.params[i].name, STAGE_TYPE(s), STAGE_TYPE(t));
        int64_t count = type_count(t);
        b->numbers[i] = count < 0 ? 0 : count * (int64_t)dtype_bytes((DType)t.dtype);
    }
    return true;
}

static bool bind(ForeignCall *b)
{
    const Foreign *x = b->x;
    if (!bind_numbers(b)) return false;
    for (int i = 0; i < x->n_in; i++)
        if (has_field(b->f, i) && (!check_argument(b, &x->in[i]) || !bind_argument(b, &x->in[i])))
            return false;
    for (int i = 0; i < x->n_in; i++)
        if (has_field(b->f, i) && !check_sizes(b, &x->in[i])) return false;
    for (int o = 0; o < x->n_out; o++)
        if (!type_result(b, o)) return false;
    return set_sizes(b) && check_both(b);
}

/* ---- staging ---- */

static bool build_op(void *call, Ref *results)
{
    const ForeignCall *b = call;
    Graph *g = b->l->trace->graph;
    uint32_t n = b->in->n_leaves;
    Ref *args = stage_refs(g->arena, n);
    for (uint32_t i = 0; i < n; i++) args[i] = stage_leaf(b->l, b->in, i);
    int64_t serial = b->f->numbers[NUMBER_IMPURE] ? (int64_t)atomic_fetch_add(&b->l->ctx->next_serial, 1) : 0;
    return build_foreign(g, &b->x->op, serial, b->numbers, (uint32_t)b->x->type.n_params, args, n, b->results,
                         (uint32_t)b->x->n_out, results);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const Foreign *x = f->data;
    uint32_t n = (uint32_t)x->n_out;
    ForeignCall *b = stage_room(f, l, sizeof(ForeignCall) + n * WEFT_MAX_RANK * sizeof(int64_t), 1);
    if (!b) return false;
    b->f = f, b->l = l, b->in = in, b->x = x;
    const Ref *results = bind(b) ? stage_build(f, l, build_op, b, n) : NULL;
    return results && call_results(f, l, results, n, out);
}

/* ---- making it ---- */

static bool fits_signature(const Function *f, Foreign *x, Failure *failure)
{
    int operand = 0;
    const Signature *s = f->sig;
    if ((int)s->in.fields != x->n_in)
        return fail(failure, WEFT_ARGUMENT, "the text names %d arguments, the signature %s has %d", x->n_in,
                    s->text, (int)s->in.fields);
    if ((int)s->out.fields != x->n_out)
        return fail(failure, WEFT_ARGUMENT, "the text names %d results, the signature %s has %d", x->n_out,
                    s->text, (int)s->out.fields);
    for (int o = 0; o < x->n_out; o++)
        if (s->out.field[o].tree)
            return fail(failure, WEFT_ARGUMENT,
                        "result %s of the signature is a struct: a foreign function gives arrays",
                        s->out.field[o].name);
    for (int i = 0; i < x->n_in; i++) {
        const weft_field *field = &s->in.field[i];
        const CParam *c = &x->type.params[x->in[i].param];
        ForeignParam *p = &x->param[x->in[i].param];
        if (field->tree)
            return fail(
                failure, WEFT_ARGUMENT,
                "argument %s of the signature is a struct: a foreign function takes arrays and numbers",
                field->name);
        p->operand = has_field(f, i) ? operand++ : -1;
        if (p->operand >= 0) continue;
        if (c->pointer)
            return fail(failure, WEFT_ARGUMENT,
                        "argument %s of the signature is a number, but parameter %s is a pointer to elements",
                        field->name, c->name);
        if (dtype_is_float((DType)field->number) && !dtype_is_float((DType)c->number))
            return fail(failure, WEFT_ARGUMENT, "argument %s of the signature is %s, but parameter %s is %s",
                        field->name, dtype_name((DType)field->number), c->name, dtype_name((DType)c->number));
    }
    return true;
}

/* A parameter that the text does not name is the user's pointer, or a number with the name of a size. */
static bool find_others(Foreign *x, Failure *failure)
{
    for (int i = 0; i < x->type.n_params; i++) {
        const CParam *c = &x->type.params[i];
        ForeignParam *p = &x->param[i];
        if (p->from == FROM_ARGUMENT && c->pointer && !c->is_const)
            return fail(failure, WEFT_ARGUMENT,
                        "parameter %s is no pointer to const, so the function may write it: name it among "
                        "the results too, or say const in the type",
                        c->name);
        if (p->from) continue;
        if (c->pointer && c->is_void) {
            p->from = FROM_USER;
            continue;
        }
        if (c->pointer && !c->is_const)
            return fail(
                failure, WEFT_ARGUMENT,
                "parameter %s is no pointer to const, so it is a result, but the text does not name it",
                c->name);
        if (dtype_is_float((DType)c->number))
            return fail(failure, WEFT_ARGUMENT,
                        "nothing says what parameter %s is: name it among the arguments", c->name);
        p->from = FROM_SIZE;
        p->size = c->name;
    }
    return true;
}

/* The names whose size an argument says. */
static void names_of(const Function *f, const Foreign *x, Sizes *known)
{
    known->n = 0;
    for (int i = 0; i < x->n_in; i++) {
        const ForeignEntry *p = &x->in[i];
        const char *name = x->type.params[p->param].name;
        if (!has_field(f, i) && !dtype_is_float((DType)f->sig->in.field[i].number))
            size_add(known, name, strlen(name), 1);
        for (int d = 0; d < p->rank; d++) {
            size_t length;
            const char *size = p->size[d];
            if (size_is_name(&size, &length)) size_add(known, size, length, 1);
        }
    }
}

static bool entry_known(const Foreign *x, const ForeignEntry *p, const Sizes *known, Failure *failure)
{
    char entry[STAGE_TEXT];
    Failure why = { .code = WEFT_OK };
    for (int d = 0; d < p->rank; d++)
        if (!size_known(p->size[d], known, &why))
            return fail(failure, WEFT_ARGUMENT, "%s: %s", entry_text(x, p, entry, sizeof entry), why.text);
    return true;
}

/* Does an argument say the size of each name? */
static bool all_known(const Function *f, const Foreign *x, Failure *failure)
{
    Sizes known;
    names_of(f, x, &known);
    for (int i = 0; i < x->type.n_params; i++) {
        const ForeignParam *p = &x->param[i];
        const char *name = x->type.params[i].name;
        Failure why = { .code = WEFT_OK };
        if (p->from != FROM_SIZE || size_known(p->size, &known, &why)) continue;
        if (p->size == name)
            return fail(failure, WEFT_ARGUMENT,
                        "nothing says what parameter %s is: it is no size of an argument, and is not named",
                        name);
        return fail(failure, WEFT_ARGUMENT, "parameter %s: %s", name, why.text);
    }
    for (int i = 0; i < x->n_in; i++)
        if (!entry_known(x, &x->in[i], &known, failure)) return false;
    for (int o = 0; o < x->n_out; o++)
        if (!entry_known(x, &x->out[o], &known, failure)) return false;
    return true;
}

static bool read_all(Function *f, Arena *a, Foreign *x, Failure *failure)
{
    const char *entries = strstr(f->text, between),
               *type = arena_printf(a, "%.*s", (int)(entries - f->text), f->text);
    int64_t batch = f->numbers[NUMBER_BATCH];
    x->op =
        (ForeignOp){ .name = f->name, .call = call_foreign, .batches = batch == WEFT_BATCH_LOOP, .user = x };
    x->address = (weft_fn)(intptr_t)f->numbers[NUMBER_ADDRESS];
    x->user = (void *)(intptr_t)f->numbers[NUMBER_USER];
    x->text = entries + strlen(between);
    if (!x->address) return fail(failure, WEFT_ARGUMENT, "the function is NULL");
    if (batch != WEFT_BATCH_NONE && batch != WEFT_BATCH_LOOP)
        return fail(failure, WEFT_ARGUMENT, ".batch is %lld: allowed are WEFT_BATCH_NONE and WEFT_BATCH_LOOP",
                    (long long)batch);
    return ctype_parse(a, type, &x->type, failure) && foreign_parse(a, x->text, x, failure) &&
           find_others(x, failure) && fits_signature(f, x, failure) && all_known(f, x, failure);
}

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    Failure why = { .code = WEFT_OK };
    return read_all(f, a, f->data = arena_alloc(a, sizeof(Foreign)), &why) ||
           fail(failure, why.code, "%s: %s", f->name, why.text);
}

static const FnRule foreign_rule = { "foreign", prepare, stage };

weft_fn weft_foreign_(weft_context *ctx, weft_fn address, const char *name, const char *type,
                      const char *signature, const char *text, weft_foreign_options o, const char *at)
{
    Derivation d = {
        .rule = &foreign_rule, .name = name, .signature = signature, .n_numbers = NUMBERS, .at = at
    };
    int64_t numbers[NUMBERS] = { (int64_t)(intptr_t)address, (int64_t)(intptr_t)o.user, o.impure, o.batch };
    Local *l = context_enter(ctx, "weft_foreign", at);
    bool complete = name && type && signature;
    if (l && !complete)
        error_set(l, WEFT_ARGUMENT, "weft_foreign", at, "the function's name, type or signature is NULL");
    if (!l || !complete) return (weft_fn)fn_fails;
    size_t size = strlen(type) + strlen(between) + (text ? strlen(text) : 0) + 1;
    char *all = memory_alloc(&l->ctx->memory, size);
    if (all) snprintf(all, size, "%s%s%s", type, between, text ? text : "");
    else error_memory(l, "weft_foreign", at);
    d.text = all ? all : between;
    d.numbers = numbers;
    weft_fn made = fn_derive(ctx, &d);
    if (all) memory_free(&l->ctx->memory, all, size);
    return made;
}
