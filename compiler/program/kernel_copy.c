/* kernel_copy.c: see kernel_copy.h. */
#include "kernel_copy.h"

void copy_begin(KernelCopy *c, Kernel empty)
{
    c->out = empty;
    c->capacity = 0;
}

Val copy_append(KernelCopy *c, Stmt s)
{
    Kernel *k = &c->out;
    ARENA_PUSH(c->program->arena, k->stmts, k->n_stmts, c->capacity) = s;
    return k->n_stmts - 1;
}

void copy_stmt(KernelCopy *c, Val v)
{
    Stmt s = c->from->stmts[v];
    Term *terms = arena_copy(c->program->arena, s.address.terms, s.address.n_terms * sizeof *terms);
    for (int a = 0; a < 3; a++)
        if (s.args[a] != VAL_NONE) s.args[a] = c->map[s.args[a]];
    for (uint32_t t = 0; t < s.address.n_terms; t++) terms[t].of = c->map[terms[t].of];
    s.address.terms = terms;
    c->map[v] = copy_append(c, s);
}

static Address element(KernelCopy *c, Val at, int64_t offset)
{
    Term *t = arena_alloc(c->program->arena, sizeof *t);
    *t = (Term){ at, 1 };
    return (Address){ offset, at != VAL_NONE, t };
}

Val copy_load(KernelCopy *c, uint32_t buffer, Val at)
{
    Stmt s = stmt_new(ST_LOAD, (DType)c->program->buffers[buffer].dtype);
    s.buffer = buffer;
    s.address = element(c, at, 0);
    return copy_append(c, s);
}

void copy_store(KernelCopy *c, uint32_t buffer, Val at, int64_t offset, Val value)
{
    Stmt s = stmt_new(ST_STORE, (DType)0);
    s.buffer = buffer;
    s.address = element(c, at, offset);
    s.args[0] = value;
    copy_append(c, s);
}
