/* inside.c: bodies of loops whose indices are data, twice. A number that says where to read is counted from
 * the end if it is negative and moved into the array, and what was read is replaced if it was outside: eight
 * ops an index, for nothing as a rule. So the indices are loaded first, and one comparison asks whether all
 * of them are inside. If they are, in the first of the two versions, these ops are known: a test holds, a
 * choice is one of its sides, a number within limits is itself.
 */
#include "emit.h"
#include "access/access.h"

enum {
    MOST_INDICES = 4,
    LEAST_KNOWN = 4, /* ops for each index that are known if it is inside */
    MOST_STMTS = 128 /* of a body, times the vectors of its tile */
};

/* What a statement is if all indices are inside. */
typedef enum KnownKind { KNOWN_NOT, KNOWN_FALSE, KNOWN_TRUE, KNOWN_AS } KnownKind;
typedef struct Known {
    uint8_t kind;
    bool is_index; /* it is an int from 0 to last */
    Val as;        /* KNOWN_AS: the statement that has its value */
    int64_t last;
} Known;

/* Of a loop: the loads in its body that are indices, and the last place that each may name. */
typedef struct Inside {
    uint32_t n;
    Val index[MOST_INDICES];
    int64_t last[MOST_INDICES];
} Inside;

static const Stmt *op_at(const Kernel *k, Val v, Op op)
{
    return v != VAL_NONE && k->stmts[v].kind == ST_OP && k->stmts[v].op == op ? &k->stmts[v] : NULL;
}

static bool is_number(const Kernel *k, Val v, int64_t *number)
{
    const Stmt *s = v == VAL_NONE ? NULL : &k->stmts[v];
    if (!s || s->kind != ST_CONST || !dtype_is_int((DType)s->dtype)) return false;
    *number = scalar_to_i64((DType)s->dtype, s->imm);
    return *number >= 0;
}

/* ---- which are indices ---- */

/* x of (x < 0 ? x + n : x), which is x if that is not negative. */
static Val counted_from(const Kernel *k, Val of)
{
    const Stmt *s = op_at(k, of, OP_SELECT), *test = s ? op_at(k, s->args[0], OP_COMPARE) : NULL;
    int64_t zero;
    bool counts = test && test->attr[0] == CMP_LT && dtype_is_signed((DType)s->dtype) &&
                  test->args[0] == s->args[2] && is_number(k, test->args[1], &zero) && zero == 0;
    return counts ? s->args[2] : of;
}

/* Is it a number that is kept from 0 to `last`? */
static bool is_limited(const Kernel *k, Val at, Val *of, int64_t *last)
{
    const Stmt *min = op_at(k, at, OP_MIN), *max = min ? op_at(k, min->args[0], OP_MAX) : NULL;
    int64_t zero;
    if (!max || !is_number(k, max->args[1], &zero) || zero || !is_number(k, min->args[1], last)) return false;
    *of = counted_from(k, max->args[0]);
    return min->dtype == WEFT_I32 || min->dtype == WEFT_I64;
}

static bool is_plain_load(const Emitter *e, Val v, Val first, Val end)
{
    const Stmt *s = &e->kernel->stmts[v];
    return v >= first && s->kind == ST_LOAD && s->args[0] == VAL_NONE && !has_data(e, s->address) &&
           e->program->buffers[s->buffer].dtype == s->dtype && !is_stored(e, s->buffer, first, end) &&
           !e->moved[v] && !e->alike[v] && !e->pixels[v];
}

static void add_index(Inside *in, Val of, int64_t last)
{
    uint32_t i = 0;
    while (i < in->n && in->index[i] != of) i++;
    if (i == MOST_INDICES) return;
    if (i == in->n) in->index[in->n++] = of, in->last[i] = last;
    if (last < in->last[i]) in->last[i] = last;
}

/* ---- what is known then ---- */

static Known truth(bool holds) { return (Known){ .kind = holds ? KNOWN_TRUE : KNOWN_FALSE }; }

static Known same_as(const Known *known, Val v)
{
    Known k = known[v];
    if (k.kind != KNOWN_NOT) return k;
    k.kind = KNOWN_AS;
    k.as = v;
    return k;
}

static Known known_test(const Kernel *k, const Known *known, const Stmt *s)
{
    bool less = s->attr[0] == CMP_LT;
    int64_t c;
    if ((!less && s->attr[0] != CMP_GE) || !known[s->args[0]].is_index || !is_number(k, s->args[1], &c))
        return (Known){ .kind = KNOWN_NOT };
    return c == 0 ? truth(!less) : known[s->args[0]].last < c ? truth(less) : (Known){ .kind = KNOWN_NOT };
}

static Known known_op(const Kernel *k, const Known *known, const Stmt *s)
{
    static const Known no = { .kind = KNOWN_NOT };
    const Known *x = &known[s->args[0]], *y = s->args[1] == VAL_NONE ? &no : &known[s->args[1]];
    int64_t c;
    switch ((Op)s->op) {
    case OP_COMPARE: return known_test(k, known, s);
    case OP_SELECT:
        return x->kind == KNOWN_TRUE    ? same_as(known, s->args[1])
               : x->kind == KNOWN_FALSE ? same_as(known, s->args[2])
                                        : no;
    case OP_AND:
        if (s->dtype != WEFT_BOOL) return no;
        if (x->kind == KNOWN_FALSE || y->kind == KNOWN_FALSE) return truth(false);
        return x->kind == KNOWN_TRUE   ? same_as(known, s->args[1])
               : y->kind == KNOWN_TRUE ? same_as(known, s->args[0])
                                       : no;
    case OP_NOT: return x->kind == KNOWN_TRUE ? truth(false) : x->kind == KNOWN_FALSE ? truth(true) : no;
    case OP_MAX:
        return x->is_index && is_number(k, s->args[1], &c) && c == 0 ? same_as(known, s->args[0]) : no;
    case OP_MIN:
        return x->is_index && is_number(k, s->args[1], &c) && x->last <= c ? same_as(known, s->args[0]) : no;
    case OP_BITCAST:
    case OP_CONVERT:
        if (!dtype_is_int((DType)s->dtype) || dtype_bytes((DType)s->dtype) < 4 || x->last > INT32_MAX)
            return no;
        return (Known){ .kind = KNOWN_NOT, .is_index = x->is_index, .last = x->last };
    default: return no;
    }
}

/* The loop's indices; NULL: none, or it does not pay. */
static const Inside *find_inside_loop(Emitter *e, Val loop, Val end)
{
    const Kernel *k = e->kernel;
    Inside in = { .n = 0 };
    uint32_t n_known = 0;
    if ((int64_t)(end - loop) * k->stmts[loop].tile > MOST_STMTS || k->stmts[loop].extent == EXTENT_WHILE)
        return NULL;
    for (Val v = loop + 1; v < end; v++) {
        Val of;
        int64_t last;
        StmtKind kind = (StmtKind)k->stmts[v].kind;
        if (kind == ST_SET || kind == ST_PREFIX) return NULL;
        if (is_limited(k, v, &of, &last) && is_plain_load(e, of, loop + 1, end)) add_index(&in, of, last);
    }
    if (!in.n) return NULL;
    for (uint32_t i = 0; i < in.n; i++)
        e->known[in.index[i]] = (Known){ .kind = KNOWN_NOT, .is_index = true, .last = in.last[i] };
    for (Val v = loop + 1; v < end; v++) {
        if (k->stmts[v].kind == ST_OP && !e->alike[v]) e->known[v] = known_op(k, e->known, &k->stmts[v]);
        n_known += e->known[v].kind != KNOWN_NOT;
    }
    return n_known >= LEAST_KNOWN * in.n ? arena_copy(e->arena, &in, sizeof in) : NULL;
}

/* The end of a loop in whose body no loop runs more than once; else VAL_NONE. */
static Val body_end(const Emitter *e, Val loop)
{
    for (Val v = loop + 1; v < e->ends[loop]; v++) {
        const Stmt *s = &e->kernel->stmts[v];
        if (s->kind == ST_TEST || (s->kind == ST_LOOP && s->extent != 1)) return VAL_NONE;
    }
    return e->ends[loop];
}

void find_inside(Emitter *e)
{
    const Kernel *k = e->kernel;
    e->known = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof *e->known);
    e->inside = arena_alloc(e->arena, (k->n_stmts + 1) * sizeof *e->inside);
    e->all_inside = e->may_be_outside = false;
    for (Val v = 0; v < k->n_stmts; v++) {
        Val end = k->stmts[v].kind == ST_LOOP ? body_end(e, v) : VAL_NONE;
        if (end != VAL_NONE) e->inside[v] = find_inside_loop(e, v, end);
    }
}

bool holds_inside(const Emitter *e, Val condition)
{
    return e->all_inside && e->known[condition].kind == KNOWN_TRUE;
}

/* ---- emitting ---- */

bool emit_known(Emitter *e, Val at)
{
    const Known *known = &e->known[at];
    if (!e->all_inside || known->kind == KNOWN_NOT) return false;
    if (known->kind == KNOWN_AS) e->values[at] = *value_of(e, known->as);
    else value_new(e, at, WEFT_BOOL, 0)->part[0] = LLVMConstInt(e->i1, known->kind == KNOWN_TRUE, false);
    return true;
}

/* Masks of as many lanes are one test. */
static LLVMValueRef any_outside(Emitter *e, const Inside *in)
{
    LLVMValueRef any = NULL, mask = NULL;
    for (uint32_t i = 0; i < in->n; i++) {
        Value *v = value_of(e, in->index[i]);
        for (uint32_t p = 0; p < v->n; p++) {
            LLVMValueRef part = v->part[p], last = const_like(e, part, (uint64_t)in->last[i]),
                         o = LLVMBuildICmp(e->b, LLVMIntUGT, part, last, "");
            if (mask && LLVMTypeOf(mask) == LLVMTypeOf(o)) {
                mask = LLVMBuildOr(e->b, mask, o, "");
                continue;
            }
            if (mask) any = any ? LLVMBuildOr(e->b, any, any_lane(e, mask), "") : any_lane(e, mask);
            mask = o;
        }
    }
    return any ? LLVMBuildOr(e->b, any, any_lane(e, mask), "") : any_lane(e, mask);
}

/* What variables are at the end of each version, and where that is. */
typedef struct Version {
    LLVMBasicBlockRef end;
    LLVMValueRef **now; /* of each variable that the body changes */
} Version;

static Version emit_version(Emitter *e, Val loop, const Joined *joined, uint32_t n, bool all_inside)
{
    Version made = { .now = arena_alloc(e->arena, (n + 1) * sizeof *made.now) };
    e->all_inside = all_inside;
    e->may_be_outside = !all_inside;
    for (uint32_t k = 0; k < n; k++) joined_load(e, &joined[k], joined[k].phi);
    emit_range(e, loop + 1, e->ends[loop]);
    for (uint32_t k = 0; k < n; k++) made.now[k] = joined[k].var->now;
    e->all_inside = e->may_be_outside = false;
    made.end = block_now(e);
    return made;
}

static void join_versions(Emitter *e, const Joined *joined, uint32_t n, const Version made[2])
{
    for (uint32_t k = 0; k < n; k++) {
        const Joined *j = &joined[k];
        for (uint32_t i = 0; i < j->var->n_slots; i++) {
            LLVMValueRef value[] = { made[0].now[k][i], made[1].now[k][i] };
            j->phi[i] = value[0];
            if (value[0] == value[1]) continue;
            j->phi[i] = LLVMBuildPhi(e->b, LLVMTypeOf(value[0]), "");
            LLVMAddIncoming(j->phi[i], value, (LLVMBasicBlockRef[]){ made[0].end, made[1].end }, 2);
        }
        joined_load(e, j, j->phi);
    }
}

bool emit_body_inside(Emitter *e, Val loop)
{
    const Inside *in = e->inside[loop];
    const OpenLoop *l = &e->loops[e->depth - 1];
    Joined *joined;
    Version made[2];
    bool is_rest = l->is_fixed && (l->live || e->kernel->stmts[loop].extent != (int64_t)l->lanes * l->tile);
    if (!in || is_rest || l->walk || e->active.axes || e->all_inside || e->may_be_outside) return false;
    for (uint32_t i = 0; i < in->n; i++) emit_load(e, in->index[i]);
    uint32_t n = joined_begin(e, loop, &joined);
    for (uint32_t k = 0; k < n; k++) joined_save(&joined[k], joined[k].phi);
    LLVMBasicBlockRef all = block_new(e, "inside"), some = block_new(e, "outside"),
                      join = block_new(e, "join"), now = block_now(e);
    rarely(e, LLVMBuildCondBr(e->b, any_outside(e, in), some, all));
    block_go_on(e, all, now);
    made[0] = emit_version(e, loop, joined, n, true);
    LLVMBuildBr(e->b, join);
    block_go_on(e, some, made[0].end);
    made[1] = emit_version(e, loop, joined, n, false);
    block_enter(e, join);
    join_versions(e, joined, n, made);
    return true;
}

/* It was loaded ahead of both versions. */
bool is_loaded_ahead(const Emitter *e, Val at)
{
    return (e->all_inside || e->may_be_outside) && e->known[at].is_index &&
           e->kernel->stmts[at].kind == ST_LOAD;
}
