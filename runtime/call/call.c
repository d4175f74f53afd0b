/* call.c: the door of every function that weft made: C arguments become leaves and words, the call is staged
 * (call_stage.c) or run (call_run.c), and the results are written where C expects them. */
#include <stdio.h>
#include <string.h>
#include "call.h"
#include "cache.h"
#include "runtime/memory/floating.h"
#include "runtime/memory/stack.h"
#include "runtime/trace/op.h"
#include "runtime/tree/tree_whole.h"

/* ---- arguments ---- */

/* The arguments, where the structure of all is known. False: NULLs, or no memory; read_slots says what. */
static bool read_fixed(const Signature *s, void **values, Flat *in)
{
    bool good = true;
    for (int i = 0; i < s->n_params && good; i++) {
        const Param *p = &s->params[i];
        if (p->kind == PARAM_ARRAY) good = flat_leaf(in, *(weft_array **)values[i]);
        else if (p->kind == PARAM_NUMBER) good = flat_word(in, scalar_load((DType)p->number, values[i]));
        else if (p->in >= 0)
            good = *(void **)values[i] && flat_read_layout(in, p->layout, *(void **)values[i]);
    }
    return good;
}

static bool read_slots(const Function *f, Local *l, void **values, Flat *in)
{
    const Signature *s = f->sig;
    Slot slots[SIGNATURE_MAX_PARAMS];
    Failure failure = { .code = WEFT_OK };
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->in >= 0)
            memcpy(&slots[p->in], values[i],
                   p->kind == PARAM_NUMBER ? dtype_bytes((DType)p->number) : sizeof(void *));
    }
    in->n_leaves = in->n_words = 0;
    return flat_read(in, &s->in, slots, &failure) || error_failure(l, f->label, NULL, "argument ", &failure);
}

static bool overlap(const Param *p, const void *a, const Param *q, const void *b)
{
    return (uintptr_t)a < (uintptr_t)b + q->tree->bytes && (uintptr_t)b < (uintptr_t)a + p->tree->bytes;
}

/* A struct that the function changes and that another argument is too: called directly it would meet its own
 * changes there, and traced it would not. */
static bool structs_apart(const Function *f, Local *l, void **values)
{
    const Signature *s = f->sig;
    for (int i = 0; i < s->n_params && !s->plain_in; i++) {
        if (s->params[i].kind != PARAM_INOUT) continue;
        for (int k = 0; k < s->n_params; k++) {
            const Param *p = &s->params[i], *q = &s->params[k];
            if (k == i || !q->tree || !overlap(p, *(void **)values[i], q, *(void **)values[k])) continue;
            return error_set(
                l, WEFT_ARGUMENT, f->label, NULL,
                "%s and %s are one struct in memory, and the function changes it: give it a copy "
                "(weft_copy_tree)",
                p->name, q->name);
        }
    }
    return true;
}

/* The C arguments as leaves and words. */
static bool read_arguments(const Function *f, Local *l, void **values, Flat *in)
{
    return ((f->sig->fixed_in && read_fixed(f->sig, values, in)) || read_slots(f, l, values, in)) &&
           structs_apart(f, l, values);
}

/* ---- results ---- */

/* A struct's part of the results. */
static Flat part_of(const Flat *out, const TreeRange *r)
{
    return (Flat){ .leaf = out->leaf + r[0].leaf,
                   .n_leaves = r[1].leaf - r[0].leaf,
                   .word = out->word + r[0].word,
                   .n_words = r[1].word - r[0].word,
                   .memory = out->memory };
}

/* As tree_put, without a walk where the structure is always the same. */
static void write_inout(const Param *p, Memory *m, void *base, weft_array *const *leaf)
{
    const Layout *layout = p->layout;
    if (!layout) tree_put(p->tree, m, base, leaf);
    for (uint32_t i = 0; layout && i < layout->n; i++) {
        weft_array **place = (weft_array **)(void *)((char *)base + layout->part[i].at);
        if (layout->part[i].event == WALK_LEAF) *place = *leaf++;
        else if (layout->part[i].event == WALK_LAZY) *place = NULL;
    }
}

static void *structure_at(void **values, int i) { return *(void **)values[i]; }

/* Are the in-outs what they were when they were read? The function may know the caller's structs by another
 * name, and have changed lists and pointers there: the new leaves would find no place, or another. */
static bool inouts_stay(const Function *f, Local *l, void **values, const Flat *in)
{
    CLEANUP(flat_close) Flat now;
    flat_open(&now, in->memory);
    if (!read_slots(f, l, values, &now)) return false;
    if (now.n_leaves == in->n_leaves && now.n_words == in->n_words &&
        !memcmp(now.word, in->word, now.n_words * sizeof *now.word))
        return true;
    return error_set(l, WEFT_TREE_MISMATCH, f->label, NULL,
                     "the function itself changed the structure of an in-out struct, not by its parameter, "
                     "while it was traced");
}

/* Result structs are written first: they need memory, and if there is none, in-outs must stay as they are. */
static bool write_structs(const Function *f, Local *l, const Flat *out, const TreeRange *range, void **values)
{
    const Signature *s = f->sig;
    TreeRoom room = { tree_memory_take, l };
    Failure failure = { .code = WEFT_OK };
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->kind != PARAM_OUT_TREE || !structure_at(values, i)) continue;
        Flat part = part_of(out, &range[p->out]);
        if (!flat_write(&part, p->tree, structure_at(values, i), &room, &failure))
            return error_failure(l, f->label, NULL, "result ", &failure);
    }
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        if (p->kind == PARAM_INOUT)
            write_inout(p, out->memory, structure_at(values, i), out->leaf + range[p->out].leaf);
    }
    return true;
}

/* range NULL: the call failed; then arrays are NULL, result structs are empty, and in-outs stay. */
static void write_results(const Signature *s, const Flat *out, const TreeRange *range, void *result,
                          void **values)
{
    if (s->returns) *(weft_array **)result = range ? out->leaf[0] : NULL;
    for (int i = 0; i < s->n_params; i++) {
        const Param *p = &s->params[i];
        void *place = p->out < 0 ? NULL : structure_at(values, i);
        if (!place) continue;
        if (p->kind == PARAM_OUT) *(weft_array **)place = range ? out->leaf[range[p->out].leaf] : NULL;
        else if (p->kind == PARAM_OUT_TREE && !range) tree_clear(p->tree, place);
    }
}

/* Which leaves belong to which result; room is for where that varies. NULL: error set. */
static const TreeRange *ranges_of(const Function *f, Local *l, const Flat *out, TreeRange *room)
{
    if (f->sig->out_range) return f->sig->out_range;
    return tree_ranges(&f->sig->out, out->memory, out->word, out->n_words, room) ||
                   error_memory(l, f->label, NULL)
               ? room
               : NULL;
}

/* ---- the call ---- */

static bool holds_doubles(const weft_array *a)
{
    DType t = (DType)array_type(a).dtype;
    return t == WEFT_F64 || t == WEFT_C128;
}

bool call_keeps_digits(const Function *f, Local *l, const Flat *in, uint32_t scalar, uint32_t wide)
{
    if (!in->leaf[scalar]->rounded) return true;
    char path[TREE_PATH], other[TREE_PATH], meets[TREE_PATH + 40] = "it meets f64 numbers inside", given[64];
    const weft_array *a = in->leaf[scalar];
    bool is_complex = dtype_is_complex((DType)a->dtype);
    if (wide != UINT32_MAX)
        snprintf(meets, sizeof meets, "argument %s is %s", call_in_path(f, in, wide, other, sizeof other),
                 dtype_name((DType)array_type(in->leaf[wide]).dtype));
    int n = snprintf(given, sizeof given, "%.17g", a->exact);
    if (is_complex) snprintf(given + n, sizeof given - (size_t)n, "%+.17gi", a->exact_imag);
    return error_set(l, WEFT_DTYPE, f->label, NULL,
                     "argument %s is %s, which cannot hold the %s that weft_scalar was given, and %s: "
                     "say which is meant, weft_scalar_as(ctx, %s, v) or (ctx, %s, v), "
                     "or open the context with .real = WEFT_F64",
                     call_in_path(f, in, scalar, path, sizeof path), dtype_name((DType)a->dtype), given,
                     meets, is_complex ? "WEFT_C128" : "WEFT_F64", is_complex ? "WEFT_C64" : "WEFT_F32");
}

/* Compiled code sees the f32 that weft_scalar rounded its double to. Beside f64 arrays that would lose digits
 * in silence, where op by op the double itself is taken. */
static bool digits_kept(const Function *f, Local *l, const Flat *in)
{
    uint32_t scalar = 0, wide = 0;
    while (!array_concrete(in->leaf[scalar]) || !in->leaf[scalar]->rounded) scalar++;
    while (wide < in->n_leaves && !holds_doubles(in->leaf[wide])) wide++;
    if (wide == in->n_leaves) return true;
    return call_keeps_digits(f, l, in, scalar, wide);
}

static bool arguments_good(const Function *f, Local *l, const Flat *in)
{
    bool rounded = false;
    for (uint32_t i = 0; i < in->n_leaves; i++) {
        weft_array *a = in->leaf[i];
        if (array_is_address(a) && a->state == ARRAY_CONCRETE && a->ctx == l->ctx) rounded |= a->rounded;
        else if (!call_check_leaf(f, l, in, 0, i, false)) return false;
    }
    return !rounded || digits_kept(f, l, in);
}

static bool call_function(Function *f, Local *l, const Flat *in, Flat *out)
{
    if (l->planning && l->planning->entry)
        return error_set(
            l, WEFT_ARGUMENT, "weft_compile", NULL,
            "the call contains another call of a function made by weft_jit: compute its arguments before");
    if (error_stack(l, STACK_CALL, f->label, NULL) || !arguments_good(f, l, in)) return false;
    if (f->kind == FN_FAILED) return call_fail_unmade(f, l);
    return l->trace ? call_ends(f, l, in) && call_stage(f, l, in, out) : call_run(f, l, in, out);
}

/* Not inlined, so that the door checks the stack before this function takes its part of it. */
__attribute__((noinline)) static void call(Function *f, Local *l, void *result, void **values)
{
    const Signature *s = f->sig;
    TreeRange room[s->out.fields + 1];
    CallFrame frame;
    uint64_t traced = l->traced;
    CLEANUP(flat_close) Flat in;
    CLEANUP(flat_close) Flat out;
    flat_open(&in, &f->ctx->memory);
    flat_open(&out, &f->ctx->memory);
    frame_push(&frame, f, NULL, l);
    frame.after = thread.last_at;
    bool good = read_arguments(f, l, values, &in) && call_function(f, l, &in, &out);
    if (good && l->traced != traced && !s->plain_out) good = inouts_stay(f, l, values, &in);
    const TreeRange *range = good ? ranges_of(f, l, &out, room) : NULL;
    if (range && !s->plain_out && !write_structs(f, l, &out, range, values)) range = NULL;
    write_results(s, &out, range, result, values);
    /* Places inside the functions that were called are not where their caller stands. */
    thread.last_at = frame.after;
    frame_pop(&frame, l);
}

static bool may_call(const Function *f, Local *l)
{
    if (!l) error_memory(NULL, f->label, NULL);
    else if (f->forgotten)
        error_set(l, WEFT_ARGUMENT, f->label, NULL, "it, or what it was made of, was given to weft_forget");
    else return !error_stack(l, STACK_CALL, f->label, NULL);
    return false;
}

void call_closure(ffi_cif *cif, void *result, void **values, void *slot)
{
    Function *f = *(_Atomic(void *) *)slot;
    if (!f) {
        error_set(context_blamed(NOBODYS), WEFT_ARGUMENT, NULL, NULL,
                  "a function was called that weft had made, but its context is closed");
        if (cif->rtype->type == FFI_TYPE_POINTER) *(weft_array **)result = NULL;
        return;
    }
    Local *l = context_local(f->ctx);
    if (!may_call(f, l)) {
        write_results(f->sig, NULL, NULL, result, values);
        return;
    }
    uint32_t mode = floating_enter();
    call(f, l, result, values);
    floating_leave(mode);
}
