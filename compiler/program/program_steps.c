/* program_steps.c: steps as text, and the check that they are well formed: nested, each kernel run by one of
 * them, and everything stored before it is loaded on every way through them. */
#include "program_parts.h"

/* ---- text ---- */

/* "%in0", "%out1[128 c0 + 4]". */
static void print_part(Printer *p, const ProgramStep *s, uint32_t i)
{
    program_print_buffer(p, s->buffers[i]);
    if (!s->at || (!s->at[i].n_terms && !s->at[i].offset)) return;
    text_printf(&p->text, "[");
    for (uint32_t k = 0; k < s->at[i].n_terms; k++)
        text_printf(&p->text, "%s%lld c%u", k ? " + " : "", (long long)s->at[i].terms[k].coef,
                    (unsigned)s->at[i].terms[k].of);
    if (s->at[i].offset || !s->at[i].n_terms)
        text_printf(&p->text, "%s%lld", s->at[i].n_terms ? " + " : "", (long long)s->at[i].offset);
    text_printf(&p->text, "]");
}

static void print_call(Printer *p, const ProgramStep *s)
{
    bool foreign = s->function == LIBRARY_FOREIGN;
    text_printf(&p->text, "call %s(",
                foreign                       ? foreign_op(s->numbers + 1)->name
                : s->function == LIBRARY_SORT ? "sort"
                                              : "?");
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        if (i) text_printf(&p->text, i == s->n_read ? " -> " : ", ");
        print_part(p, s, i);
    }
    text_printf(&p->text, ") [");
    for (uint32_t i = foreign ? FOREIGN_NUMBERS : 0, first = i; i < s->n_numbers; i++)
        text_printf(&p->text, i > first ? ", %lld" : "%lld", (long long)s->numbers[i]);
    text_printf(&p->text, "]\n");
}

/* "test %temp4", "case %temp4 of 3 {", "swap %out0 %temp5". */
static void print_with_buffer(Printer *p, const char *word, const ProgramStep *s)
{
    text_printf(&p->text, "%s ", word);
    program_print_buffer(p, s->buffer);
    if (s->kind == STEP_SWAP) {
        text_printf(&p->text, " ");
        program_print_buffer(p, s->other);
    }
    if (s->kind == STEP_CASE) text_printf(&p->text, " of %lld {", (long long)s->extent);
    text_printf(&p->text, "\n");
}

static void print_step(Printer *p, const ProgramStep *s)
{
    if (s->kind == STEP_END || s->kind == STEP_BRANCH) p->depth--;
    if (s->kind == STEP_KERNEL) {
        if (s->kernel < p->program->n_kernels) program_print_kernel(p, &p->program->kernels[s->kernel]);
        return;
    }
    program_indent(p);
    switch ((StepKind)s->kind) {
    case STEP_LOOP:
        text_printf(&p->text, "loop c%u : %lld {\n", (unsigned)s->counter, (long long)s->extent);
        break;
    case STEP_WHILE:  text_printf(&p->text, "while c%u {\n", (unsigned)s->counter); break;
    case STEP_TEST:   print_with_buffer(p, "test", s); break;
    case STEP_CASE:   print_with_buffer(p, "case", s); break;
    case STEP_SWAP:   print_with_buffer(p, "swap", s); break;
    case STEP_BRANCH: text_printf(&p->text, "branch\n"); break;
    case STEP_CALL:   print_call(p, s); break;
    default:          text_printf(&p->text, "}\n");
    }
    if (s->kind == STEP_LOOP || s->kind == STEP_WHILE || s->kind == STEP_CASE || s->kind == STEP_BRANCH)
        p->depth++;
}

void program_print_steps(Printer *p)
{
    for (uint32_t i = 0; i < p->program->n_steps; i++) print_step(p, &p->program->steps[i]);
    for (uint32_t i = 0; i < p->program->n_kernels && !p->program->n_steps; i++)
        program_print_kernel(p, &p->program->kernels[i]);
}

/* ---- check ---- */

enum { MAX_STEPS_OPEN = 256 };

/* What has been stored on every way to here; and, for what is open, what counts after it. */
typedef struct Open {
    uint32_t step, branches;
    bool tested;
    bool *after;
} Open;

typedef struct StepChecker {
    Arena *arena;
    const Program *program;
    Failure *failure;
    uint32_t at;
    Open open[MAX_STEPS_OPEN];
    int depth;
    bool *stored, *ran;
    int64_t *counter; /* 1: open; 2: closed */
} StepChecker;

static bool broken(const StepChecker *c, const char *rule)
{
    return fail(c->failure, WEFT_COMPILER, "program %s, step %u: %s",
                c->program->name ? c->program->name : "?", (unsigned)c->at, rule);
}

static bool *copy_stored(StepChecker *c)
{
    return arena_copy(c->arena, c->stored, c->program->n_buffers + 1);
}

static bool check_kernel_step(StepChecker *c, uint32_t kernel)
{
    const Program *p = c->program;
    if (kernel >= p->n_kernels || c->ran[kernel])
        return broken(c, "a kernel that is not there, or has a step already");
    c->ran[kernel] = true;
    for (uint32_t i = 0; i < p->kernels[kernel].n_stmts; i++) {
        const Stmt *s = &p->kernels[kernel].stmts[i];
        if (s->kind == ST_COUNTER && (s->imm >= p->n_counters || c->counter[s->imm] != 1))
            return broken(c, "a kernel reads the counter of a loop that is not around it");
        if (s->kind == ST_STORE) c->stored[s->buffer] = true;
        if (s->kind != ST_LOAD || c->stored[s->buffer]) continue;
        uint8_t kind = p->buffers[s->buffer].kind;
        if (kind == BUF_TEMP || kind == BUF_OUTPUT)
            return broken(c, "a kernel loads from a buffer that is not stored yet");
    }
    return true;
}

static bool check_open(StepChecker *c, const ProgramStep *s)
{
    if (c->depth == MAX_STEPS_OPEN) return broken(c, "too many steps inside each other");
    if (s->kind == STEP_CASE && s->extent < 1) return broken(c, "a case without branches");
    if (s->kind == STEP_LOOP && s->extent < 1) return broken(c, "a loop without iterations");
    if (s->kind != STEP_CASE) {
        if (s->counter >= c->program->n_counters || c->counter[s->counter])
            return broken(c, "a counter that is not there, or is another loop's");
        c->counter[s->counter] = 1;
    }
    c->open[c->depth++] = (Open){ .step = c->at, .after = s->kind == STEP_CASE ? copy_stored(c) : NULL };
    return true;
}

/* What every branch has stored counts after the case: those before it are in `after` from the second branch
 * on. */
static void end_branch(StepChecker *c, Open *o, const bool *before)
{
    for (uint32_t i = 0; i < c->program->n_buffers && o->branches > 0; i++) {
        o->after[i] = o->branches == 1 ? c->stored[i] : o->after[i] && c->stored[i];
        c->stored[i] = before[i];
    }
}

static bool check_condition(StepChecker *c, const ProgramStep *s, DType t)
{
    const Program *p = c->program;
    if (s->buffer >= p->n_buffers || p->buffers[s->buffer].dtype != t || p->buffers[s->buffer].count < 1)
        return broken(c, "a condition of another type");
    if (p->buffers[s->buffer].kind == BUF_TEMP && !c->stored[s->buffer])
        return broken(c, "a condition that is not stored yet");
    return true;
}

static bool check_inner(StepChecker *c, const ProgramStep *s, const bool *const *before)
{
    Open *o = c->depth ? &c->open[c->depth - 1] : NULL;
    const Program *p = c->program;
    if (!o || o->step != s->opened) return broken(c, "a step that does not belong to what is open");
    const ProgramStep *opened = &p->steps[o->step];
    if (s->kind == STEP_TEST) {
        if (opened->kind != STEP_WHILE || o->tested)
            return broken(c, "a test that is not the only one of a while loop");
        o->tested = true;
        o->after = copy_stored(c);
        return check_condition(c, s, WEFT_BOOL);
    }
    if (s->kind == STEP_BRANCH && opened->kind != STEP_CASE) return broken(c, "a branch of what is no case");
    if (opened->kind == STEP_CASE) end_branch(c, o, before[c->depth - 1]);
    if (s->kind == STEP_BRANCH) {
        o->branches++;
        return true;
    }
    if (opened->kind == STEP_CASE && o->branches != opened->extent)
        return broken(c, "a case with another number of branches");
    if (opened->kind == STEP_WHILE && !o->tested) return broken(c, "a while loop without test");
    if (opened->kind != STEP_CASE) c->counter[opened->counter] = 2;
    if (o->after) memcpy(c->stored, o->after, p->n_buffers);
    c->depth--;
    return true;
}

static bool check_swap(StepChecker *c, const ProgramStep *s)
{
    const Program *p = c->program;
    if (s->buffer >= p->n_buffers || s->other >= p->n_buffers) return broken(c, "a buffer that is not there");
    const Buffer *x = &p->buffers[s->buffer], *y = &p->buffers[s->other];
    bool fine = (x->kind == BUF_TEMP || x->kind == BUF_OUTPUT) &&
                (y->kind == BUF_TEMP || y->kind == BUF_OUTPUT) &&
                (x->kind == BUF_TEMP || y->kind == BUF_TEMP);
    if (!fine || x->dtype != y->dtype || x->count != y->count)
        return broken(c, "an exchange of buffers that are not alike");
    bool stored = c->stored[s->buffer];
    c->stored[s->buffer] = c->stored[s->other];
    c->stored[s->other] = stored;
    return true;
}

static bool check_call(StepChecker *c, const ProgramStep *s)
{
    const Program *p = c->program;
    if (s->function >= LIBRARY_COUNT || !(p->library >> s->function & 1))
        return broken(c, "a call of what is not in the library");
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        if (s->buffers[i] >= p->n_buffers) return broken(c, "a buffer that is not there");
        for (uint32_t k = 0; s->at && k < s->at[i].n_terms; k++)
            if (s->at[i].terms[k].of >= p->n_counters || c->counter[s->at[i].terms[k].of] != 1)
                return broken(c, "a call at the counter of a loop that is not around it");
        uint8_t kind = p->buffers[s->buffers[i]].kind;
        if (i < s->n_read && p->buffers[s->buffers[i]].count && (kind == BUF_TEMP || kind == BUF_OUTPUT) &&
            !c->stored[s->buffers[i]])
            return broken(c, "a call reads a buffer that is not stored yet");
        for (uint32_t k = 0; i >= s->n_read && k < s->n_read; k++)
            if (s->buffers[k] == s->buffers[i]) return broken(c, "a call writes what it reads");
    }
    for (uint32_t i = s->n_read; i < s->n_buffers; i++) c->stored[s->buffers[i]] = true;
    return true;
}

static bool check_step(StepChecker *c, const ProgramStep *s, const bool **before)
{
    switch ((StepKind)s->kind) {
    case STEP_KERNEL: return check_kernel_step(c, s->kernel);
    case STEP_LOOP:
    case STEP_WHILE:
    case STEP_CASE:
        if (s->kind == STEP_CASE && !check_condition(c, s, WEFT_I32)) return false;
        if (c->depth < MAX_STEPS_OPEN) before[c->depth] = copy_stored(c);
        return check_open(c, s);
    case STEP_TEST:
    case STEP_BRANCH:
    case STEP_END:    return check_inner(c, s, before);
    case STEP_SWAP:   return check_swap(c, s);
    case STEP_CALL:   return check_call(c, s);
    }
    return broken(c, "a step of no known kind");
}

bool program_check_steps(Arena *arena, const Program *p, Failure *f)
{
    StepChecker c = { .arena = arena,
                      .program = p,
                      .failure = f,
                      .stored = arena_alloc(arena, p->n_buffers + 1),
                      .ran = arena_alloc(arena, p->n_kernels + 1),
                      .counter = arena_alloc(arena, (p->n_counters + 1) * sizeof(int64_t)) };
    const bool *before[MAX_STEPS_OPEN];
    for (c.at = 0; c.at < p->n_steps; c.at++)
        if (!check_step(&c, &p->steps[c.at], before)) return false;
    if (c.depth) return broken(&c, "steps that are not closed");
    for (uint32_t i = 0; i < p->n_kernels && p->n_steps; i++)
        if (!c.ran[i]) return broken(&c, "a kernel without step");
    return true;
}
