/* values.c: types, constants, splats, shuffles, intrinsics: the small things that the emitter's parts are
 * written in. */
#include <string.h>
#include "emit.h"
#include "element/element.h"

LLVMTypeRef type_lanes(LLVMTypeRef element, uint32_t lanes)
{
    return lanes == 1 ? element : LLVMVectorType(element, lanes);
}

LLVMTypeRef type_element(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetElementType(t) : t;
}

uint32_t width_of(LLVMValueRef v) { return LLVMGetIntTypeWidth(type_element(LLVMTypeOf(v))); }

uint32_t lanes_of(LLVMValueRef v)
{
    LLVMTypeRef t = LLVMTypeOf(v);
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? LLVMGetVectorSize(t) : 1;
}

static LLVMTypeRef int_type(const Emitter *e, size_t bytes)
{
    return bytes == 1 ? e->i8 : bytes == 2 ? e->i16 : bytes == 4 ? e->i32 : e->i64;
}

LLVMTypeRef type_in_memory(const Emitter *e, DType t, uint32_t lanes)
{
    LLVMTypeRef element = t == WEFT_F32 ? e->f32 : t == WEFT_F64 ? e->f64 : int_type(e, dtype_bytes(t));
    return type_lanes(element, lanes);
}

LLVMTypeRef type_of(const Emitter *e, DType t, uint32_t lanes)
{
    return t == WEFT_BOOL ? type_lanes(e->i1, lanes) : type_in_memory(e, t, lanes);
}

/* Shared by every constant: a scalar becomes a vector of equal lanes. */
static LLVMValueRef const_splat(LLVMValueRef scalar, uint32_t lanes)
{
    LLVMValueRef lane[64];
    if (lanes == 1) return scalar;
    for (uint32_t i = 0; i < lanes; i++) lane[i] = scalar;
    return LLVMConstVector(lane, lanes);
}

LLVMValueRef const_like(const Emitter *e, LLVMValueRef like, uint64_t bits)
{
    LLVMTypeRef t = type_element(LLVMTypeOf(like));
    LLVMValueRef scalar;
    if (t == e->f32) scalar = LLVMConstBitCast(LLVMConstInt(e->i32, bits, false), t);
    else if (t == e->f64) scalar = LLVMConstBitCast(LLVMConstInt(e->i64, bits, false), t);
    else scalar = LLVMConstInt(t, bits, false);
    return const_splat(scalar, lanes_of(like));
}

LLVMValueRef sign_like(const Emitter *e, LLVMValueRef like)
{
    return const_like(e, like, UINT64_C(1) << (width_of(like) - 1));
}

LLVMValueRef number_like(const Emitter *e, LLVMValueRef like, double v)
{
    bool single = type_element(LLVMTypeOf(like)) == e->f32;
    return const_like(e, like, scalar_from_double(single ? WEFT_F32 : WEFT_F64, v));
}

LLVMValueRef const_bits(const Emitter *e, DType t, uint64_t bits, uint32_t lanes)
{
    LLVMTypeRef type = type_of(e, t, 1);
    if (t == WEFT_BOOL) bits = bits != 0;
    LLVMValueRef scalar = LLVMConstInt(dtype_is_float(t) ? int_type(e, dtype_bytes(t)) : type, bits, false);
    return const_splat(dtype_is_float(t) ? LLVMConstBitCast(scalar, type) : scalar, lanes);
}

LLVMValueRef const_i64(const Emitter *e, int64_t v) { return LLVMConstInt(e->i64, (uint64_t)v, true); }

LLVMValueRef const_mask(const Emitter *e, uint32_t live, uint32_t lanes)
{
    LLVMValueRef lane[64];
    for (uint32_t i = 0; i < lanes; i++) lane[i] = LLVMConstInt(e->i1, i < live, false);
    return lanes == 1 ? lane[0] : LLVMConstVector(lane, lanes);
}

LLVMValueRef constant_lane(LLVMValueRef v)
{
    if (!LLVMIsConstant(v)) return NULL;
    uint32_t lanes = lanes_of(v);
    LLVMValueRef first = lanes == 1 ? v : LLVMGetAggregateElement(v, 0);
    for (uint32_t i = 1; i < lanes && first; i++)
        if (LLVMGetAggregateElement(v, i) != first) return NULL;
    return first;
}

LLVMValueRef private_global(Emitter *e, const char *name, LLVMValueRef value)
{
    LLVMValueRef global = LLVMAddGlobal(e->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(global, value);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(global, true);
    return global;
}

LLVMValueRef private_constant(Emitter *e, const char *name, LLVMValueRef value)
{
    LLVMValueRef global = private_global(e, name, value);
    LLVMSetAlignment(global, 64);
    return global;
}

LLVMValueRef shuffle(Emitter *e, LLVMValueRef a, LLVMValueRef b, const int *lane, uint32_t n)
{
    LLVMValueRef index[64];
    for (uint32_t i = 0; i < n; i++) index[i] = LLVMConstInt(e->i32, (uint64_t)lane[i], false);
    return LLVMBuildShuffleVector(e->b, a, b ? b : LLVMGetPoison(LLVMTypeOf(a)), LLVMConstVector(index, n),
                                  "");
}

LLVMValueRef splat(Emitter *e, LLVMValueRef scalar, uint32_t lanes)
{
    if (lanes == 1) return scalar;
    if (LLVMIsConstant(scalar)) return const_splat(scalar, lanes);
    LLVMTypeRef t = LLVMVectorType(LLVMTypeOf(scalar), lanes);
    LLVMValueRef one =
        LLVMBuildInsertElement(e->b, LLVMGetPoison(t), scalar, LLVMConstInt(e->i32, 0, false), "");
    return LLVMBuildShuffleVector(e->b, one, LLVMGetPoison(t), LLVMConstNull(LLVMVectorType(e->i32, lanes)),
                                  "");
}

/* Puts the builder behind v's definition: a value made there can be used wherever v can. */
static void builder_behind(Emitter *e, LLVMValueRef v)
{
    LLVMValueRef next;
    LLVMBasicBlockRef block;
    if (LLVMIsAInstruction(v)) {
        next = LLVMGetNextInstruction(v);
        block = LLVMGetInstructionParent(v);
    } else {
        block = LLVMGetEntryBasicBlock(e->function);
        next = LLVMGetFirstInstruction(block);
    }
    while (next && LLVMGetInstructionOpcode(next) == LLVMPHI) next = LLVMGetNextInstruction(next);
    if (next) LLVMPositionBuilderBefore(e->b, next);
    else LLVMPositionBuilderAtEnd(e->b, block);
}

/* A value made from another right behind its definition: splats, and narrow floats widened to f32. */
typedef struct Derived {
    LLVMValueRef from, made;
    uint32_t kind;
} Derived;

static Derived *derived_slot(Emitter *e, LLVMValueRef from, uint32_t kind)
{
    uint64_t hash =
        ((uint64_t)(uintptr_t)from >> 4) * 0x9e3779b97f4a7c15u ^ (uint64_t)kind * 0xff51afd7ed558ccdu;
    for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
        Derived *d = &e->derived[i & (e->derived_size - 1)];
        if (!d->from || (d->from == from && d->kind == kind)) return d;
    }
}

static void derived_grow(Emitter *e)
{
    Derived *old = e->derived;
    uint32_t n = e->derived_size;
    e->derived_size = n ? 2 * n : 256;
    e->derived = arena_alloc(e->arena, e->derived_size * sizeof *old);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].from) *derived_slot(e, old[i].from, old[i].kind) = old[i];
}

LLVMValueRef derive(Emitter *e, LLVMValueRef from, uint32_t kind, DeriveFn *make)
{
    if (LLVMIsConstant(from)) return make(e, from, kind);
    if (2 * e->n_derived >= e->derived_size) derived_grow(e);
    Derived *d = derived_slot(e, from, kind);
    if (d->from) return d->made;
    LLVMBasicBlockRef block = block_now(e);
    bool aside = e->aside;
    builder_behind(e, from);
    e->aside = true;
    LLVMValueRef made = make(e, from, kind);
    e->aside = aside;
    LLVMPositionBuilderAtEnd(e->b, block);
    d = derived_slot(e, from, kind);
    *d = (Derived){ from, made, kind };
    e->n_derived++;
    return made;
}

LLVMValueRef splat_shared(Emitter *e, LLVMValueRef scalar, uint32_t lanes)
{
    return lanes == 1 ? scalar : derive(e, scalar, lanes, splat);
}

LLVMValueRef intrinsic(Emitter *e, const char *name, LLVMTypeRef *types, unsigned n_types, LLVMValueRef *args,
                       unsigned n_args)
{
    LLVMValueRef f =
        LLVMGetIntrinsicDeclaration(e->module, LLVMLookupIntrinsicID(name, strlen(name)), types, n_types);
    return LLVMBuildCall2(e->b, LLVMGlobalGetValueType(f), f, args, n_args, "");
}

/* The same number, of which LLVM does not know that it counts a loop: it would look for other addresses than
 * those that the loop has been given (address.c), which is a sixth of the time to compile, a quarter of
 * a product's, and the code is no faster for it. Code generation drops what is expected. */
LLVMValueRef hidden(Emitter *e, LLVMValueRef next)
{
    return intrinsic(e, "llvm.expect", &e->i64, 1, (LLVMValueRef[]){ next, const_i64(e, 0) }, 2);
}

LLVMValueRef intrinsic1(Emitter *e, const char *name, LLVMValueRef a)
{
    return intrinsic(e, name, (LLVMTypeRef[]){ LLVMTypeOf(a) }, 1, &a, 1);
}

LLVMValueRef opaque(Emitter *e, LLVMValueRef v)
{
    LLVMTypeRef type = LLVMTypeOf(v);
    if (lanes_of(v) == 1 || LLVMIsConstant(v)) return v;
    if (LLVMGetTypeKind(type_element(type)) != LLVMIntegerTypeKind)
        return intrinsic1(e, "llvm.arithmetic.fence", v);
    uint32_t bits = lanes_of(v) * width_of(v);
    if (bits % 32) return v;
    bool narrow = bits % 64 || width_of(v) == 32;
    LLVMTypeRef floats = narrow ? type_lanes(e->f32, bits / 32) : type_lanes(e->f64, bits / 64);
    LLVMValueRef behind = intrinsic1(e, "llvm.arithmetic.fence", LLVMBuildBitCast(e->b, v, floats, ""));
    return LLVMBuildBitCast(e->b, behind, type, "");
}

LLVMValueRef intrinsic2(Emitter *e, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    return intrinsic(e, name, (LLVMTypeRef[]){ LLVMTypeOf(a) }, 1, (LLVMValueRef[]){ a, b }, 2);
}

LLVMValueRef any_lane(Emitter *e, LLVMValueRef mask)
{
    uint32_t lanes = lanes_of(mask);
    if (lanes == 1) return mask;
    LLVMValueRef bits = LLVMBuildBitCast(e->b, mask, LLVMIntTypeInContext(e->context, lanes), "");
    return LLVMBuildICmp(e->b, LLVMIntNE, bits, LLVMConstNull(LLVMTypeOf(bits)), "");
}

void rarely(Emitter *e, LLVMValueRef branch)
{
    LLVMMetadataRef words[3] = { LLVMMDStringInContext2(e->context, "branch_weights", 14),
                                 LLVMValueAsMetadata(LLVMConstInt(e->i32, 1, false)),
                                 LLVMValueAsMetadata(LLVMConstInt(e->i32, 2000, false)) };
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(e->context, "prof", 4),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, words, 3)));
}
