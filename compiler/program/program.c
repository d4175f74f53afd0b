/* program.c: fused programs as text, and the check of their rules between fuse and the back end. */
#include "program_parts.h"

enum { MAX_LOOPS = 24 }; /* around one statement; the back end's limit too */

/* ---- text ---- */

void program_indent(Printer *p) { text_printf(&p->text, "%*s", 2 * p->depth, ""); }

/* Loops are i, j, k ... by depth, so that addresses read like formulas. */
static char loop_letter(const Kernel *k, Val loop)
{
    int depth = 0;
    for (Val i = 0; i < loop; i++)
        depth += k->stmts[i].kind == ST_LOOP ? 1 : k->stmts[i].kind == ST_END ? -1 : 0;
    return "ijklmnopqrstuvwxyzabcdefgh"[depth % 26];
}

static void print_val(Printer *p, Val v)
{
    if (v == VAL_NONE || v >= p->kernel->n_stmts) text_printf(&p->text, "?");
    else if (p->kernel->stmts[v].kind == ST_LOOP) text_printf(&p->text, "%c", loop_letter(p->kernel, v));
    else text_printf(&p->text, "v%u", (unsigned)v);
}

static void print_address(Printer *p, const Address *a)
{
    bool first = true;
    for (uint32_t i = 0; i < a->n_terms; i++, first = false) {
        int64_t coef = a->terms[i].coef;
        if (!first) text_printf(&p->text, coef < 0 ? " - " : " + ");
        if (first && coef < 0) text_printf(&p->text, "-");
        if (coef != 1 && coef != -1) text_printf(&p->text, "%lld ", (long long)(coef < 0 ? -coef : coef));
        print_val(p, a->terms[i].of);
    }
    if (first) text_printf(&p->text, "%lld", (long long)a->offset);
    else if (a->offset)
        text_printf(&p->text, a->offset < 0 ? " - %lld" : " + %lld",
                    (long long)(a->offset < 0 ? -a->offset : a->offset));
}

void program_print_buffer(Printer *p, uint32_t b)
{
    static const char *const kinds[] = { "in", "out", "const", "temp", "row" };
    if (b >= p->program->n_buffers) text_printf(&p->text, "%%?");
    else {
        const Buffer *buffer = &p->program->buffers[b];
        bool is_numbered = buffer->kind <= BUF_CONST;
        text_printf(&p->text, "%%%s%u", kinds[buffer->kind % 5], (unsigned)(is_numbered ? buffer->index : b));
    }
}

static void print_place(Printer *p, const Stmt *s)
{
    program_print_buffer(p, s->buffer);
    text_printf(&p->text, "[");
    print_address(p, &s->address);
    text_printf(&p->text, "]");
}

static void print_mask(Printer *p, Val mask)
{
    if (mask == VAL_NONE) return;
    text_printf(&p->text, " if ");
    print_val(p, mask);
}

static void print_loop(Printer *p, const Stmt *s, Val at)
{
    const char *how = s->parallel ? "parallel " : "";
    p->depth++;
    if (s->extent == EXTENT_WHILE) {
        text_printf(&p->text, "while %c {\n", loop_letter(p->kernel, at));
        return;
    }
    text_printf(&p->text, "%s%s%c : %lld", how,
                s->lanes > 1  ? "lanes "
                : s->tile > 1 ? "tile "
                : s->parallel ? ""
                              : "loop ",
                loop_letter(p->kernel, at), (long long)s->extent);
    if (s->lanes > 1) text_printf(&p->text, " by %u", s->lanes);
    if (s->tile > 1) text_printf(&p->text, " x %u", s->tile);
    if (s->split != VAL_NONE) {
        text_printf(&p->text, " of %lld by ", (long long)s->total);
        print_val(p, s->split);
    }
    text_printf(&p->text, " {\n");
}

static const char *op_word(uint8_t op)
{
    const char *dot = strchr(op_info[op].text, '.');
    return dot ? dot + 1 : op_info[op].text;
}

static void print_number(Printer *p, const Stmt *s)
{
    if (dtype_is_float((DType)s->dtype))
        text_printf(&p->text, "%.9g", scalar_to_double((DType)s->dtype, s->imm));
    else text_printf(&p->text, "%lld", (long long)scalar_to_i64((DType)s->dtype, s->imm));
}

static void print_op(Printer *p, const Stmt *s)
{
    static const char *const dirs[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    text_printf(&p->text, "%s", op_word(s->op));
    if (s->op == OP_COMPARE && s->attr) text_printf(&p->text, " %s", dirs[s->attr[0] % 6]);
    if (s->op == OP_REDUCE_PRECISION && s->attr)
        text_printf(&p->text, " e%lld m%lld", (long long)s->attr[0], (long long)s->attr[1]);
    for (int i = 0; i < op_info[s->op].args && i < 3; i++) {
        text_printf(&p->text, i ? ", " : " ");
        print_val(p, s->args[i]);
    }
}

/* What stands behind "v7 = ". */
static void print_value(Printer *p, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_CONST: print_number(p, s); break;
    case ST_INDEX: print_address(p, &s->address); break;
    case ST_LOAD:
        text_printf(&p->text, "load ");
        print_place(p, s);
        print_mask(p, s->args[0]);
        break;
    case ST_OP: print_op(p, s); break;
    case ST_TOTAL:
        text_printf(&p->text, s->imm ? "total value " : "total ");
        print_val(p, s->args[0]);
        break;
    case ST_CARRY:
        text_printf(&p->text, "carry ");
        print_val(p, s->args[0]);
        break;
    case ST_REDUCER: text_printf(&p->text, "reducer %s", op_word(s->op)); break;
    case ST_PREFIX:
        text_printf(&p->text, "prefix ");
        print_val(p, s->args[0]);
        text_printf(&p->text, " ");
        print_val(p, s->args[1]);
        break;
    case ST_COUNTER: text_printf(&p->text, "counter %u", (unsigned)s->imm); break;
    default:         break;
    }
    text_printf(&p->text, " %s\n", dtype_name((DType)s->dtype));
}

static void print_effect(Printer *p, const Stmt *s)
{
    text_printf(&p->text, s->kind == ST_STORE ? "store " : s->kind == ST_FOLD ? "fold " : "set ");
    if (s->kind == ST_STORE) print_place(p, s);
    else print_val(p, s->args[0]);
    text_printf(&p->text, " ");
    print_val(p, s->kind == ST_STORE ? s->args[0] : s->args[1]);
    if (s->kind == ST_FOLD && s->args[2] != VAL_NONE) {
        text_printf(&p->text, " at ");
        print_val(p, s->args[2]);
    }
    if (s->kind == ST_STORE) print_mask(p, s->args[1]);
    text_printf(&p->text, "\n");
}

static void print_stmt(Printer *p, Val at)
{
    const Stmt *s = &p->kernel->stmts[at];
    if (s->kind == ST_END) p->depth--;
    program_indent(p);
    switch ((StmtKind)s->kind) {
    case ST_LOOP:  print_loop(p, s, at); break;
    case ST_END:   text_printf(&p->text, "}\n"); break;
    case ST_STORE:
    case ST_FOLD:
    case ST_SET:   print_effect(p, s); break;
    case ST_TEST:
        text_printf(&p->text, "test ");
        print_val(p, s->args[0]);
        text_printf(&p->text, "\n");
        break;
    default: text_printf(&p->text, "v%u = ", (unsigned)at); print_value(p, s);
    }
}

void program_print_kernel(Printer *p, const Kernel *k)
{
    p->kernel = k;
    program_indent(p);
    text_printf(&p->text, "kernel %s {\n", k->name);
    p->depth++;
    for (Val v = 0; v < k->n_stmts; v++) print_stmt(p, v);
    p->depth--;
    program_indent(p);
    text_printf(&p->text, "}\n");
}

static void print_buffers(Printer *p)
{
    for (uint32_t i = 0; i < p->program->n_buffers; i++) {
        const Buffer *b = &p->program->buffers[i];
        if (b->kind == BUF_TEMP && b->count == 0) continue; /* nobody needs it after all */
        text_printf(&p->text, "  ");
        program_print_buffer(p, i);
        text_printf(&p->text, " : %s[%lld]", dtype_name((DType)b->dtype), (long long)b->count);
        if (b->kind == BUF_TEMP || b->kind == BUF_LOCAL)
            text_printf(&p->text, " at %lld", (long long)b->offset);
        if (b->kind == BUF_OUTPUT && b->alias >= 0) text_printf(&p->text, " may be %%in%d", (int)b->alias);
        text_printf(&p->text, "\n");
    }
}

const char *program_print(Arena *arena, const Program *program)
{
    static const char *const modes[] = { "default", "strict", "fast" };
    Printer p = { .text = { .arena = arena }, .program = program };
    text_printf(&p.text, "program %s (%s; %zu bytes of scratch; %lld bytes never written) {\n",
                program->name ? program->name : "?", modes[program->mode], program->scratch_bytes,
                (long long)program->fused_bytes);
    print_buffers(&p);
    p.depth = 1;
    program_print_steps(&p);
    text_printf(&p.text, "}\n");
    return p.text.chars;
}

/* ---- check ---- */

/* Loops open at the statement being checked, and for each statement already seen whether its block is still
 * open: its depth and the number of the block it stands in are compared. */
typedef struct Checker {
    const Program *program;
    const Kernel *kernel;
    Failure *failure;
    Val open[MAX_LOOPS];
    int depth;
    Val at;
} Checker;

static bool broken(Checker *c, const char *rule)
{
    return fail(c->failure, WEFT_COMPILER, "program %s, kernel %s, statement %u: %s",
                c->program->name ? c->program->name : "?", c->kernel->name ? c->kernel->name : "?",
                (unsigned)c->at, rule);
}

static const Stmt *stmt(const Checker *c, Val v) { return &c->kernel->stmts[v]; }

/* Is the block that v stands in open here: does every loop that was opened after v's block and before here
 * still stand open, or close again? */
static bool in_scope(const Checker *c, Val v)
{
    int depth = 0;
    for (Val i = v; i < c->at; i++) {
        if (stmt(c, i)->kind == ST_LOOP) depth++;
        if (stmt(c, i)->kind == ST_END && --depth < 0) return false;
    }
    return true;
}

static bool is_open(const Checker *c, Val loop)
{
    for (int d = 0; d < c->depth; d++)
        if (c->open[d] == loop) return true;
    return false;
}

static bool has_value(const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_CONST:
    case ST_INDEX:
    case ST_LOAD:
    case ST_OP:
    case ST_TOTAL:
    case ST_CARRY:
    case ST_PREFIX:
    case ST_COUNTER: return true;
    default:         return false;
    }
}

static bool check_value(Checker *c, Val v)
{
    if (v >= c->at) return broken(c, "an operand that does not come before");
    if (!has_value(stmt(c, v))) return broken(c, "an operand without value");
    if (!in_scope(c, v)) return broken(c, "an operand from a loop that is closed");
    return true;
}

static bool check_address(Checker *c, const Address *a)
{
    for (uint32_t i = 0; i < a->n_terms; i++) {
        Val v = a->terms[i].of;
        if (v >= c->at) return broken(c, "an address term that does not come before");
        if (stmt(c, v)->kind == ST_LOOP) {
            if (!is_open(c, v)) return broken(c, "an address term of a loop that is closed");
            continue;
        }
        if (!check_value(c, v)) return false;
        DType t = (DType)stmt(c, v)->dtype;
        if (t != WEFT_I32 && t != WEFT_I64) return broken(c, "an address term that is neither i32 nor i64");
    }
    return true;
}

static bool check_mask(Checker *c, Val mask)
{
    if (mask == VAL_NONE) return true;
    if (!check_value(c, mask)) return false;
    return stmt(c, mask)->dtype == WEFT_BOOL || broken(c, "a mask that is not bool");
}

static bool check_buffer(Checker *c, const Stmt *s, DType t)
{
    if (s->buffer >= c->program->n_buffers) return broken(c, "a buffer that is not there");
    const Buffer *b = &c->program->buffers[s->buffer];
    if (b->dtype != t) return broken(c, "a value of another type than its buffer's");
    if (s->kind == ST_STORE && (b->kind == BUF_INPUT || b->kind == BUF_CONST))
        return broken(c, "a store into what is read only");
    return check_address(c, &s->address);
}

static bool check_loop(Checker *c, const Stmt *s)
{
    if (s->extent == EXTENT_WHILE && (s->lanes != 1 || s->tile != 1 || s->parallel || s->split != VAL_NONE))
        return broken(c, "a while loop with lanes, tile, parallel or split");
    if ((s->extent < 0 && s->extent != EXTENT_WHILE) || !s->lanes || !s->tile || s->lanes > 64)
        return broken(c, "a loop's extent, lanes or tile");
    if (s->lanes & (s->lanes - 1)) return broken(c, "lanes that are no power of two");
    if (s->parallel && c->depth) return broken(c, "a parallel loop inside another");
    for (int d = 0; d < c->depth; d++)
        if (s->lanes > 1 && stmt(c, c->open[d])->lanes > 1) return broken(c, "lanes inside lanes");
    if (s->split != VAL_NONE) {
        if (s->split >= c->at || !is_open(c, s->split))
            return broken(c, "a split of a loop that is not open");
        const Stmt *outer = stmt(c, s->split);
        if (outer->lanes > 1 || outer->tile > 1) return broken(c, "a split of a loop with lanes or tile");
        if (s->extent < 1 || outer->extent != (s->total + s->extent - 1) / s->extent)
            return broken(c, "a split whose blocks are not its total");
    }
    if (c->depth == MAX_LOOPS) return broken(c, "too many loops inside each other");
    c->open[c->depth++] = c->at;
    return true;
}

/* How many TESTs stand at the top level of the body of the loop that is innermost here. */
static int tests_of(const Checker *c, Val loop)
{
    int depth = 0, n = 0;
    for (Val i = loop + 1; i < c->at; i++) {
        depth += stmt(c, i)->kind == ST_LOOP ? 1 : stmt(c, i)->kind == ST_END ? -1 : 0;
        n += depth == 0 && stmt(c, i)->kind == ST_TEST;
    }
    return n;
}

static bool check_end(Checker *c, const Stmt *s)
{
    if (!c->depth || c->open[c->depth - 1] != s->args[0])
        return broken(c, "an end that does not close the innermost loop");
    if (stmt(c, s->args[0])->extent == EXTENT_WHILE && tests_of(c, s->args[0]) != 1)
        return broken(c, "a while loop without its one test");
    c->depth--;
    return true;
}

static bool check_test(Checker *c, const Stmt *s)
{
    if (!c->depth || stmt(c, c->open[c->depth - 1])->extent != EXTENT_WHILE)
        return broken(c, "a test outside the body of a while loop");
    return check_value(c, s->args[0]) &&
           (stmt(c, s->args[0])->dtype == WEFT_BOOL || broken(c, "a test that is not bool"));
}

/* Operand types of an op agree as ops.def has it. */
static bool check_op(Checker *c, const Stmt *s)
{
    if (s->op >= OP_COUNT || !op_is_ew((Op)s->op)) return broken(c, "an op that is not elementwise");
    for (int i = 0; i < op_info[s->op].args; i++)
        if (!check_value(c, s->args[i])) return false;
    int first = s->op == OP_SELECT ? 1 : 0;
    for (int i = first + 1; i < op_info[s->op].args; i++)
        if (stmt(c, s->args[i])->dtype != stmt(c, s->args[first])->dtype)
            return broken(c, "operands of different types");
    if (s->op == OP_SELECT && stmt(c, s->args[0])->dtype != WEFT_BOOL)
        return broken(c, "a select by what is not bool");
    if ((s->op == OP_COMPARE || s->op == OP_REDUCE_PRECISION) && !s->attr)
        return broken(c, "an op without its attributes");
    return true;
}

static bool is_arg(const Stmt *s) { return s->op == OP_ARGMIN || s->op == OP_ARGMAX; }

/* A number for the lanes and tiles of the loops that stand between a reducer and this fold. */
static uint64_t register_shape(const Checker *c, Val reducer, Val fold)
{
    uint64_t shape = 0;
    int closed = 0;
    for (Val i = fold; i-- > reducer + 1;) {
        const Stmt *s = stmt(c, i);
        if (s->kind == ST_END) closed++;
        else if (s->kind == ST_LOOP && closed) closed--;
        else if (s->kind == ST_LOOP && s->lanes * s->tile > 1)
            shape = shape * 4099 + s->lanes * 64u + s->tile;
    }
    return shape;
}

/* Accumulators are laid out by those loops, so all folds of one reducer stand in alike ones. */
static bool check_same_loops(Checker *c, Val reducer)
{
    for (Val i = reducer + 1; i < c->at; i++)
        if (stmt(c, i)->kind == ST_FOLD && stmt(c, i)->args[0] == reducer)
            return register_shape(c, reducer, i) == register_shape(c, reducer, c->at) ||
                   broken(c, "folds of one reducer in loops of different lanes or tiles");
    return true;
}

static bool check_fold(Checker *c, const Stmt *s)
{
    Val r = s->args[0];
    if (r >= c->at || stmt(c, r)->kind != ST_REDUCER || !in_scope(c, r))
        return broken(c, "a fold into what is no open reducer");
    if (!check_value(c, s->args[1])) return false;
    if (is_arg(stmt(c, r))) {
        if (!check_value(c, s->args[2])) return false;
        if (stmt(c, s->args[2])->dtype != stmt(c, r)->index_dtype)
            return broken(c, "an index of another type than the reducer's");
    }
    return check_same_loops(c, r);
}

static bool check_total(Checker *c, const Stmt *s)
{
    Val r = s->args[0];
    if (r >= c->at || (stmt(c, r)->kind != ST_REDUCER && stmt(c, r)->kind != ST_CARRY))
        return broken(c, "a total of what is no reducer or carry");
    int depth = 0;
    for (Val i = r; i < c->at; i++) {
        depth += stmt(c, i)->kind == ST_LOOP ? 1 : stmt(c, i)->kind == ST_END ? -1 : 0;
        if (depth < 0) break;
    }
    return depth == 0 || broken(c, "a total in another block than its reducer");
}

static bool check_set(Checker *c, const Stmt *s)
{
    Val carry = s->args[0];
    if (carry >= c->at || stmt(c, carry)->kind != ST_CARRY || !in_scope(c, carry))
        return broken(c, "a set of what is no open carry");
    if (!c->depth || c->open[c->depth - 1] < carry) return broken(c, "a set in the block of its carry");
    if (stmt(c, c->open[c->depth - 1])->extent == EXTENT_WHILE && !tests_of(c, c->open[c->depth - 1]))
        return broken(c, "a set before the test of its loop");
    for (int d = 0; d < c->depth; d++)
        if (c->open[d] > carry && stmt(c, c->open[d])->lanes * stmt(c, c->open[d])->tile > 1)
            return broken(c, "a carry through lanes or tiles");
    if (!check_value(c, s->args[1])) return false;
    return stmt(c, s->args[1])->dtype == stmt(c, carry)->dtype ||
           broken(c, "a set of another type than its carry");
}

/* The order of a prefix is that of its lanes: no other lanes or tiles may stand between it and its
 * reducer. */
static bool check_prefix(Checker *c, const Stmt *s)
{
    Val r = s->args[0];
    if (r >= c->at || stmt(c, r)->kind != ST_REDUCER || !in_scope(c, r) || is_arg(stmt(c, r)))
        return broken(c, "a prefix of what is no open monoid");
    if (!c->depth || c->open[c->depth - 1] < r) return broken(c, "a prefix in the block of its reducer");
    const Stmt *loop = stmt(c, c->open[c->depth - 1]);
    if (loop->lanes > 1 ? loop->lanes != PREFIX_LANES : loop->tile > 1)
        return broken(c, "a prefix in a loop of other lanes than its blocks");
    for (int d = 0; d < c->depth - 1; d++)
        if (c->open[d] > r && stmt(c, c->open[d])->lanes * stmt(c, c->open[d])->tile > 1)
            return broken(c, "a prefix through lanes or tiles");
    if (s->dtype != stmt(c, r)->dtype) return broken(c, "a prefix of another type than its reducer");
    return check_value(c, s->args[1]);
}

static bool check_reducer(Checker *c, const Stmt *s)
{
    if (is_arg(s)) return dtype_is_int((DType)s->index_dtype) || broken(c, "an index type that is no int");
    return op_is_monoid((Op)s->op) || broken(c, "a reducer that is no monoid");
}

static bool check_stmt(Checker *c, const Stmt *s)
{
    switch ((StmtKind)s->kind) {
    case ST_LOOP:  return check_loop(c, s);
    case ST_END:   return check_end(c, s);
    case ST_CONST: return true;
    case ST_INDEX:
        return check_address(c, &s->address) &&
               (dtype_is_int((DType)s->dtype) || broken(c, "an index that is no int"));
    case ST_LOAD: return check_buffer(c, s, (DType)s->dtype) && check_mask(c, s->args[0]);
    case ST_STORE:
        return check_value(c, s->args[0]) && check_buffer(c, s, (DType)stmt(c, s->args[0])->dtype) &&
               check_mask(c, s->args[1]);
    case ST_OP:      return check_op(c, s);
    case ST_REDUCER: return check_reducer(c, s);
    case ST_FOLD:    return check_fold(c, s);
    case ST_TOTAL:   return check_total(c, s);
    case ST_CARRY:   return check_value(c, s->args[0]);
    case ST_SET:     return check_set(c, s);
    case ST_TEST:    return check_test(c, s);
    case ST_PREFIX:  return check_prefix(c, s);
    case ST_COUNTER:
        if (s->dtype != WEFT_I64) return broken(c, "a counter that is not i64");
        return s->imm < c->program->n_counters || broken(c, "a counter that is not there");
    }
    return broken(c, "a statement of no known kind");
}

static bool check_buffers(const Program *p, Failure *f)
{
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        uint32_t limit = b->kind == BUF_INPUT    ? p->n_inputs
                         : b->kind == BUF_OUTPUT ? p->n_outputs
                         : b->kind == BUF_CONST  ? p->n_consts
                                                 : UINT32_MAX;
        if (b->index >= limit)
            return fail(f, WEFT_COMPILER, "buffer %u: number %u of %u", (unsigned)i, (unsigned)b->index,
                        (unsigned)limit);
        if (b->count < 0) return fail(f, WEFT_COMPILER, "buffer %u: a negative size", (unsigned)i);
        if (b->kind != BUF_TEMP && b->kind != BUF_LOCAL) continue;
        size_t end = (size_t)b->offset + (size_t)b->count * dtype_bytes((DType)b->dtype);
        if (b->offset % 64 || end > p->scratch_bytes)
            return fail(f, WEFT_COMPILER, "buffer %u: not inside scratch, or not 64-aligned", (unsigned)i);
    }
    return true;
}

bool program_check(const Program *p, Failure *f)
{
    if (!check_buffers(p, f)) return false;
    for (uint32_t i = 0; i < p->n_kernels; i++) {
        Checker c = { .program = p, .kernel = &p->kernels[i], .failure = f };
        for (c.at = 0; c.at < c.kernel->n_stmts; c.at++)
            if (!check_stmt(&c, stmt(&c, c.at))) return false;
        if (c.depth) return broken(&c, "loops that are not closed");
    }
    return p->n_steps == 0 || program_check_steps(p->arena, p, f);
}

uint32_t program_add_buffer(Arena *a, Program *p, Buffer b)
{
    if (p->n_buffers == p->cap_buffers)
        p->buffers =
            arena_grow(a, p->buffers, p->n_buffers, &p->cap_buffers, p->n_buffers + 1, sizeof *p->buffers);
    b.alias = -1;
    p->buffers[p->n_buffers] = b;
    return p->n_buffers++;
}
