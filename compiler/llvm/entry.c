/* entry.c: weft_entry: a program's steps as loops and branches around calls of its kernels.
 *
 * Kernels are functions that take the addresses of the buffers they use and the counters they read
 * (functions.h). The entry stands in share 0, and calls those of the other shares by their names. In it,
 * addresses and counters are values that live in registers: a SWAP exchanges two of them and costs nothing,
 * the heads of step loops and the ends of branches join them by phi nodes. A kernel in a loop is told that
 * two buffers are distinct memory if they are so after any number of SWAPs.
 *
 * Registers for thousands of values would take LLVM a time that grows with their square. So in a long entry
 * addresses are found where they are used, and those that SWAPs exchange stand in slots on the stack.
 * Thousands of calls in one function would, too, for the registers that pass their arguments: long lists of
 * steps are cut, and each part is a function of its own.
 *
 * What stands in a parallel loop is a function of its own, for one of its pieces, which the entry hands to
 * the workers. It finds the addresses and counters that it needs in a frame, a list on the entry's stack;
 * only LOCAL memory is each thread's own.
 */
#include <stdio.h>
#include <string.h>
#include "access/access.h"
#include "emit.h"
#include "runs.h"

enum {
    /* Steps of an entry that is not long (one of 218 takes a fifth less to compile), and addresses that its
     * calls pass. */
    LONG_STEPS = 32,
    LONG_ADDRESSES = 512,
    /* Steps of one function (10,000 updates of parts of an array, at places that differ by no one number:
     * 930 -> 170 ms). */
    MOST_STEPS = 256,
    ENTRY_PARAMS = 5
};

/* A kernel that has been emitted, or stands in another share. */
typedef struct EmittedKernel {
    LLVMValueRef function, pool; /* pool: its constants in memory, or NULL */
} EmittedKernel;

typedef struct EntryEmitter {
    Emitter *e;
    const Program *p;
    LLVMValueRef function; /* the entry, or that of a piece */
    LLVMValueRef local;    /* where LOCAL memory begins; NULL: in the caller's scratch */
    EmittedKernel *callee;
    const FunctionPlan *plan;
    /* per buffer: where the memory is that its name means here; NULL: found where it is used */
    LLVMValueRef *base;
    LLVMValueRef slots; /* of a long entry: what base has are numbers of slots here */
    LLVMValueRef *counter;
} EntryEmitter;

/* ---- functions ---- */

static void text_attribute(Emitter *e, LLVMValueRef f, const char *key, const char *value)
{
    LLVMAddAttributeAtIndex(
        f, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(e->context, key, (unsigned)strlen(key), value, (unsigned)strlen(value)));
}

static void flag_attribute(Emitter *e, LLVMValueRef f, LLVMAttributeIndex at, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(f, at, LLVMCreateEnumAttribute(e->context, kind, 0));
}

/* Vectors have the width that the program was made for, although the tuning of some CPUs would split
 * 512-bit operations. The frame pointer allows to align the stack when registers turn out to be too few: a
 * vector spilled across two cache lines halves the speed, depending on where the caller's stack happens to
 * stand. */
void function_attributes(Emitter *e, LLVMValueRef f)
{
    char width[16];
    snprintf(width, sizeof width, "%d", 8 * e->target->vector_bytes);
    flag_attribute(e, f, LLVMAttributeFunctionIndex, "nounwind");
    text_attribute(e, f, "prefer-vector-width", width);
    text_attribute(e, f, "min-legal-vector-width", width);
    text_attribute(e, f, "no-builtins", "true");
    text_attribute(e, f, "frame-pointer", "all");
    text_attribute(e, f, "warn-stack-size", "0"); /* frames.h */
}

/* ---- kernels ---- */

static LLVMValueRef kernel_function(EntryEmitter *n, const char *name, const Uses *u, bool has_pool)
{
    Emitter *e = n->e;
    uint32_t n_params = 0;
    LLVMTypeRef *types = arena_alloc(e->arena, (u->n_buffers + u->n_counters + 1) * sizeof *types);
    for (uint32_t i = 0; i < u->n_buffers; i++) types[n_params++] = e->ptr;
    for (uint32_t i = 0; i < u->n_counters; i++) types[n_params++] = e->i64;
    if (has_pool) types[n_params++] = e->ptr;
    LLVMValueRef f = LLVMAddFunction(e->module, name ? name : "kernel",
                                     LLVMFunctionType(e->void_type, types, n_params, false));
    LLVMSetLinkage(f, LLVMInternalLinkage);
    function_attributes(e, f);
    e->pool = (Pool){ .base = has_pool ? LLVMGetParam(f, n_params - 1) : NULL, .here = has_pool };
    for (uint32_t i = 0; i < u->n_buffers; i++) {
        if (u->apart[i]) flag_attribute(e, f, i + 1, "noalias");
        e->buffers[u->buffer[i]] = LLVMGetParam(f, i);
        e->there[u->buffer[i]] = (Stretch){ u->low[i], u->high[i] };
    }
    for (uint32_t i = 0; i < u->n_counters; i++)
        e->counters[u->counter[i]] = LLVMGetParam(f, u->n_buffers + i);
    return f;
}

/* "k3_add_8": the one kernel; "k3_add_8..k5_dot_8x8": all from the one to the other. */
static const char *function_name(const EntryEmitter *n, uint32_t from, uint32_t to)
{
    const char *first = n->p->kernels[from].name, *last = n->p->kernels[to - 1].name;
    return to == from + 1 || !first || !last ? first : arena_printf(n->e->arena, "%s..%s", first, last);
}

static bool wants_pool(EntryEmitter *n, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k++)
        if (pool_wanted(n->e, &n->p->kernels[k])) return true;
    return false;
}

static void fill_function(EntryEmitter *n, EmittedKernel *c, uint32_t from, uint32_t to, bool has_pool)
{
    Emitter *e = n->e;
    LLVMPositionBuilderAtEnd(e->b, LLVMAppendBasicBlockInContext(e->context, c->function, "entry"));
    for (uint32_t k = from; k < to; k++) {
        const Uses *u = &n->plan->kernel[k].uses;
        for (uint32_t i = 0; i < u->n_buffers; i++) e->apart[u->buffer[i]] = u->apart[i];
        e->pool.here = has_pool && pool_wanted(e, &n->p->kernels[k]);
        emit_kernel(e, &n->p->kernels[k], n->plan->kernel[k].runs, c->function);
    }
    LLVMBuildRetVoid(e->b);
    if (has_pool) c->pool = pool_global(e);
}

/* Seen by the other shares, and by nobody else. */
static void show(LLVMValueRef global)
{
    LLVMSetLinkage(global, LLVMExternalLinkage);
    LLVMSetVisibility(global, LLVMHiddenVisibility);
}

/* A function of this share; or, where the entry is, what the entry needs to call one of another's. */
static void make_function(EntryEmitter *n, uint32_t from)
{
    Emitter *e = n->e;
    EmittedKernel *c = &n->callee[from];
    const PlannedKernel *plan = &n->plan->kernel[from];
    bool has_pool = wants_pool(n, from, plan->end), is_here = plan->share == e->share;
    c->function = kernel_function(n, function_name(n, from, plan->end), &plan->given, has_pool);
    if (is_here) fill_function(n, c, from, plan->end, has_pool);
    else if (has_pool) c->pool = LLVMAddGlobal(e->module, e->i8, "");
    if (!plan->share) return;
    show(c->function);
    if (!has_pool) return;
    const char *name = arena_printf(e->arena, "weft_constants.%u", from);
    LLVMSetValueName2(c->pool, name, strlen(name));
    show(c->pool);
}

static void make_functions(EntryEmitter *n)
{
    for (uint32_t k = 0; k < n->p->n_kernels; k++)
        if (n->plan->kernel[k].first == k) measure_kernel(n->e, &n->p->kernels[k], n->plan->kernel[k].runs);
    for (uint32_t k = 0; k < n->p->n_kernels; k = n->plan->kernel[k].end) {
        const PlannedKernel *plan = &n->plan->kernel[k];
        if (plan->first != k) n->callee[k] = n->callee[plan->first];
        else if (!n->e->share || plan->share == n->e->share) make_function(n, k);
    }
}

/* ---- addresses ---- */

static LLVMValueRef item_at(Emitter *e, LLVMValueRef list, LLVMValueRef at)
{
    return LLVMBuildLoad2(e->b, e->ptr, LLVMBuildGEP2(e->b, e->ptr, list, &at, 1, ""), "");
}

static LLVMValueRef item_of(Emitter *e, LLVMValueRef list, uint32_t index)
{
    return item_at(e, list, const_i64(e, index));
}

/* Of a buffer of b's kind: `at` is its place in a list, or in memory. */
static LLVMValueRef address_at(EntryEmitter *n, const Buffer *b, LLVMValueRef at)
{
    Emitter *e = n->e;
    bool own = b->kind == BUF_LOCAL && n->local;
    switch ((BufferKind)b->kind) {
    case BUF_INPUT:  return item_at(e, LLVMGetParam(n->function, 0), at);
    case BUF_OUTPUT: return item_at(e, LLVMGetParam(n->function, 1), at);
    case BUF_CONST:  return item_at(e, LLVMGetParam(n->function, 3), at);
    case BUF_TEMP:
    case BUF_LOCAL:  break;
    }
    LLVMValueRef memory = own        ? n->local
                          : b->index ? item_of(e, LLVMGetParam(n->function, 1), b->index - 1)
                                     : LLVMGetParam(n->function, 2);
    return LLVMBuildGEP2(e->b, e->i8, memory, &at, 1, "");
}

static LLVMValueRef first_address(EntryEmitter *n, uint32_t buffer)
{
    const Buffer *b = &n->p->buffers[buffer];
    int64_t temps = (int64_t)(n->p->scratch_bytes - n->p->local_bytes);
    bool own = b->kind == BUF_LOCAL && n->local;
    return address_at(n, b, const_i64(n->e, run_place(b) - (own ? temps : 0)));
}

/* Room for a list of addresses: on the stack, taken once. */
static LLVMValueRef address_list(EntryEmitter *n, uint32_t count)
{
    Emitter *e = n->e;
    LLVMBasicBlockRef now = block_now(e), first = LLVMGetEntryBasicBlock(n->function);
    LLVMPositionBuilder(e->b, first, LLVMGetFirstInstruction(first));
    LLVMValueRef list = LLVMBuildAlloca(e->b, LLVMArrayType2(e->ptr, count), "");
    LLVMPositionBuilderAtEnd(e->b, now);
    return list;
}

static LLVMValueRef slot_of(EntryEmitter *n, uint32_t buffer)
{
    return LLVMBuildGEP2(n->e->b, n->e->ptr, n->slots, &n->base[buffer], 1, "");
}

static LLVMValueRef address_now(EntryEmitter *n, uint32_t buffer)
{
    if (!n->base[buffer]) return first_address(n, buffer);
    return n->slots ? LLVMBuildLoad2(n->e->b, n->e->ptr, slot_of(n, buffer), "") : n->base[buffer];
}

static void set_address(EntryEmitter *n, uint32_t buffer, LLVMValueRef address)
{
    if (n->slots) LLVMBuildStore(n->e->b, address, slot_of(n, buffer));
    else n->base[buffer] = address;
}

static void note_base(EntryEmitter *n, uint32_t buffer)
{
    if (!n->base[buffer]) n->base[buffer] = first_address(n, buffer);
}

static void find_slots(EntryEmitter *n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n->p->n_buffers; i++) count += plan_swaps(n->plan, i);
    n->slots = address_list(n, count + 1);
    for (uint32_t i = 0; i < n->p->n_buffers; i++) {
        if (!plan_swaps(n->plan, i)) continue;
        LLVMValueRef address = first_address(n, i);
        n->base[i] = const_i64(n->e, --count);
        LLVMBuildStore(n->e->b, address, slot_of(n, i));
    }
}

static bool is_long(const EntryEmitter *n)
{
    uint32_t addresses = 0;
    for (uint32_t k = 0; k < n->p->n_kernels; k++)
        if (!n->plan->kernel[k].joined) addresses += n->plan->kernel[k].given.n_buffers;
    return n->p->n_steps > LONG_STEPS || addresses > LONG_ADDRESSES;
}

/* Addresses that step loops use are found ahead of all steps. */
static void find_bases(EntryEmitter *n)
{
    int depth = 0;
    if (is_long(n)) {
        find_slots(n);
        return;
    }
    for (uint32_t i = 0; i < n->p->n_buffers; i++)
        if (plan_swaps(n->plan, i)) note_base(n, i);
    for (uint32_t i = 0; i < n->p->n_steps; i++) {
        const ProgramStep *s = &n->p->steps[i];
        depth += s->kind == STEP_LOOP || s->kind == STEP_WHILE ? 1 : 0;
        if (s->kind == STEP_END && n->p->steps[s->opened].kind != STEP_CASE) depth--;
        if (depth && s->kind == STEP_KERNEL)
            for (uint32_t k = 0; k < n->plan->kernel[s->kernel].uses.n_buffers; k++)
                note_base(n, n->plan->kernel[s->kernel].uses.buffer[k]);
        if (depth && (s->kind == STEP_TEST || s->kind == STEP_CASE)) note_base(n, s->buffer);
    }
}

/* ---- steps ---- */

static void call_with(EntryEmitter *n, uint32_t kernel, LLVMValueRef *args, uint32_t k)
{
    const EmittedKernel *c = &n->callee[kernel];
    if (c->pool) args[k++] = c->pool;
    LLVMBuildCall2(n->e->b, LLVMGlobalGetValueType(c->function), c->function, args, k, "");
}

/* What a kernel's function takes for the address of its buffer number i: it is made for the first twin's
 * places. */
static LLVMValueRef address_given(EntryEmitter *n, uint32_t kernel, uint32_t i, LLVMValueRef address)
{
    const PlannedKernel *c = &n->plan->kernel[kernel];
    const Buffer *b = &n->p->buffers[c->given.buffer[i]];
    int64_t further = c->given.from[i] - n->plan->kernel[c->first].given.from[i];
    return further ? at_bytes(n->e, address, further * (int64_t)dtype_bytes((DType)b->dtype)) : address;
}

static void call_kernel(EntryEmitter *n, uint32_t kernel)
{
    const Uses *given = &n->plan->kernel[kernel].given;
    uint32_t k = 0;
    if (n->plan->kernel[kernel].joined) return;
    LLVMValueRef *args = arena_alloc(n->e->arena, (given->n_buffers + given->n_counters + 1) * sizeof *args);
    for (uint32_t i = 0; i < given->n_buffers; i++)
        args[k++] = address_given(n, kernel, i, address_now(n, given->buffer[i]));
    for (uint32_t i = 0; i < given->n_counters; i++) args[k++] = n->counter[given->counter[i]];
    call_with(n, kernel, args, k);
}

/* The call of one kernel in a run, which is that of another in the second turn. */
static void call_in_run(EntryEmitter *n, uint32_t kernel, uint32_t second, LLVMValueRef turn)
{
    Emitter *e = n->e;
    const Uses *now = &n->plan->kernel[kernel].given, *then = &n->plan->kernel[second].given;
    LLVMValueRef *args = arena_alloc(e->arena, (now->n_buffers + 1) * sizeof *args);
    for (uint32_t i = 0; i < now->n_buffers; i++) {
        const Buffer *b = &n->p->buffers[now->buffer[i]];
        int64_t by = run_place(&n->p->buffers[then->buffer[i]]) - run_place(b);
        LLVMValueRef more = LLVMBuildMul(e->b, turn, const_i64(e, by), ""),
                     at = LLVMBuildAdd(e->b, more, const_i64(e, run_place(b)), "");
        args[i] = address_given(n, kernel, i, by ? address_at(n, b, at) : address_now(n, now->buffer[i]));
    }
    call_with(n, kernel, args, now->n_buffers);
}

static LLVMValueRef numbers_global(Emitter *e, const int64_t *numbers, uint32_t count)
{
    LLVMValueRef *item = arena_alloc(e->arena, (count + 1) * sizeof *item);
    for (uint32_t i = 0; i < count; i++) item[i] = const_i64(e, numbers[i]);
    return private_global(e, "weft_numbers", LLVMConstArray2(e->i64, item, count));
}

/* So many times a number of counters. */
static LLVMValueRef number_now(EntryEmitter *n, Address a, int64_t times)
{
    Emitter *e = n->e;
    LLVMValueRef at = const_i64(e, a.offset * times);
    for (uint32_t k = 0; k < a.n_terms; k++) {
        LLVMValueRef by = const_i64(e, a.terms[k].coef * times);
        at = LLVMBuildAdd(e->b, at, LLVMBuildMul(e->b, n->counter[a.terms[k].of], by, ""), "");
    }
    return at;
}

/* The address that a call gets for its buffer number i: that of the element where its part begins. */
static LLVMValueRef part_address(EntryEmitter *n, const ProgramStep *s, uint32_t i)
{
    LLVMValueRef base = address_now(n, s->buffers[i]);
    if (!s->at || (!s->at[i].n_terms && !s->at[i].offset)) return base;
    int64_t bytes = (int64_t)dtype_bytes((DType)n->p->buffers[s->buffers[i]].dtype);
    LLVMValueRef at = number_now(n, s->at[i], bytes);
    return LLVMBuildGEP2(n->e->b, n->e->i8, base, &at, 1, "");
}

static void call_library(EntryEmitter *n, const ProgramStep *s)
{
    Emitter *e = n->e;
    LLVMTypeRef type = LLVMFunctionType(e->void_type, (LLVMTypeRef[]){ e->ptr, e->ptr, e->ptr }, 3, false);
    LLVMValueRef list = address_list(n, s->n_buffers), numbers = numbers_global(e, s->numbers, s->n_numbers);
    uint32_t rank = (uint32_t)__builtin_popcount(n->p->library & ((1u << s->function) - 1));
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        LLVMValueRef at = const_i64(e, i);
        LLVMBuildStore(e->b, part_address(n, s, i), LLVMBuildGEP2(e->b, e->ptr, list, &at, 1, ""));
    }
    LLVMValueRef function = item_of(e, LLVMGetParam(n->function, 3), n->p->n_consts + rank);
    LLVMBuildCall2(e->b, type, function, (LLVMValueRef[]){ list, numbers, LLVMGetParam(n->function, 4) }, 3,
                   "");
}

static LLVMValueRef load_first(EntryEmitter *n, LLVMTypeRef type, uint32_t buffer)
{
    return LLVMBuildLoad2(n->e->b, type, address_now(n, buffer), "");
}

static LLVMBasicBlockRef entry_block(EntryEmitter *n, const char *name)
{
    return LLVMAppendBasicBlockInContext(n->e->context, n->function, name);
}

static LLVMValueRef *bases_now(EntryEmitter *n)
{
    return arena_copy(n->e->arena, n->base, n->p->n_buffers * sizeof *n->base + 1);
}

/* Is the buffer's name given another meaning between these steps? */
static bool is_swapped_between(const EntryEmitter *n, uint32_t from, uint32_t to, uint32_t buffer)
{
    for (uint32_t i = from; !n->slots && plan_swaps(n->plan, buffer) && i < to; i++)
        if (n->p->steps[i].kind == STEP_SWAP &&
            (n->p->steps[i].buffer == buffer || n->p->steps[i].other == buffer))
            return true;
    return false;
}

static void emit_steps(EntryEmitter *n, uint32_t from, uint32_t to);

/* The next step that closes what `at` opened, or that begins its next branch. */
static uint32_t next_part(const EntryEmitter *n, uint32_t at, uint32_t opened)
{
    uint32_t i = at + 1;
    while (i < n->p->n_steps && !(n->p->steps[i].opened == opened &&
                                  (n->p->steps[i].kind == STEP_END || n->p->steps[i].kind == STEP_BRANCH)))
        i++;
    return i;
}

/* The first step of a kind that belongs to what `at` opened, or end. */
static uint32_t step_within(const EntryEmitter *n, uint32_t at, StepKind kind, uint32_t end)
{
    uint32_t i = at + 1;
    while (i < end && !(n->p->steps[i].kind == kind && n->p->steps[i].opened == at)) i++;
    return i;
}

/* LOOP and WHILE. A LOOP tests at its bottom; what a WHILE's names mean behind it is what they mean at its
 * TEST. */
static void emit_step_loop(EntryEmitter *n, uint32_t at, uint32_t end)
{
    Emitter *e = n->e;
    const ProgramStep *s = &n->p->steps[at];
    LLVMBasicBlockRef before = block_now(e), head = entry_block(n, "steps"), after = entry_block(n, "done");
    LLVMValueRef *phi = arena_alloc(e->arena, n->p->n_buffers * sizeof *phi + 1), zero = const_i64(e, 0),
                 *at_test = NULL;
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef counter = n->counter[s->counter] = LLVMBuildPhi(e->b, e->i64, "step");
    for (uint32_t i = 0; i < n->p->n_buffers; i++) {
        if (!is_swapped_between(n, at, end, i)) continue;
        phi[i] = LLVMBuildPhi(e->b, e->ptr, "");
        LLVMAddIncoming(phi[i], &n->base[i], &before, 1);
        n->base[i] = phi[i];
    }
    uint32_t test = s->kind == STEP_WHILE ? step_within(n, at, STEP_TEST, end) : end;
    emit_steps(n, at + 1, test);
    if (test < end) {
        LLVMBasicBlockRef on = entry_block(n, "on");
        LLVMValueRef more = load_first(n, e->i8, n->p->steps[test].buffer);
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, more, LLVMConstNull(e->i8), ""), on, after);
        LLVMPositionBuilderAtEnd(e->b, on);
        at_test = bases_now(n);
        emit_steps(n, test + 1, end);
    }
    LLVMBasicBlockRef last = block_now(e);
    LLVMValueRef next = hidden(e, LLVMBuildNUWAdd(e->b, counter, const_i64(e, 1), ""));
    if (s->kind == STEP_WHILE) LLVMBuildBr(e->b, head);
    else
        LLVMBuildCondBr(e->b, LLVMBuildICmp(e->b, LLVMIntNE, next, const_i64(e, s->extent), ""), head, after);
    LLVMAddIncoming(counter, (LLVMValueRef[]){ zero, next }, (LLVMBasicBlockRef[]){ before, last }, 2);
    for (uint32_t i = 0; i < n->p->n_buffers; i++)
        if (phi[i]) LLVMAddIncoming(phi[i], &n->base[i], &last, 1);
    if (at_test) n->base = at_test;
    LLVMMoveBasicBlockAfter(after, last);
    LLVMPositionBuilderAtEnd(e->b, after);
}

/* ---- pieces ---- */

/* Do the steps from .. to - 1 branch, or jump back? What a parallel loop holds is a function of its own. */
static bool has_control(const Program *p, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const ProgramStep *s = &p->steps[i];
        bool parallel = s->kind == STEP_END ? p->steps[s->opened].parallel : s->parallel;
        if (s->kind != STEP_KERNEL && !parallel) return true;
    }
    return false;
}

/* A function that is a list of calls is not worth LLVM's while. */
static void list_of_calls(Emitter *e, LLVMValueRef f)
{
    flag_attribute(e, f, LLVMAttributeFunctionIndex, "noinline");
    flag_attribute(e, f, LLVMAttributeFunctionIndex, "optnone");
}

static LLVMValueRef frame_item(Emitter *e, LLVMValueRef frame, uint32_t i)
{
    LLVMValueRef at = const_i64(e, i);
    return LLVMBuildGEP2(e->b, e->i64, frame, &at, 1, "");
}

/* The addresses of the buffers that are not LOCAL, then the counters of loops around. */
static LLVMValueRef frame_of(EntryEmitter *n, const Uses *u)
{
    Emitter *e = n->e;
    LLVMValueRef frame = address_list(n, u->n_buffers + u->n_counters);
    for (uint32_t i = 0; i < u->n_buffers; i++)
        if (n->p->buffers[u->buffer[i]].kind != BUF_LOCAL)
            LLVMBuildStore(e->b, address_now(n, u->buffer[i]), frame_item(e, frame, i));
    for (uint32_t i = 0; i < u->n_counters; i++)
        if (n->counter[u->counter[i]])
            LLVMBuildStore(e->b, n->counter[u->counter[i]], frame_item(e, frame, u->n_buffers + i));
    return frame;
}

static void read_frame(EntryEmitter *n, const Uses *u, const LLVMValueRef *counters)
{
    Emitter *e = n->e;
    LLVMValueRef frame = LLVMGetParam(n->function, 0);
    for (uint32_t i = 0; i < u->n_buffers; i++)
        n->base[u->buffer[i]] = n->p->buffers[u->buffer[i]].kind == BUF_LOCAL
                                    ? first_address(n, u->buffer[i])
                                    : LLVMBuildLoad2(e->b, e->ptr, frame_item(e, frame, i), "");
    for (uint32_t i = 0; i < u->n_counters; i++)
        if (counters[u->counter[i]])
            n->counter[u->counter[i]] =
                LLVMBuildLoad2(e->b, e->i64, frame_item(e, frame, u->n_buffers + i), "");
}

/* A PieceFn for the loop at step `at`. */
static LLVMValueRef piece_function(EntryEmitter *entry, uint32_t at, uint32_t end, const Uses *u)
{
    Emitter *e = entry->e;
    const Program *p = entry->p;
    LLVMTypeRef params[3] = { e->ptr, e->i64, e->ptr };
    LLVMBasicBlockRef here = block_now(e);
    EntryEmitter n = *entry;
    n.function = LLVMAddFunction(e->module, "weft_piece", LLVMFunctionType(e->void_type, params, 3, false));
    n.local = LLVMGetParam(n.function, 2);
    n.slots = NULL;
    n.base = arena_alloc(e->arena, p->n_buffers * sizeof *n.base + 1);
    n.counter = arena_alloc(e->arena, p->n_counters * sizeof *n.counter + 1);
    LLVMSetLinkage(n.function, LLVMInternalLinkage);
    function_attributes(e, n.function);
    if (!has_control(p, at + 1, end)) list_of_calls(e, n.function);
    LLVMPositionBuilderAtEnd(e->b, entry_block(&n, "entry"));
    read_frame(&n, u, entry->counter);
    n.counter[p->steps[at].counter] = LLVMGetParam(n.function, 1);
    emit_steps(&n, at + 1, end);
    LLVMBuildRetVoid(e->b);
    LLVMPositionBuilderAtEnd(e->b, here);
    return n.function;
}

static LLVMValueRef scratch_at(EntryEmitter *n, size_t offset)
{
    LLVMValueRef at = const_i64(n->e, (int64_t)offset);
    return LLVMBuildGEP2(n->e->b, n->e->i8, LLVMGetParam(n->function, 2), &at, 1, "");
}

static void swap_names(const EntryEmitter *n, uint32_t from, uint32_t to, uint32_t *now);

/* All that the loop swaps: what one iteration does, squared again and again. */
static void swap_in_loop(const EntryEmitter *n, uint32_t at, uint32_t end, uint32_t *now)
{
    uint32_t count = n->p->n_buffers;
    size_t bytes = count * sizeof *now;
    uint32_t *once = arena_alloc(n->e->arena, bytes + 1), *next = arena_alloc(n->e->arena, bytes + 1);
    for (uint32_t i = 0; i < count; i++) once[i] = i;
    swap_names(n, at + 1, end, once);
    for (int64_t runs = n->p->steps[at].extent; runs; runs /= 2) {
        for (uint32_t i = 0; i < count && runs % 2; i++) next[i] = now[once[i]];
        if (runs % 2) memcpy(now, next, bytes);
        for (uint32_t i = 0; i < count; i++) next[i] = once[once[i]];
        memcpy(once, next, bytes);
    }
}

/* now[i]: the buffer that name i stands for; after the steps from .. to - 1. */
static void swap_names(const EntryEmitter *n, uint32_t from, uint32_t to, uint32_t *now)
{
    for (uint32_t i = from; i < to; i++) {
        const ProgramStep *s = &n->p->steps[i];
        if (s->kind == STEP_SWAP) {
            uint32_t name = now[s->buffer];
            now[s->buffer] = now[s->other];
            now[s->other] = name;
        } else if (s->kind == STEP_LOOP) {
            uint32_t end = step_within(n, i, STEP_END, n->p->n_steps);
            swap_in_loop(n, i, end, now);
            i = end;
        }
    }
}

/* Each piece has swapped names of its own; here they mean the same from now on. */
static void swap_as_pieces(EntryEmitter *n, uint32_t at, uint32_t end)
{
    uint32_t count = n->p->n_buffers, *now = arena_alloc(n->e->arena, count * sizeof *now + 1);
    LLVMValueRef *means = arena_alloc(n->e->arena, count * sizeof *means + 1);
    for (uint32_t i = 0; i < count; i++) now[i] = i;
    swap_names(n, at + 1, end, now);
    for (uint32_t i = 0; i < count; i++)
        if (now[i] != i) means[i] = address_now(n, now[i]);
    for (uint32_t i = 0; i < count; i++)
        if (now[i] != i) set_address(n, i, means[i]);
}

static void emit_parallel(EntryEmitter *n, uint32_t at, uint32_t end)
{
    Emitter *e = n->e;
    const Program *p = n->p;
    const ProgramStep *s = &p->steps[at];
    const Uses *u = &n->plan->loop_uses[at];
    LLVMValueRef workers = LLVMGetParam(n->function, 4), run = LLVMBuildLoad2(e->b, e->ptr, workers, ""),
                 frame = frame_of(n, u), pieces = piece_function(n, at, end, u),
                 local = scratch_at(n, p->scratch_bytes - p->local_bytes),
                 numbers = numbers_global(e, (int64_t[]){ s->extent, (int64_t)p->local_bytes, s->cost }, 3);
    LLVMTypeRef params[5] = { e->ptr, e->ptr, e->ptr, e->ptr, e->ptr };
    LLVMBuildCall2(e->b, LLVMFunctionType(e->void_type, params, 5, false), run,
                   (LLVMValueRef[]){ workers, pieces, frame, local, numbers }, 5, "");
    if (has_control(p, at + 1, end)) swap_as_pieces(n, at, end);
}

/* ---- branches ---- */

/* Where branches come together, a name means what it meant in the one that ran. */
static void join_bases(EntryEmitter *n, LLVMValueRef **bases, LLVMBasicBlockRef *ends, uint32_t count)
{
    for (uint32_t i = 0; i < n->p->n_buffers; i++) {
        bool same = true;
        for (uint32_t k = 1; k < count; k++) same &= bases[k][i] == bases[0][i];
        if (same) continue;
        n->base[i] = LLVMBuildPhi(n->e->b, n->e->ptr, "");
        for (uint32_t k = 0; k < count; k++) LLVMAddIncoming(n->base[i], &bases[k][i], &ends[k], 1);
    }
}

static void emit_case(EntryEmitter *n, uint32_t at, uint32_t end)
{
    Emitter *e = n->e;
    uint32_t count = (uint32_t)n->p->steps[at].extent, branch = at;
    LLVMBasicBlockRef *begin = arena_alloc(e->arena, (count + 1) * sizeof *begin),
                      *ends = arena_alloc(e->arena, (count + 1) * sizeof *ends);
    LLVMValueRef **bases = arena_alloc(e->arena, (count + 1) * sizeof *bases), *before = bases_now(n);
    for (uint32_t k = 0; k < count; k++) begin[k] = entry_block(n, "branch");
    LLVMBasicBlockRef join = entry_block(n, "chosen");
    LLVMValueRef which =
        LLVMBuildSwitch(e->b, load_first(n, e->i32, n->p->steps[at].buffer), begin[count - 1], count - 1);
    for (uint32_t k = 0; k + 1 < count; k++) LLVMAddCase(which, LLVMConstInt(e->i32, k, false), begin[k]);
    for (uint32_t k = 0; k < count; k++) {
        uint32_t from = branch = next_part(n, branch, at), to = next_part(n, from, at);
        LLVMPositionBuilderAtEnd(e->b, begin[k]);
        n->base = arena_copy(e->arena, before, n->p->n_buffers * sizeof *before + 1);
        emit_steps(n, from + 1, to < end ? to : end);
        bases[k] = n->base;
        ends[k] = block_now(e);
        LLVMBuildBr(e->b, join);
    }
    n->base = bases_now(n);
    LLVMPositionBuilderAtEnd(e->b, join);
    LLVMMoveBasicBlockAfter(join, ends[count - 1]);
    join_bases(n, bases, ends, count);
}

static void emit_run(EntryEmitter *n, uint32_t from, CallRun run)
{
    Emitter *e = n->e;
    const ProgramStep *s = &n->p->steps[from];
    LLVMBasicBlockRef before = block_now(e), head = entry_block(n, "calls"), after = entry_block(n, "called");
    LLVMBuildBr(e->b, head);
    LLVMPositionBuilderAtEnd(e->b, head);
    LLVMValueRef turn = LLVMBuildPhi(e->b, e->i64, "turn");
    for (uint32_t k = 0; k < run.period; k++) call_in_run(n, s[k].kernel, s[k + run.period].kernel, turn);
    LLVMValueRef next = LLVMBuildNUWAdd(e->b, turn, const_i64(e, 1), ""),
                 more = LLVMBuildICmp(e->b, LLVMIntNE, next, const_i64(e, run.times), "");
    LLVMBuildCondBr(e->b, more, head, after);
    LLVMAddIncoming(turn, (LLVMValueRef[]){ const_i64(e, 0), next }, (LLVMBasicBlockRef[]){ before, head },
                    2);
    LLVMPositionBuilderAtEnd(e->b, after);
}

static void swap_bases(EntryEmitter *n, const ProgramStep *s)
{
    LLVMValueRef a = address_now(n, s->buffer), b = address_now(n, s->other);
    set_address(n, s->buffer, b);
    set_address(n, s->other, a);
}

/* ---- lists of steps ---- */

/* The end of the steps from `at` on that can be a function of their own: whole loops and branches, and none
 * that others need, as they do what is counted. */
static uint32_t list_end(const EntryEmitter *n, uint32_t at, uint32_t to)
{
    uint32_t end = at;
    while (end < to) {
        const ProgramStep *s = &n->p->steps[end];
        uint32_t next = 1 + (step_opens(s) ? step_within(n, end, STEP_END, n->p->n_steps) : end);
        if (s->kind == STEP_COUNT || next - at > MOST_STEPS) break;
        end = next;
    }
    return end;
}

static bool is_listed(const uint32_t *list, uint32_t count, uint32_t number)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == number) return true;
    return false;
}

static void note_counter(const EntryEmitter *n, uint32_t counter, uint32_t *list, uint32_t *count)
{
    if (n->counter[counter] && !is_listed(list, *count, counter)) list[(*count)++] = counter;
}

/* The counters of loops around that these steps read. Returns how many. */
static uint32_t counters_around(const EntryEmitter *n, uint32_t from, uint32_t to, uint32_t *list)
{
    uint32_t count = 0;
    for (const ProgramStep *s = &n->p->steps[from]; s < &n->p->steps[to]; s++) {
        uint32_t n_places = s->kind == STEP_COUNT ? 1 : s->kind == STEP_CALL && s->at ? s->n_buffers : 0;
        for (uint32_t i = 0; i < n_places; i++)
            for (uint32_t k = 0; k < s->at[i].n_terms; k++)
                note_counter(n, s->at[i].terms[k].of, list, &count);
        if (s->kind != STEP_KERNEL) continue;
        const Uses *given = &n->plan->kernel[s->kernel].given;
        for (uint32_t i = 0; i < given->n_counters; i++) note_counter(n, given->counter[i], list, &count);
    }
    return count;
}

/* The steps from .. to - 1 as a function, which is given what the entry is, its slots, and counters. */
static void emit_list(EntryEmitter *entry, uint32_t from, uint32_t to)
{
    Emitter *e = entry->e;
    EntryEmitter n = *entry;
    LLVMBasicBlockRef here = block_now(e);
    uint32_t k = 0, *counter = arena_alloc(e->arena, n.p->n_counters * sizeof *counter + 1),
             n_counters = counters_around(entry, from, to, counter);
    LLVMTypeRef *types = arena_alloc(e->arena, (ENTRY_PARAMS + 1 + n_counters) * sizeof *types);
    LLVMValueRef *args = arena_alloc(e->arena, (ENTRY_PARAMS + 1 + n_counters) * sizeof *args);
    for (; k < ENTRY_PARAMS; k++) args[k] = LLVMGetParam(entry->function, k);
    if (entry->slots) args[k++] = entry->slots;
    for (uint32_t i = 0; i < n_counters; i++) args[k++] = entry->counter[counter[i]];
    for (uint32_t i = 0; i < k; i++) types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(e->void_type, types, k, false);
    n.function = LLVMAddFunction(e->module, "weft_steps", type);
    LLVMSetLinkage(n.function, LLVMInternalLinkage);
    function_attributes(e, n.function);
    list_of_calls(e, n.function);
    if (entry->slots) n.slots = LLVMGetParam(n.function, ENTRY_PARAMS);
    for (uint32_t i = 0; i < n_counters; i++)
        n.counter[counter[i]] = LLVMGetParam(n.function, k - n_counters + i);
    LLVMPositionBuilderAtEnd(e->b, entry_block(&n, "entry"));
    emit_steps(&n, from, to);
    LLVMBuildRetVoid(e->b);
    LLVMPositionBuilderAtEnd(e->b, here);
    for (uint32_t i = 0; i < n_counters; i++) n.counter[counter[i]] = args[k - n_counters + i];
    LLVMBuildCall2(e->b, type, n.function, args, k, "");
}

static void emit_steps(EntryEmitter *n, uint32_t from, uint32_t to)
{
    bool cut = to - from > MOST_STEPS && !n->local;
    for (uint32_t i = from; i < to; i++) {
        const ProgramStep *s = &n->p->steps[i];
        uint32_t list = cut ? list_end(n, i, to) : i;
        if (list - i > LONG_STEPS) {
            emit_list(n, i, list);
            i = list - 1;
            continue;
        }
        CallRun run = n->local ? (CallRun){ 0 } : run_of_calls(n->plan, i, to);
        if (run.times) {
            emit_run(n, i, run);
            i += run.times * run.period - 1;
            continue;
        }
        uint32_t end = step_opens(s) ? step_within(n, i, STEP_END, n->p->n_steps) : i;
        switch ((StepKind)s->kind) {
        case STEP_KERNEL: call_kernel(n, s->kernel); break;
        case STEP_CALL:   call_library(n, s); break;
        case STEP_SWAP:   swap_bases(n, s); break;
        case STEP_COUNT:  n->counter[s->counter] = number_now(n, *s->at, 1); break;
        case STEP_WHILE:  emit_step_loop(n, i, end); break;
        case STEP_CASE:   emit_case(n, i, end); break;
        case STEP_LOOP:
            if (s->parallel) emit_parallel(n, i, end);
            else if (s->extent) emit_step_loop(n, i, end);
            break;
        case STEP_TEST:
        case STEP_BRANCH:
        case STEP_END:    break;
        }
        i = end;
    }
}

static void emit_entry(EntryEmitter *n)
{
    Emitter *e = n->e;
    const Program *p = n->p;
    LLVMTypeRef params[ENTRY_PARAMS] = { e->ptr, e->ptr, e->ptr, e->ptr, e->ptr },
                type = LLVMFunctionType(e->void_type, params, ENTRY_PARAMS, false);
    n->function = LLVMAddFunction(e->module, "weft_entry", type);
    function_attributes(e, n->function);
    if (is_long(n) || !has_control(p, 0, p->n_steps)) list_of_calls(e, n->function);
    LLVMPositionBuilderAtEnd(e->b, entry_block(n, "entry"));
    if (has_control(p, 0, p->n_steps)) {
        LLVMBasicBlockRef first = entry_block(n, "first");
        find_bases(n);
        LLVMBuildBr(e->b, first);
        LLVMPositionBuilderAtEnd(e->b, first);
    }
    for (uint32_t i = 0; i < p->n_kernels && !p->n_steps; i++) call_kernel(n, i);
    emit_steps(n, 0, p->n_steps);
    LLVMBuildRetVoid(e->b);
}

void emit_share(Emitter *e, const FunctionPlan *plan)
{
    const Program *p = e->program;
    EntryEmitter n = { .e = e, .p = p, .plan = plan };
    e->buffers = arena_alloc(e->arena, p->n_buffers * sizeof *e->buffers + 1);
    e->memory = program_memories(e->arena, p);
    e->there = arena_alloc(e->arena, p->n_buffers * sizeof *e->there + 1);
    e->apart = arena_alloc(e->arena, p->n_buffers * sizeof *e->apart + 1);
    e->counters = arena_alloc(e->arena, p->n_counters * sizeof *e->counters + 1);
    n.callee = arena_alloc(e->arena, p->n_kernels * sizeof *n.callee + 1);
    n.base = arena_alloc(e->arena, p->n_buffers * sizeof *n.base + 1);
    n.counter = arena_alloc(e->arena, p->n_counters * sizeof *n.counter + 1);
    make_functions(&n);
    if (!e->share) emit_entry(&n);
}
