/* test_buffers.c: which temporaries of programs written by hand have one memory. */
#include "compiler/fuse/memory/buffers.h"
#include "tests/support/heap.h"
#include "tests/support/programs.h"
#include <criterion/criterion.h>

enum { N = 64, BYTES = 4 * N };

/* One kernel: each buffer of `to` gets twice what is in `from`, element by element. */
static void twice(ProgramBuilder *b, uint32_t from, const uint32_t *to, int n)
{
    Val i = put_loop(b, N, 16, 1), v = put_load(b, from, AT(0, { i, 1 })), two = put_binary(b, OP_ADD, v, v);
    for (int k = 0; k < n; k++) put_store(b, to[k], AT(0, { i, 1 }), two);
    put_end(b, i);
}

typedef struct Case {
    Arena arena;
    ProgramBuilder b;
    uint32_t in, out, temp[2];
} Case;

static void begin(Case *c)
{
    arena_open(&c->arena);
    program_begin(&c->b, &c->arena, MODE_DEFAULT);
    c->in = program_buffer(&c->b, BUF_INPUT, WEFT_F32, N);
    c->out = program_buffer(&c->b, BUF_OUTPUT, WEFT_F32, N);
    for (int i = 0; i < 2; i++) c->temp[i] = program_buffer(&c->b, BUF_TEMP, WEFT_F32, N);
}

static int64_t offset(const Case *c, int temp) { return c->b.program->buffers[c->temp[temp]].offset; }

/* Of the first a kernel reads an element as it writes the second's: one memory will do. */
Test(buffers, one_follows_another)
{
    Case c;
    begin(&c);
    twice(&c.b, c.in, &c.temp[0], 1);
    program_kernel(&c.b, "k1");
    twice(&c.b, c.temp[0], &c.temp[1], 1);
    program_kernel(&c.b, "k2");
    twice(&c.b, c.temp[1], &c.out, 1);
    plan_buffers(&c.arena, c.b.program);
    cr_expect_eq(offset(&c, 0), offset(&c, 1));
    cr_expect_eq(c.b.program->scratch_bytes, BYTES);
    arena_free(&c.arena);
}

/* Both live in one kernel alone: each ends where the other begins, yet neither comes first. */
Test(buffers, none_follows_another_of_its_kernel, .timeout = 20)
{
    Case c;
    begin(&c);
    twice(&c.b, c.in, c.temp, 2);
    program_kernel(&c.b, "k1");
    twice(&c.b, c.in, &c.out, 1);
    plan_buffers(&c.arena, c.b.program);
    cr_expect_neq(offset(&c, 0), offset(&c, 1));
    cr_expect_eq(c.b.program->scratch_bytes, 2 * BYTES);
    arena_free(&c.arena);
}

/* The second is stored beside the first, which a later kernel still reads. */
Test(buffers, both_are_needed_at_once)
{
    Case c;
    begin(&c);
    twice(&c.b, c.in, c.temp, 2);
    program_kernel(&c.b, "k1");
    Val i = put_loop(&c.b, N, 16, 1), v = put_load(&c.b, c.temp[0], AT(0, { i, 1 }));
    put_store(&c.b, c.out, AT(0, { i, 1 }),
              put_binary(&c.b, OP_ADD, v, put_load(&c.b, c.temp[1], AT(0, { i, 1 }))));
    put_end(&c.b, i);
    plan_buffers(&c.arena, c.b.program);
    cr_expect_neq(offset(&c, 0), offset(&c, 1));
    arena_free(&c.arena);
}

/* What one holds the kernel stores anew behind its loop, when the other has all its elements. */
Test(buffers, what_is_stored_again_is_not_followed)
{
    Case c;
    begin(&c);
    twice(&c.b, c.in, &c.temp[0], 1);
    program_kernel(&c.b, "k1");
    twice(&c.b, c.temp[0], &c.temp[1], 1);
    twice(&c.b, c.in, &c.temp[0], 1);
    program_kernel(&c.b, "k2");
    twice(&c.b, c.temp[1], &c.out, 1);
    plan_buffers(&c.arena, c.b.program);
    cr_expect_neq(offset(&c, 0), offset(&c, 1));
    arena_free(&c.arena);
}
