/* parts.c: a long fold into one number is made in parts, and the kernel that it stands in is cut:
 *
 *     kernel norm {                               loop c0 : 123 {
 *       r = reducer add                             kernel norm_parts rows 32768 c0 {
 *       lanes i : 4000000 { fold r x[i]^2 }           r = reducer add
 *       s = sqrt (total r)                            lanes i : 4000000 { fold r x[i]^2 }
 *       parallel lanes i { store %y[i] x[i]/s }       store %part[c0] (total r)
 *     }                                           } }
 *                                                 kernel norm { lanes j : 123 { fold r (load %part[j]) }
 *                                                               store %s[0] sqrt (total r) }
 *                                                 kernel norm { s = load %s[0]
 *                                                               parallel lanes i { store %y[i] x[i]/s } }
 *
 * What the statements outside of loops and its loops become are SECTIONS, in their order, a kernel each: a
 * loop that is cut is one, what follows it is another, and so are parallel loops, if there may be threads.
 * What is made in one section and needed in another goes through a buffer of one element; what is made of
 * constants and of loads that nothing here stores to is made again.
 *
 * Where threads pay, parallel loops get sections of their own also if nothing is cut, so that what is left of
 * borders, outside of them or in short loops, keeps nobody from sharing them.
 *
 * Which loops are cut depends on shapes and on the kernel alone where the order of a fold matters, so that
 * results are the same on any number of threads. In strict mode such folds are short here: expand.c has cut
 * them.
 */
#include "parts.h"
#include "compiler/fuse/cost.h"
#include "compiler/fuse/integers.h"
#include "compiler/program/kernel_copy.h"
#include "compiler/program/step_list.h"
#include "kernel_time.h"

#define NOWHERE UINT32_MAX

/* rows: of each part; 0: it is no loop that is cut, and runs at once. loop: it is one. */
typedef struct Section {
    Val loop;
    int64_t rows;
    uint32_t counter;
    bool parallel; /* loops that threads may share, and nothing else */
} Section;

typedef struct Cutter {
    Program *program;
    Arena *scratch; /* of one kernel */
    const Target *target;
    const uint32_t *memory; /* by buffer: the output whose memory an input is, or itself */
    const Kernel *kernel;
    double runs;  /* how often it runs */
    Val *outer;   /* by statement: the outermost loop around it, or itself if it is one; VAL_NONE: none */
    bool *copied; /* by statement: made again wherever it is needed */
    /* by statement outside of loops, and by outermost loop; NOWHERE: of copied ones, and of reducers */
    uint32_t *section;
    /* by reducer or carry outside of loops: the one outermost loop that feeds it; VAL_NONE: none */
    Val *folds;
    bool *shared;      /* by reducer: several do */
    uint32_t *part;    /* by reducer: the buffer of its parts; of ARGMAX and ARGMIN also the one behind it */
    uint32_t *carried; /* by statement: 1 + the buffer that takes it to other sections; 0: none needs it */
    bool *stored;      /* by buffer */
    Section *sections;
    uint32_t n_sections;
    /* of the section that is made */
    bool *need;
    KernelCopy to;
} Cutter;

static const Stmt *stmt(const Cutter *c, Val v) { return &c->kernel->stmts[v]; }
static bool is_arg(const Stmt *s) { return s->op == OP_ARGMIN || s->op == OP_ARGMAX; }
static bool is_exact(const Stmt *reducer)
{
    return is_arg(reducer) || monoid_is_exact((Op)reducer->op, (DType)reducer->dtype);
}

/* ---- which loops are cut ---- */

/* Most kernels are parallel loops and nothing else, or none of these: they are not looked at. */
static bool may_cut(const Kernel *k, const Target *target)
{
    bool folds = false, shared = false, others = false;
    int depth = 0;
    for (Val v = 0; v < k->n_stmts; v++) {
        const Stmt *s = &k->stmts[v];
        if (depth == 0) {
            folds |= s->kind == ST_REDUCER;
            shared |= s->kind == ST_LOOP && s->parallel;
            others |= s->kind == ST_STORE || (s->kind == ST_LOOP && !s->parallel);
        }
        depth += s->kind == ST_LOOP ? 1 : s->kind == ST_END ? -1 : 0;
    }
    return folds || (target->parallel_ns && shared && others);
}

/* What feeds a reducer or carry that stands outside of loops. */
static void note_fold(Cutter *c, Val into, Val loop)
{
    if (c->outer[into] != VAL_NONE) return;
    c->shared[into] |= c->folds[into] != VAL_NONE && c->folds[into] != loop;
    c->folds[into] = loop;
}

/* False: too many loops inside each other. */
static bool find_loops(Cutter *c)
{
    Val outer = VAL_NONE;
    int depth = 0;
    for (Val v = 0; v < c->kernel->n_stmts; v++) {
        const Stmt *s = stmt(c, v);
        c->folds[v] = VAL_NONE;
        if (s->kind == ST_LOOP && depth++ == 0) outer = v;
        if (depth > MAX_LOOP_DEPTH) return false;
        c->outer[v] = outer;
        if (s->kind == ST_END && --depth == 0) outer = VAL_NONE;
        if (s->kind == ST_FOLD || s->kind == ST_SET || s->kind == ST_PREFIX) note_fold(c, s->args[0], outer);
        if (s->kind == ST_STORE) c->stored[c->memory[s->buffer]] = true;
    }
    return true;
}

/* What a loop folds into reducers outside of it. */
typedef struct LongFold {
    double elements;  /* of each */
    bool some, exact; /* is the order of none of them a matter? */
} LongFold;

/* False: it does something that has an order beside that. */
static bool find_folds(const Cutter *c, Val loop, LongFold *f)
{
    double runs[MAX_LOOP_DEPTH + 1] = { 1 };
    int depth = 0;
    *f = (LongFold){ .exact = true };
    for (Val v = loop, end = loop_end(c->kernel, loop); v < end; v++) {
        const Stmt *s = stmt(c, v);
        if (s->kind == ST_LOOP) {
            runs[depth + 1] = runs[depth] * (s->extent == EXTENT_WHILE ? 1 : (double)s->extent);
            depth++;
        } else if (s->kind == ST_END) depth--;
        if ((s->kind == ST_SET || s->kind == ST_PREFIX) && c->outer[s->args[0]] == VAL_NONE) return false;
        if (s->kind != ST_FOLD || c->outer[s->args[0]] != VAL_NONE) continue;
        if (c->shared[s->args[0]]) return false;
        f->some = true;
        f->exact &= is_exact(stmt(c, s->args[0]));
        if (runs[depth] > f->elements) f->elements = runs[depth];
    }
    return f->some;
}

/* Rows of each part; 0: the loop is not cut. */
static int64_t part_rows(const Cutter *c, Val loop)
{
    const Stmt *l = stmt(c, loop);
    LongFold f;
    int64_t step = (int64_t)l->lanes * l->tile;
    if (l->extent <= step || l->parallel || !find_folds(c, loop, &f)) return 0;
    Val end = loop_end(c->kernel, loop) + 1;
    double ns = stmts_arithmetic_ns(c->kernel, loop, end), extent = (double)l->extent;
    if (f.exact) {
        if (!threads_pay(c->target, stmts_ns(c->program, c->target, c->kernel, loop, end), c->runs)) return 0;
    } else if (c->program->mode == MODE_STRICT || (f.elements <= MOST_AT_ONCE && ns < DEAR_FOLD_NS)) return 0;
    double wanted = FOLD_PART / (f.elements / extent), dear = PART_NS / (ns / extent);
    int64_t units = (int64_t)((dear < wanted ? dear : wanted) / (double)step),
            rows = max_i64(units, 1) * step;
    return rows <= l->extent / LEAST_PIECES ? rows : 0;
}

/* ---- sections ---- */

static uint32_t open_section(Cutter *c, Section s)
{
    c->sections[c->n_sections] = s;
    return c->n_sections++;
}

/* The last section, if it is of statements outside of loops and of loops that are left as they are; or a new
 * one. */
static uint32_t plain_section(Cutter *c)
{
    const Section *last = c->n_sections ? &c->sections[c->n_sections - 1] : NULL;
    if (last && !last->rows && !last->parallel) return c->n_sections - 1;
    return open_section(c, (Section){ .loop = VAL_NONE });
}

static uint32_t parallel_section(Cutter *c)
{
    if (c->n_sections && c->sections[c->n_sections - 1].parallel) return c->n_sections - 1;
    return open_section(c, (Section){ .loop = VAL_NONE, .parallel = true });
}

static uint32_t cut_section(Cutter *c, Val loop, int64_t rows)
{
    uint32_t s =
        open_section(c, (Section){ .loop = loop, .rows = rows, .counter = c->program->n_counters++ });
    open_section(c, (Section){ .loop = VAL_NONE }); /* which puts the parts together */
    return s;
}

static bool operands_copied(const Cutter *c, const Stmt *s)
{
    for (int a = 0; a < 3; a++)
        if (s->args[a] != VAL_NONE && !c->copied[s->args[a]]) return false;
    for (uint32_t t = 0; t < s->address.n_terms; t++)
        if (!c->copied[s->address.terms[t].of]) return false;
    return true;
}

static uint32_t section_of(Cutter *c, Val v)
{
    const Stmt *s = stmt(c, v);
    int64_t rows;
    switch ((StmtKind)s->kind) {
    case ST_LOOP:
        if ((rows = part_rows(c, v))) return cut_section(c, v, rows);
        return s->parallel && c->target->parallel_ns ? parallel_section(c) : plain_section(c);
    case ST_REDUCER: return NOWHERE;
    case ST_CARRY:   return c->folds[v] == VAL_NONE ? plain_section(c) : NOWHERE;
    case ST_TOTAL:   {
        Val loop = c->folds[s->args[0]];
        if (loop == VAL_NONE || c->shared[s->args[0]]) return plain_section(c);
        return c->section[loop] + (c->sections[c->section[loop]].rows > 0);
    }
    case ST_LOAD:    c->copied[v] = operands_copied(c, s) && !c->stored[c->memory[s->buffer]]; break;
    case ST_CONST:
    case ST_INDEX:
    case ST_OP:
    case ST_COUNTER: c->copied[v] = operands_copied(c, s); break;
    default:         break;
    }
    return c->copied[v] ? NOWHERE : plain_section(c);
}

/* Several loops that feed one reducer must be in one section. What is fed outside of all loops stays where it
 * is, with everything around it. */
static bool is_torn(const Cutter *c)
{
    for (Val v = 0; v < c->kernel->n_stmts; v++) {
        const Stmt *s = stmt(c, v);
        bool feeds = s->kind == ST_FOLD || s->kind == ST_SET || s->kind == ST_PREFIX;
        if (!feeds || c->outer[s->args[0]] != VAL_NONE) continue;
        if (c->outer[v] == VAL_NONE || c->section[c->outer[v]] != c->section[c->folds[s->args[0]]])
            return true;
    }
    return false;
}

/* Do threads pay for the parallel loops alone? */
static bool sharing_pays(const Cutter *c)
{
    double ns = 0;
    for (Val v = 0; v < c->kernel->n_stmts && c->target->parallel_ns; v++)
        if (c->outer[v] == v && stmt(c, v)->parallel)
            ns += stmts_ns(c->program, c->target, c->kernel, v, loop_end(c->kernel, v) + 1);
    return ns > 0 && threads_pay(c->target, ns, c->runs);
}

/* False: it stays one kernel. */
static bool find_sections(Cutter *c)
{
    bool cuts = false;
    for (Val v = 0; v < c->kernel->n_stmts; v++)
        if (c->outer[v] == VAL_NONE || c->outer[v] == v) c->section[v] = section_of(c, v);
    for (uint32_t i = 0; i < c->n_sections; i++) cuts |= c->sections[i].rows > 0;
    return (cuts || sharing_pays(c)) && !is_torn(c);
}

/* ---- what a section needs ---- */

static bool is_in(const Cutter *c, Val v, uint32_t section)
{
    return c->section[c->outer[v] == VAL_NONE ? v : c->outer[v]] == section;
}

/* Or does the section load it? Loops have with them what they fold into. */
static bool is_made(const Cutter *c, Val v, uint32_t section)
{
    return c->outer[v] != VAL_NONE || c->section[v] == NOWHERE || c->section[v] == section;
}

static void need(Cutter *c, Val v, uint32_t section)
{
    if (v == VAL_NONE) return;
    c->need[v] = true;
    if (is_made(c, v, section) || c->carried[v]) return;
    Buffer one = { .kind = BUF_TEMP, .dtype = stmt(c, v)->dtype, .count = 1 };
    c->carried[v] = 1 + program_add_buffer(c->program, one);
}

/* Its loops, its stores, and what other sections load; and, since operands come before, in one walk backwards
 * what these are made of. */
static void find_need(Cutter *c, uint32_t section)
{
    for (Val v = c->kernel->n_stmts; v-- > 0;) {
        const Stmt *s = stmt(c, v);
        if (is_in(c, v, section) && (c->outer[v] != VAL_NONE || s->kind == ST_STORE || c->carried[v]))
            c->need[v] = true;
        if (!c->need[v] || !is_made(c, v, section)) continue;
        for (int a = 0; a < 3; a++) need(c, s->args[a], section);
        for (uint32_t t = 0; t < s->address.n_terms; t++) need(c, s->address.terms[t].of, section);
    }
}

/* ---- the kernel of a section ---- */

static Val total(Cutter *c, Val reducer, bool value)
{
    const Stmt *r = &c->to.out.stmts[reducer];
    Stmt s = stmt_new(ST_TOTAL, (DType)(is_arg(r) && !value ? r->index_dtype : r->dtype));
    s.args[0] = reducer;
    s.imm = is_arg(r) && value;
    return copy_append(&c->to, s);
}

/* ---- parts ---- */

static int64_t parts_of(const Cutter *c, const Section *s)
{
    return (stmt(c, s->loop)->extent + s->rows - 1) / s->rows;
}

/* At the end of a part: what it has folded, into buffers. */
static void store_parts(Cutter *c, const Section *s)
{
    Program *p = c->program;
    Stmt counter = stmt_new(ST_COUNTER, WEFT_I64);
    counter.imm = s->counter;
    Val at = copy_append(&c->to, counter);
    for (Val r = 0; r < s->loop; r++) {
        const Stmt *x = stmt(c, r);
        if (x->kind != ST_REDUCER || c->folds[r] != s->loop) continue;
        Buffer parts = { .kind = BUF_TEMP, .dtype = x->dtype, .count = parts_of(c, s) };
        c->part[r] = program_add_buffer(p, parts);
        copy_store(&c->to, c->part[r], at, 0, total(c, c->to.map[r], true));
        if (!is_arg(x)) continue;
        parts.dtype = x->index_dtype;
        program_add_buffer(p, parts);
        copy_store(&c->to, c->part[r] + 1, at, 0, total(c, c->to.map[r], false));
    }
}

/* The parts as elements. */
static void fold_parts(Cutter *c, Val reducer)
{
    const Stmt *r = stmt(c, reducer);
    Stmt loop = stmt_new(ST_LOOP, (DType)0), fold = stmt_new(ST_FOLD, (DType)0),
         end = stmt_new(ST_END, (DType)0);
    loop.extent = parts_of(c, &c->sections[c->section[c->folds[reducer]]]);
    if (!is_arg(r)) {
        loop.lanes =
            (uint16_t)min_i64(c->target->vector_bytes / (int64_t)dtype_bytes((DType)r->dtype), ACCUMULATORS);
        loop.tile = (uint16_t)(ACCUMULATORS / loop.lanes);
    }
    Val at = end.args[0] = copy_append(&c->to, loop);
    fold.args[0] = c->to.map[reducer];
    fold.args[1] = copy_load(&c->to, c->part[reducer], at);
    if (is_arg(r)) fold.args[2] = copy_load(&c->to, c->part[reducer] + 1, at);
    copy_append(&c->to, fold);
    copy_append(&c->to, end);
}

/* ---- a kernel ---- */

static bool is_of_parts(const Cutter *c, Val v, uint32_t section)
{
    const Stmt *s = stmt(c, v);
    return s->kind == ST_TOTAL && c->folds[s->args[0]] != VAL_NONE &&
           c->section[c->folds[s->args[0]]] != section;
}

static void make_kernel(Cutter *c, uint32_t section, const char *name)
{
    const Section *s = &c->sections[section];
    copy_begin(&c->to, (Kernel){ .name = name, .rows = s->rows, .counter = s->counter });
    for (Val v = 0; v < c->kernel->n_stmts; v++) {
        if (!c->need[v]) continue;
        if (!is_made(c, v, section)) {
            c->to.map[v] = copy_load(&c->to, c->carried[v] - 1, VAL_NONE);
            continue;
        }
        if (is_of_parts(c, v, section)) fold_parts(c, stmt(c, v)->args[0]);
        copy_stmt(&c->to, v);
        if (c->carried[v] && is_in(c, v, section))
            copy_store(&c->to, c->carried[v] - 1, VAL_NONE, 0, c->to.map[v]);
    }
    if (s->rows) store_parts(c, s);
}

/* Rows that several sections use. */
static void share_rows(Cutter *c)
{
    uint32_t *user = arena_alloc(c->scratch, (c->program->n_buffers + 1) * sizeof *user);
    for (Val v = 0; v < c->kernel->n_stmts; v++) {
        const Stmt *s = stmt(c, v);
        if (!stmt_uses_buffer(s) || c->program->buffers[s->buffer].kind != BUF_LOCAL) continue;
        uint32_t section = 1 + c->section[c->outer[v] == VAL_NONE ? v : c->outer[v]];
        if (user[s->buffer] && user[s->buffer] != section) c->program->buffers[s->buffer].kind = BUF_TEMP;
        user[s->buffer] = section;
    }
}

static void append_step(Cutter *c, StepList *l, ProgramStep step)
{
    Program *p = c->program;
    ARENA_PUSH(p->arena, p->kernels, p->n_kernels, p->cap_kernels) = c->to.out;
    step.kernel = p->n_kernels - 1;
    step_list_push(p->arena, l, step);
}

/* What becomes of the kernel of a step. */
static void append_sections(Cutter *c, StepList *l)
{
    Program *p = c->program;
    size_t n = c->kernel->n_stmts;
    bool **need = arena_alloc(c->scratch, (c->n_sections + 1) * sizeof *need);
    share_rows(c);
    for (uint32_t i = c->n_sections; i-- > 0;) {
        c->need = need[i] = arena_alloc(c->scratch, n + 1);
        find_need(c, i);
    }
    for (uint32_t i = 0; i < c->n_sections; i++) {
        const Section *s = &c->sections[i];
        c->need = need[i];
        make_kernel(c, i, s->rows ? arena_printf(p->arena, "%s_parts", c->kernel->name) : c->kernel->name);
        if (!c->to.out.n_stmts) continue;
        uint32_t opened = l->n;
        ProgramStep loop = { .kind = STEP_LOOP,
                             .extent = s->rows ? parts_of(c, s) : 0,
                             .counter = s->counter };
        if (s->rows) step_list_push(p->arena, l, loop);
        append_step(c, l, (ProgramStep){ .kind = STEP_KERNEL });
        if (s->rows) step_list_push(p->arena, l, (ProgramStep){ .kind = STEP_END, .opened = opened });
    }
}

/* False: it stays as it is. */
static bool cut_kernel(Cutter *c, StepList *l)
{
    size_t n = c->kernel->n_stmts + 1;
    Arena *a = c->scratch;
    if (c->kernel->rows || !may_cut(c->kernel, c->target)) return false;
    c->outer = arena_alloc(a, n * sizeof *c->outer);
    c->copied = arena_alloc(a, n);
    c->section = arena_alloc(a, n * sizeof *c->section);
    c->folds = arena_alloc(a, n * sizeof *c->folds);
    c->shared = arena_alloc(a, n);
    c->part = arena_alloc(a, n * sizeof *c->part);
    c->carried = arena_alloc(a, n * sizeof *c->carried);
    c->to.map = arena_alloc(a, n * sizeof *c->to.map);
    c->stored = arena_alloc(a, c->program->n_buffers + 1);
    c->sections = arena_alloc(a, 2 * n * sizeof *c->sections);
    if (!find_loops(c) || !find_sections(c)) return false;
    append_sections(c, l);
    return true;
}

void parts_make(Program *p, const Target *target)
{
    StepList l = step_list_new(p);
    const uint32_t *memory = program_memories(p->arena, p);
    const double *runs = step_runs(p);
    Arena *scratch = arena_within(p->arena);
    ArenaMark empty = arena_mark(scratch);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Kernel k = p->steps[i].kind == STEP_KERNEL ? p->kernels[p->steps[i].kernel] : (Kernel){ 0 };
        Cutter c = { .program = p,
                     .scratch = scratch,
                     .target = target,
                     .memory = memory,
                     .kernel = &k,
                     .to = { .program = p, .from = &k },
                     .runs = runs[i] };
        if (p->steps[i].kind != STEP_KERNEL || !cut_kernel(&c, &l)) step_list_keep(&l, p, i);
        arena_release(scratch, empty);
    }
    arena_free(scratch);
    step_list_end(&l, p);
}
