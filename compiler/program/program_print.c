/* program_print.c: fused programs as text, in the notation of program.h. */
#include <string.h>
#include "compiler/graph/foreign_op.h"
#include "compiler/graph/matrix/matrix_call.h"
#include "compiler/text/text.h"
#include "program.h"

typedef struct ProgramPrinter {
    Text text;
    const Program *program;
    const Kernel *kernel;
    int depth;
} ProgramPrinter;

static void indent(ProgramPrinter *p) { text_printf(&p->text, "%*s", 2 * p->depth, ""); }

/* Loops are i, j, k ... by depth, so that addresses read like formulas. */
static char loop_letter(const Kernel *k, Val loop)
{
    int depth = 0;
    for (Val i = 0; i < loop; i++)
        depth += k->stmts[i].kind == ST_LOOP ? 1 : k->stmts[i].kind == ST_END ? -1 : 0;
    return "ijklmnopqrstuvwxyzabcdefgh"[depth % 26];
}

static void print_val(ProgramPrinter *p, Val v)
{
    if (v == VAL_NONE || v >= p->kernel->n_stmts) text_printf(&p->text, "?");
    else if (p->kernel->stmts[v].kind == ST_LOOP) text_printf(&p->text, "%c", loop_letter(p->kernel, v));
    else text_printf(&p->text, "v%u", (unsigned)v);
}

static void print_after(ProgramPrinter *p, const char *words, Val v)
{
    text_printf(&p->text, "%s", words);
    print_val(p, v);
}

static void print_address(ProgramPrinter *p, const Address *a)
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

static void print_buffer(ProgramPrinter *p, uint32_t b)
{
    static const char *const kinds[] = { "in", "out", "const", "temp", "row" };
    if (b >= p->program->n_buffers) text_printf(&p->text, "%%?");
    else {
        const Buffer *buffer = &p->program->buffers[b];
        bool is_numbered = buffer->kind <= BUF_CONST;
        text_printf(&p->text, "%%%s%u", kinds[buffer->kind % 5], (unsigned)(is_numbered ? buffer->index : b));
    }
}

static void print_place(ProgramPrinter *p, const Stmt *s)
{
    print_buffer(p, s->buffer);
    text_printf(&p->text, "[");
    print_address(p, &s->address);
    text_printf(&p->text, "]");
}

static void print_mask(ProgramPrinter *p, Val mask)
{
    if (mask == VAL_NONE) return;
    print_after(p, " if ", mask);
}

static void print_loop(ProgramPrinter *p, const Stmt *s, Val at)
{
    const char *how = s->parallel ? "parallel " : "";
    p->depth++;
    if (s->extent == EXTENT_WHILE) {
        text_printf(&p->text, "while %c {", loop_letter(p->kernel, at));
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
    if (s->imm) text_printf(&p->text, " lead %lld", (long long)(int64_t)s->imm);
    if (s->halo) text_printf(&p->text, " halo %u", (unsigned)s->halo);
    text_printf(&p->text, " {");
}

static const char *op_word(uint8_t op)
{
    const char *dot = strchr(op_info[op].text, '.');
    return dot ? dot + 1 : op_info[op].text;
}

static void print_number(ProgramPrinter *p, const Stmt *s)
{
    if (dtype_is_float((DType)s->dtype))
        text_printf(&p->text, "%.9g", scalar_to_double((DType)s->dtype, s->imm));
    else text_printf(&p->text, "%lld", (long long)scalar_to_i64((DType)s->dtype, s->imm));
}

static void print_op(ProgramPrinter *p, const Stmt *s)
{
    static const char *const dirs[] = { "eq", "ne", "lt", "le", "gt", "ge" };
    text_printf(&p->text, "%s", op_word(s->op));
    if (s->op == OP_COMPARE && s->attr) text_printf(&p->text, " %s", dirs[s->attr[0] % 6]);
    if (s->op == OP_REDUCE_PRECISION && s->attr)
        text_printf(&p->text, " e%lld m%lld", (long long)s->attr[0], (long long)s->attr[1]);
    for (int i = 0; i < op_info[s->op].args && i < 3; i++) print_after(p, i ? ", " : " ", s->args[i]);
}

/* The statement, or what stands behind "v7 = ". */
static void print_words_of(ProgramPrinter *p, const Stmt *s, Val at)
{
    switch ((StmtKind)s->kind) {
    case ST_CONST: print_number(p, s); break;
    case ST_INDEX: print_address(p, &s->address); break;
    case ST_OP:    print_op(p, s); break;
    case ST_TOTAL:
        print_after(p, "total ", s->args[0]);
        if (s->imm) text_printf(&p->text, " value");
        break;
    case ST_CARRY:   print_after(p, "carry ", s->args[0]); break;
    case ST_COUNTER: text_printf(&p->text, "counter %u", (unsigned)s->imm); break;
    case ST_LOOP:    print_loop(p, s, at); break;
    case ST_END:     text_printf(&p->text, "}"); break;
    case ST_REDUCER: text_printf(&p->text, "reducer %s", op_word(s->op)); break;
    case ST_TEST:    print_after(p, "test ", s->args[0]); break;
    case ST_LOAD:
        text_printf(&p->text, "load ");
        print_place(p, s);
        print_mask(p, s->args[0]);
        break;
    case ST_STORE:
        text_printf(&p->text, s->streamed ? "stream " : "store ");
        print_place(p, s);
        print_after(p, " ", s->args[0]);
        print_mask(p, s->args[1]);
        break;
    case ST_FETCH:
        text_printf(&p->text, "fetch ");
        print_place(p, s);
        break;
    case ST_PREFIX:
    case ST_FOLD:
    case ST_SET:
        print_after(p, s->kind == ST_PREFIX ? "prefix " : s->kind == ST_FOLD ? "fold " : "set ", s->args[0]);
        print_after(p, " ", s->args[1]);
        if (s->kind == ST_FOLD && s->args[2] != VAL_NONE) print_after(p, " at ", s->args[2]);
        break;
    }
}

static void print_stmt(ProgramPrinter *p, Val at)
{
    const Stmt *s = &p->kernel->stmts[at];
    bool named = stmt_has_value(s) || s->kind == ST_REDUCER;
    if (s->kind == ST_END) p->depth--;
    indent(p);
    if (named) text_printf(&p->text, "v%u = ", (unsigned)at);
    print_words_of(p, s, at);
    if (named) text_printf(&p->text, " %s", dtype_name((DType)s->dtype));
    text_printf(&p->text, "\n");
}

static void print_kernel(ProgramPrinter *p, const Kernel *k)
{
    p->kernel = k;
    indent(p);
    text_printf(&p->text, "kernel %s ", k->name);
    if (k->rows) text_printf(&p->text, "rows %lld c%u ", (long long)k->rows, (unsigned)k->counter);
    text_printf(&p->text, "{\n");
    p->depth++;
    for (Val v = 0; v < k->n_stmts; v++) print_stmt(p, v);
    p->depth--;
    indent(p);
    text_printf(&p->text, "}\n");
}

/* ---- steps ---- */

/* "128 c0 + 4" */
static void print_count(ProgramPrinter *p, const Address *a)
{
    for (uint32_t k = 0; k < a->n_terms; k++)
        text_printf(&p->text, "%s%lld c%u", k ? " + " : "", (long long)a->terms[k].coef,
                    (unsigned)a->terms[k].of);
    if (a->offset || !a->n_terms)
        text_printf(&p->text, "%s%lld", a->n_terms ? " + " : "", (long long)a->offset);
}

/* "%in0", "%out1[128 c0 + 4]". */
static void print_part(ProgramPrinter *p, const ProgramStep *s, uint32_t i)
{
    print_buffer(p, s->buffers[i]);
    if (!s->at || (!s->at[i].n_terms && !s->at[i].offset)) return;
    text_printf(&p->text, "[");
    print_count(p, &s->at[i]);
    text_printf(&p->text, "]");
}

static void print_call(ProgramPrinter *p, const ProgramStep *s)
{
    bool foreign = s->function == LIBRARY_FOREIGN;
    bool matrix = s->function == LIBRARY_MATRIX || s->function == LIBRARY_LAPACK;
    text_printf(&p->text, "call %s%s(", s->function == LIBRARY_LAPACK ? "lapack " : "",
                foreign                       ? foreign_op(s->numbers + 1)->name
                : matrix                      ? strrchr(op_info[s->numbers[MATRIX_OP]].text, '.') + 1
                : s->function == LIBRARY_SORT ? "sort"
                                              : "?");
    for (uint32_t i = 0; i < s->n_buffers; i++) {
        if (i) text_printf(&p->text, i == s->n_read ? " -> " : ", ");
        print_part(p, s, i);
    }
    text_printf(&p->text, ") [");
    for (uint32_t i = foreign ? FOREIGN_NUMBERS : matrix ? MATRIX_BATCH : 0, first = i; i < s->n_numbers; i++)
        text_printf(&p->text, i > first ? ", %lld" : "%lld", (long long)s->numbers[i]);
    text_printf(&p->text, "]");
}

static void print_buffer_after(ProgramPrinter *p, const char *words, uint32_t buffer)
{
    text_printf(&p->text, "%s", words);
    print_buffer(p, buffer);
}

static void print_step(ProgramPrinter *p, const ProgramStep *s)
{
    if (s->kind == STEP_END || s->kind == STEP_BRANCH) p->depth--;
    if (s->kind == STEP_KERNEL) {
        if (s->kernel < p->program->n_kernels) print_kernel(p, &p->program->kernels[s->kernel]);
        return;
    }
    indent(p);
    switch ((StepKind)s->kind) {
    case STEP_LOOP:
        text_printf(&p->text, "%s c%u : %lld {",
                    s->bands      ? "bands"
                    : s->parallel ? "parallel"
                                  : "loop",
                    (unsigned)s->counter, (long long)s->extent);
        break;
    case STEP_WHILE: text_printf(&p->text, "while c%u {", (unsigned)s->counter); break;
    case STEP_TEST:  print_buffer_after(p, "test ", s->buffer); break;
    case STEP_CASE:
        print_buffer_after(p, "case ", s->buffer);
        text_printf(&p->text, " of %lld {", (long long)s->extent);
        break;
    case STEP_SWAP:
        print_buffer_after(p, "swap ", s->buffer);
        print_buffer_after(p, " ", s->other);
        break;
    case STEP_BRANCH: text_printf(&p->text, "branch"); break;
    case STEP_COUNT:
        text_printf(&p->text, "c%u = ", (unsigned)s->counter);
        print_count(p, s->at);
        break;
    case STEP_CALL:   print_call(p, s); break;
    case STEP_END:    text_printf(&p->text, "}"); break;
    case STEP_KERNEL: break;
    }
    text_printf(&p->text, "\n");
    if (step_opens(s) || s->kind == STEP_BRANCH) p->depth++;
}

static void print_steps(ProgramPrinter *p)
{
    for (uint32_t i = 0; i < p->program->n_steps; i++) print_step(p, &p->program->steps[i]);
    for (uint32_t i = 0; i < p->program->n_kernels && !p->program->n_steps; i++)
        print_kernel(p, &p->program->kernels[i]);
}

/* ---- the whole ---- */

static void print_buffers(ProgramPrinter *p)
{
    for (uint32_t i = 0; i < p->program->n_buffers; i++) {
        const Buffer *b = &p->program->buffers[i];
        if (b->kind == BUF_TEMP && b->count == 0) continue; /* nobody needs it after all */
        text_printf(&p->text, "  ");
        print_buffer(p, i);
        text_printf(&p->text, " : %s[%lld]", dtype_name((DType)b->dtype), (long long)b->count);
        if (b->kind == BUF_TEMP && b->index) text_printf(&p->text, " in %%out%u", (unsigned)b->index - 1);
        if (b->kind == BUF_TEMP || b->kind == BUF_LOCAL)
            text_printf(&p->text, " at %lld", (long long)b->offset);
        if (b->kind == BUF_OUTPUT && b->alias >= 0) text_printf(&p->text, " may be %%in%d", (int)b->alias);
        text_printf(&p->text, "\n");
    }
}

const char *program_print(Arena *arena, const Program *program)
{
    static const char *const modes[] = { "default", "strict", "fast" };
    ProgramPrinter p = { .text = { .arena = arena }, .program = program };
    text_printf(&p.text, "program %s (%s; %zu bytes of scratch; %lld bytes never written) {\n",
                program->name ? program->name : "?", modes[program->mode], program->scratch_bytes,
                (long long)program->fused_bytes);
    print_buffers(&p);
    p.depth = 1;
    print_steps(&p);
    text_printf(&p.text, "}\n");
    return p.text.chars;
}
