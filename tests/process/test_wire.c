/* test_wire.c: programs and messages on the wire to a compiler process: they come over whole, and damaged
 * ones are refused. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "compiler/pipeline.h"
#include "tests/graphs/graphs.h"
#include "tests/support/heap.h"
#include "tests/support/programs.h"
#include "runtime/memory/context.h"
#include "runtime/process/process.h"
#include "runtime/process/wire.h"

static Program *fused(Arena *a, uint64_t seed, const Target *t)
{
    const Graph *g = random_graph(a, seed, &(RandomOptions){ .nodes = 25 });
    Program *p = pipeline_run(&(Pipeline){ .target = t, .mode = (NumericMode)(seed % 3) }, a, g, NULL);
    cr_assert(p);
    return p;
}

/* Pack and unpack give the same program, and the other process gives the same object. */
Test(wire, makes_the_same_code)
{
    Arena arena;
    Memory memory;
    Target here, there;
    Failure f = { .code = WEFT_OK };
    arena_open(&arena);
    memory_init(&memory, &heap, 0, 0);
    CompilerProcess *p = process_new(&memory, 0, 0);
    cr_assert(process_target(p, "host", &there, &f), "%s", f.text);
    cr_assert(code_backend()->target("host", &here));
    cr_assert(!memcmp(&here, &there, sizeof here));
    for (uint64_t seed = 1; seed <= 40; seed++) {
        BackendOutput mine, other;
        size_t bytes;
        Program *program = fused(&arena, seed, &here);
        void *block = program_pack(&arena, program, &bytes);
        Program *back = program_unpack(block, bytes);
        cr_assert(back);
        cr_assert_str_eq(program_print(&arena, back), program_print(&arena, program));
        unsigned also = seed % 4 ? 0 : BACKEND_IR | BACKEND_ASM;
        cr_assert(code_backend()->compile(program, &here, also, NULL, &mine), "%s", mine.error);
        cr_assert(process_compile(p, &arena, program, &there, also, 1, &other, &f), "%s", f.text);
        cr_assert(mine.object_bytes == other.object_bytes, "seed %d", (int)seed);
        cr_assert(!memcmp(mine.object, other.object, mine.object_bytes), "seed %d", (int)seed);
        if (also) cr_assert_str_eq(mine.ir, other.ir);
        if (also) cr_assert_str_eq(mine.assembly, other.assembly);
        backend_release(&mine);
        backend_release(&other);
        arena_free(&arena);
    }
    cr_assert(!process_target(p, "no such machine", &there, &f));
    process_free(&memory, p);
    memory_close(&memory);
}

/* Cut off anywhere or with any byte changed, a packed program is refused, or has pointers that stay
 * inside: the sanitizer would see it. */
Test(wire, refuses_damaged_programs)
{
    Arena arena;
    Target t;
    size_t bytes, refused = 0;
    arena_open(&arena);
    cr_assert(code_backend()->target("host", &t));
    const char *block = program_pack(&arena, fused(&arena, 2, &t), &bytes);
    for (size_t n = 0; n < bytes; n++) {
        char *copy = aligned_alloc(16, (bytes + 15) & ~(size_t)15);
        memcpy(copy, block, n);
        cr_assert(!program_unpack(copy, n), "%zu bytes of %zu", n, bytes);
        memcpy(copy, block, bytes);
        copy[n] ^= 0x41;
        refused += !program_unpack(copy, bytes);
        free(copy);
    }
    cr_assert(refused > bytes / 50);
    arena_free(&arena);
}

/* Receives these bytes; the other end is closed behind them. */
static WireResult received(const char *bytes, size_t n)
{
    int pair[2];
    void *block;
    size_t size;
    cr_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    cr_assert(send(pair[1], bytes, n, 0) == (ssize_t)n);
    close(pair[1]);
    WireResult r = wire_receive(pair[0], &block, &size, INFINITY);
    cr_assert(!r == !!block);
    free(block);
    close(pair[0]);
    return r;
}

Test(wire, refuses_damaged_messages)
{
    static const char text[] = "what is said";
    char message[256];
    int pair[2];
    cr_assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    const MessagePart parts[] = { { text, 5 }, { NULL, 0 }, { text + 5, sizeof text - 5 } };
    cr_assert(!wire_send(pair[1], parts, 3, INFINITY));
    ssize_t n = recv(pair[0], message, sizeof message, 0);
    cr_assert(n > (ssize_t)sizeof text);
    cr_assert(received(message, (size_t)n) == WIRE_DONE);
    for (ssize_t i = 0; i < n; i++) {
        cr_assert(received(message, (size_t)i) == WIRE_CLOSED);
        for (int bit = 0; bit < 8; bit++) {
            message[i] ^= (char)(1 << bit);
            cr_assert(received(message, (size_t)n) == WIRE_DAMAGED, "byte %d", (int)i);
            message[i] ^= (char)(1 << bit);
        }
    }
    void *block;
    size_t size;
    cr_assert(wire_receive(pair[0], &block, &size, wire_deadline(0.02)) == WIRE_LATE);
    close(pair[0]);
    cr_assert(wire_send(pair[1], &(MessagePart){ text, 5 }, 1, INFINITY) == WIRE_CLOSED);
    close(pair[1]);
    cr_assert(wire_send(pair[1], &(MessagePart){ text, 5 }, 1, INFINITY) == WIRE_CLOSED);
}
