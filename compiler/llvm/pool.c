/* pool.c: constants in memory.
 *
 * LLVM moves vector constants out of loops, all of them, and then has no registers left: with more constants
 * than registers the allocator's work grows eightfold (measured: 9 us an op with 16 constants, 35 to 130 with
 * 37) and the code spills. So in kernels with many, constants are loaded where they are used, by way of a
 * pointer that LLVM cannot see through. Such a load folds into the instruction that uses it: one element with
 * AVX-512, which broadcasts it, and a whole vector elsewhere.
 */
#include <string.h>
#include "emit.h"
#include "element/element.h"

/* ---- is one wanted? ---- */

enum { COUNT_UP_TO = 64 };
typedef struct Distinct {
    uint64_t bits[COUNT_UP_TO];
    uint32_t n;
} Distinct;

static void note(Distinct *d, uint64_t bits)
{
    if (!bits || d->n == COUNT_UP_TO) return;
    for (uint32_t i = 0; i < d->n; i++)
        if (d->bits[i] == bits) return;
    d->bits[d->n++] = bits;
}

static void note_recipe(Emitter *e, const Kernel *k, Distinct *d, const Stmt *s, DType t)
{
    DType in = compute_type(t);
    const Recipe *r = recipe_exists((Op)s->op, in) ? recipe_for(e, k, s, in) : NULL;
    for (uint32_t i = 0; r && i < r->n_steps; i++)
        if (!r->step[i].guard && r->step[i].op == OP_CONSTANT) note(d, r->step[i].imm);
}

static bool has_lanes(const Kernel *k)
{
    for (uint32_t i = 0; i < k->n_stmts; i++)
        if (k->stmts[i].kind == ST_LOOP && k->stmts[i].lanes > 1) return true;
    return false;
}

bool pool_wanted(Emitter *e, const Kernel *k)
{
    Distinct d = { .n = 0 };
    if (!has_lanes(k)) return false;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        if (s->kind == ST_CONST) note(&d, s->imm);
        if (s->kind == ST_OP) note_recipe(e, k, &d, s, (DType)k->stmts[s->args[0]].dtype);
    }
    return d.n > e->target->vector_registers * 3u / 4;
}

/* ---- entries ---- */

typedef struct PoolEntry {
    uint64_t bits;
    uint32_t bytes, times, offset; /* the element's bytes, so many times */
} PoolEntry;

static bool constant_bits(LLVMValueRef v, Emitter *e, uint64_t *bits)
{
    LLVMBool loses;
    if (!LLVMIsAConstantInt(v) && !LLVMIsAConstantFP(v)) return false;
    if (LLVMIsAConstantInt(v)) {
        *bits = LLVMConstIntGetZExtValue(v);
        return true;
    }
    double d = LLVMConstRealGetDouble(v, &loses);
    if (d != d) return false;
    *bits = scalar_from_double(LLVMTypeOf(v) == e->f32 ? WEFT_F32 : WEFT_F64, d);
    return true;
}

/* The element of a vector of equal constants that is worth a load, or NULL. */
static LLVMValueRef splat_element(LLVMValueRef v)
{
    return lanes_of(v) == 1 || LLVMIsNull(v) ? NULL : constant_lane(v);
}

/* Every use has an entry of its own: loads of one address would be merged and the constant held in a
 * register, or spilled. */
static uint32_t entry_offset(Emitter *e, uint64_t bits, uint32_t bytes, uint32_t times)
{
    Pool *p = &e->pool;
    uint32_t size = bytes * times;
    p->bytes = (p->bytes + size - 1) & ~(size - 1);
    ARENA_PUSH(e->arena, p->entry, p->n, p->capacity) = (PoolEntry){ bits, bytes, times, p->bytes };
    p->bytes += size;
    return p->bytes - size;
}

/* The vector as often as the lanes ask for: its copies share one register. */
static LLVMValueRef repeated(Emitter *e, LLVMValueRef v, uint32_t lanes)
{
    int lane[64];
    for (uint32_t i = 0; i < lanes; i++) lane[i] = (int)(i % lanes_of(v));
    return lanes_of(v) == lanes ? v : shuffle(e, v, NULL, lane, lanes);
}

static LLVMValueRef found(const Pool *p, LLVMValueRef constant)
{
    for (uint32_t i = 0; i < p->n_shared; i++)
        if (p->shared[i][0] == constant) return p->shared[i][1];
    return NULL;
}

static LLVMValueRef keep(Pool *p, LLVMValueRef constant, LLVMValueRef loaded)
{
    if (p->sharing && p->n_shared < MAX_SHARED) {
        p->shared[p->n_shared][0] = constant;
        p->shared[p->n_shared++][1] = loaded;
    }
    return loaded;
}

void pool_share(Emitter *e) { e->pool.sharing = true; }
void pool_unshare(Emitter *e)
{
    e->pool.sharing = false;
    e->pool.n_shared = 0;
}

LLVMValueRef pooled(Emitter *e, LLVMValueRef v)
{
    uint64_t bits;
    LLVMValueRef before = found(&e->pool, v);
    if (before) return before;
    LLVMValueRef element = e->pool.here && v && LLVMIsConstant(v) ? splat_element(v) : NULL;
    if (!element || !constant_bits(element, e, &bits)) return v;
    LLVMTypeRef type = LLVMTypeOf(element);
    uint32_t bytes = type == e->f64 || type == e->i64 ? 8 : type == e->f32 || type == e->i32 ? 4 : 0;
    if (!bytes) return v;
    uint32_t lanes = lanes_of(v), whole = e->target->vector_bytes / bytes,
             times = !e->is_x86 || e->has_avx512 ? 1
                     : lanes < whole             ? lanes
                                                 : whole;
    LLVMValueRef by = const_i64(e, entry_offset(e, bits, bytes, times));
    LLVMValueRef at = LLVMBuildGEP2(e->b, e->i8, e->pool.base, &by, 1, "");
    LLVMValueRef loaded = LLVMBuildLoad2(e->b, type_lanes(type, times), at, "");
    LLVMSetAlignment(loaded, bytes * times);
    return keep(&e->pool, v, times == 1 ? splat(e, loaded, lanes) : repeated(e, loaded, lanes));
}

LLVMValueRef pool_global(Emitter *e)
{
    const Pool *p = &e->pool;
    uint32_t size = (p->bytes + 64) & ~63u;
    char *bytes = arena_alloc(e->arena, size + 1);
    for (uint32_t i = 0; i < p->n; i++)
        for (uint32_t k = 0; k < p->entry[i].times; k++)
            memcpy(bytes + p->entry[i].offset + k * p->entry[i].bytes, &p->entry[i].bits, p->entry[i].bytes);
    return private_constant(e, "weft_constants", LLVMConstStringInContext2(e->context, bytes, size, true));
}
