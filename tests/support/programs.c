/* programs.c: see programs.h. */
#include "tests/support/programs.h"

void program_begin(ProgramBuilder *b, Arena *arena, NumericMode mode)
{
    b->arena = arena;
    b->program = arena_alloc(arena, sizeof *b->program);
    b->program->arena = arena;
    b->program->name = "test";
    b->program->mode = mode;
    program_kernel(b, "k0");
}

void program_kernel(ProgramBuilder *b, const char *name)
{
    Program *p = b->program;
    p->kernels =
        arena_grow(b->arena, p->kernels, p->n_kernels, &p->cap_kernels, p->n_kernels + 1, sizeof *p->kernels);
    b->kernel = &p->kernels[p->n_kernels++];
    b->kernel->name = name;
    b->cap_stmts = 0;
}

static uint32_t add_buffer(ProgramBuilder *b, Buffer buffer)
{
    Program *p = b->program;
    p->buffers =
        arena_grow(b->arena, p->buffers, p->n_buffers, &p->cap_buffers, p->n_buffers + 1, sizeof *p->buffers);
    p->buffers[p->n_buffers] = buffer;
    return p->n_buffers++;
}

uint32_t program_buffer(ProgramBuilder *b, BufferKind kind, DType t, int64_t count)
{
    Program *p = b->program;
    Buffer buffer = { .kind = (uint8_t)kind, .dtype = (uint8_t)t, .count = count, .alias = -1 };
    if (kind == BUF_INPUT) buffer.index = p->n_inputs++;
    if (kind == BUF_OUTPUT) buffer.index = p->n_outputs++;
    if (kind == BUF_TEMP || kind == BUF_LOCAL) {
        buffer.offset = (int64_t)p->scratch_bytes;
        p->scratch_bytes += ((size_t)count * dtype_bytes(t) + 63) & ~(size_t)63;
    }
    return add_buffer(b, buffer);
}

uint32_t program_const(ProgramBuilder *b, DType t, int64_t count, const void *data)
{
    return add_buffer(b, (Buffer){ .kind = BUF_CONST,
                                   .dtype = (uint8_t)t,
                                   .count = count,
                                   .alias = -1,
                                   .data = data,
                                   .index = b->program->n_consts++ });
}

static Val newest(const ProgramBuilder *b) { return b->kernel->n_stmts - 1; }

Stmt *put_stmt(ProgramBuilder *b, StmtKind kind)
{
    Kernel *k = b->kernel;
    k->stmts = arena_grow(b->arena, k->stmts, k->n_stmts, &b->cap_stmts, k->n_stmts + 1, sizeof *k->stmts);
    Stmt *s = &k->stmts[k->n_stmts++];
    *s = (Stmt){ .kind = (uint8_t)kind, .args = { VAL_NONE, VAL_NONE, VAL_NONE }, .lanes = 1, .tile = 1 };
    return s;
}

Val put_loop(ProgramBuilder *b, int64_t extent, int lanes, int tile)
{
    Stmt *s = put_stmt(b, ST_LOOP);
    s->extent = extent;
    s->lanes = (uint16_t)lanes;
    s->tile = (uint16_t)tile;
    return newest(b);
}

void put_end(ProgramBuilder *b, Val loop) { put_stmt(b, ST_END)->args[0] = loop; }

Val put_const(ProgramBuilder *b, DType t, double v)
{
    Stmt *s = put_stmt(b, ST_CONST);
    s->dtype = (uint8_t)t;
    s->imm = scalar_from_double(t, v);
    return newest(b);
}

static void give_address(ProgramBuilder *b, Stmt *s, int64_t offset, const Term *terms, uint32_t n)
{
    s->address = (Address){ offset, n, n ? arena_copy(b->arena, terms, n * sizeof *terms) : NULL };
}

Val put_index(ProgramBuilder *b, DType t, int64_t offset, const Term *terms, uint32_t n)
{
    Stmt *s = put_stmt(b, ST_INDEX);
    s->dtype = (uint8_t)t;
    give_address(b, s, offset, terms, n);
    return newest(b);
}

Val put_load_masked(ProgramBuilder *b, Val mask, uint32_t buffer, int64_t offset, const Term *terms,
                    uint32_t n)
{
    Stmt *s = put_stmt(b, ST_LOAD);
    s->dtype = b->program->buffers[buffer].dtype;
    s->buffer = buffer;
    s->args[0] = mask;
    give_address(b, s, offset, terms, n);
    return newest(b);
}

Val put_load(ProgramBuilder *b, uint32_t buffer, int64_t offset, const Term *terms, uint32_t n)
{
    return put_load_masked(b, VAL_NONE, buffer, offset, terms, n);
}

void put_store_masked(ProgramBuilder *b, Val mask, uint32_t buffer, int64_t offset, const Term *terms,
                      uint32_t n, Val value)
{
    Stmt *s = put_stmt(b, ST_STORE);
    s->buffer = buffer;
    s->args[0] = value;
    s->args[1] = mask;
    give_address(b, s, offset, terms, n);
}

void put_store(ProgramBuilder *b, uint32_t buffer, int64_t offset, const Term *terms, uint32_t n, Val value)
{
    put_store_masked(b, VAL_NONE, buffer, offset, terms, n, value);
}

Val put_op(ProgramBuilder *b, Op op, DType result, Val x, Val y, Val z)
{
    Stmt *s = put_stmt(b, ST_OP);
    s->op = (uint8_t)op;
    s->dtype = (uint8_t)result;
    s->args[0] = x;
    s->args[1] = y;
    s->args[2] = z;
    return newest(b);
}

Val put_compare(ProgramBuilder *b, CompareDir dir, Val x, Val y)
{
    int64_t attr[2] = { dir, ORDER_FLOAT };
    Val v = put_op(b, OP_COMPARE, WEFT_BOOL, x, y, VAL_NONE);
    b->kernel->stmts[v].attr = arena_copy(b->arena, attr, sizeof attr);
    return v;
}

Val put_unary(ProgramBuilder *b, Op op, Val a)
{
    return put_op(b, op, b->kernel->stmts[a].dtype, a, VAL_NONE, VAL_NONE);
}
Val put_binary(ProgramBuilder *b, Op op, Val x, Val y)
{
    return put_op(b, op, b->kernel->stmts[x].dtype, x, y, VAL_NONE);
}

Val put_arg_reducer(ProgramBuilder *b, Op op, DType t, DType index)
{
    Stmt *s = put_stmt(b, ST_REDUCER);
    s->op = (uint8_t)op;
    s->dtype = (uint8_t)t;
    s->index_dtype = (uint8_t)index;
    return newest(b);
}

Val put_reducer(ProgramBuilder *b, Op op, DType t) { return put_arg_reducer(b, op, t, WEFT_I32); }

void put_fold(ProgramBuilder *b, Val reducer, Val value, Val index)
{
    Stmt *s = put_stmt(b, ST_FOLD);
    s->args[0] = reducer;
    s->args[1] = value;
    s->args[2] = index;
}

Val put_total(ProgramBuilder *b, Val reducer)
{
    Stmt *s = put_stmt(b, ST_TOTAL), *r = &b->kernel->stmts[reducer];
    bool is_arg = r->kind == ST_REDUCER && (r->op == OP_ARGMIN || r->op == OP_ARGMAX);
    s->args[0] = reducer;
    s->dtype = is_arg ? r->index_dtype : r->dtype;
    return newest(b);
}

Val put_carry(ProgramBuilder *b, Val start)
{
    Stmt *s = put_stmt(b, ST_CARRY);
    s->dtype = b->kernel->stmts[start].dtype;
    s->args[0] = start;
    return newest(b);
}

void put_set(ProgramBuilder *b, Val carry, Val value)
{
    Stmt *s = put_stmt(b, ST_SET);
    s->args[0] = carry;
    s->args[1] = value;
}

Val put_while(ProgramBuilder *b) { return put_loop(b, EXTENT_WHILE, 1, 1); }
void put_test(ProgramBuilder *b, Val test) { put_stmt(b, ST_TEST)->args[0] = test; }

Val put_prefix(ProgramBuilder *b, Val reducer, Val value)
{
    Stmt *s = put_stmt(b, ST_PREFIX);
    s->dtype = b->kernel->stmts[reducer].dtype;
    s->args[0] = reducer;
    s->args[1] = value;
    return newest(b);
}

Val put_counter(ProgramBuilder *b, uint32_t counter)
{
    Stmt *s = put_stmt(b, ST_COUNTER);
    s->dtype = WEFT_I64;
    s->imm = counter;
    return newest(b);
}

/* ---- steps ---- */

uint32_t put_step(ProgramBuilder *b, StepKind kind)
{
    Program *p = b->program;
    p->steps = arena_grow(b->arena, p->steps, p->n_steps, &p->cap_steps, p->n_steps + 1, sizeof *p->steps);
    p->steps[p->n_steps] = (ProgramStep){ .kind = (uint8_t)kind };
    return p->n_steps++;
}

void put_step_kernel(ProgramBuilder *b, const char *name)
{
    bool is_first = true;
    for (uint32_t i = 0; i < b->program->n_steps; i++) is_first &= b->program->steps[i].kind != STEP_KERNEL;
    if (!is_first) program_kernel(b, name);
    uint32_t step = put_step(b, STEP_KERNEL);
    b->program->steps[step].kernel = b->program->n_kernels - 1;
}

uint32_t put_step_loop(ProgramBuilder *b, int64_t extent)
{
    uint32_t step = put_step(b, extent == EXTENT_WHILE ? STEP_WHILE : STEP_LOOP);
    b->program->steps[step].extent = extent;
    b->program->steps[step].counter = b->program->n_counters++;
    return step;
}

static uint32_t put_inner_step(ProgramBuilder *b, StepKind kind, uint32_t opened)
{
    uint32_t step = put_step(b, kind);
    b->program->steps[step].opened = opened;
    return step;
}

void put_step_test(ProgramBuilder *b, uint32_t opened, uint32_t buffer)
{
    uint32_t step = put_inner_step(b, STEP_TEST, opened);
    b->program->steps[step].buffer = buffer;
}

void put_step_branch(ProgramBuilder *b, uint32_t opened) { put_inner_step(b, STEP_BRANCH, opened); }
void put_step_end(ProgramBuilder *b, uint32_t opened) { put_inner_step(b, STEP_END, opened); }

uint32_t put_step_case(ProgramBuilder *b, uint32_t buffer, int64_t branches)
{
    uint32_t step = put_step(b, STEP_CASE);
    b->program->steps[step].buffer = buffer;
    b->program->steps[step].extent = branches;
    return step;
}

void put_step_swap(ProgramBuilder *b, uint32_t buffer, uint32_t other)
{
    uint32_t step = put_step(b, STEP_SWAP);
    ProgramStep *s = &b->program->steps[step];
    s->buffer = buffer;
    s->other = other;
}

void put_step_call(ProgramBuilder *b, Library function, const uint32_t *buffers, uint32_t n_buffers,
                   const int64_t *numbers, uint32_t n_numbers)
{
    uint32_t step = put_step(b, STEP_CALL);
    ProgramStep *s = &b->program->steps[step];
    s->function = (uint8_t)function;
    s->buffers = arena_copy(b->arena, buffers, n_buffers * sizeof *buffers);
    s->n_buffers = n_buffers;
    s->numbers = arena_copy(b->arena, numbers, n_numbers * sizeof *numbers);
    s->n_numbers = n_numbers;
    b->program->library |= 1u << function;
}
