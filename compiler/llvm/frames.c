/* frames.c: see frames.h. */
#include "frames.h"
#include <stdlib.h>
#include <string.h>
#include "emit.h"

/* What a function has beside what LLVM says: its return address, what it may use below its stack pointer (the
 * red zone), and what aligns its frame and the values that it spills. */
enum { RETURN_ADDRESS = 8, RED_ZONE = 128 };

static int by_function(const void *a, const void *b)
{
    LLVMValueRef f = ((const Frame *)a)->function, g = ((const Frame *)b)->function;
    return (f > g) - (f < g);
}

static Frame *frame_of(const Frames *s, LLVMValueRef function)
{
    const Frame wanted = { .function = function };
    return s->n ? bsearch(&wanted, s->frame, s->n, sizeof wanted, by_function) : NULL;
}

/* All its arguments, of which some lie on the stack. */
static size_t argument_bytes(LLVMTargetDataRef layout, LLVMValueRef function)
{
    size_t bytes = 0;
    for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p))
        bytes += (size_t)LLVMABISizeOfType(layout, LLVMTypeOf(p));
    return bytes;
}

void frames_open(Frames *s, Emitter *e)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(e->module);
    uint32_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(e->module); f; f = LLVMGetNextFunction(f))
        n += !LLVMIsDeclaration(f);
    s->module = e->module;
    s->frame = arena_alloc(e->arena, (n + 1) * sizeof *s->frame);
    for (LLVMValueRef f = LLVMGetFirstFunction(e->module); f; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f))
            s->frame[s->n++] =
                (Frame){ .function = f,
                         .bytes = RETURN_ADDRESS + RED_ZONE + 2 * (size_t)e->target->vector_bytes +
                                  argument_bytes(layout, f) };
    qsort(s->frame, s->n, sizeof *s->frame, by_function);
}

/* "<unknown>:0:0: stack frame size (27224) exceeds limit (0) in function 'k0_add_1024'" */
void frames_note(Frames *s, char *warning)
{
    static const char words[] = "stack frame size (";
    char *size = strstr(warning, words), *name = size ? strchr(size, '\'') : NULL;
    if (!name || !s->n) return;
    char *end = strrchr(name, '\'');
    *end = '\0';
    Frame *f = frame_of(s, LLVMGetNamedFunction(s->module, name + 1));
    if (!f || f->is_known) return;
    f->bytes += strtoull(size + sizeof words - 1, NULL, 10);
    f->is_known = true;
}

/* Of the longest way of calls from outside to the function, its own frame included. A function is called, or
 * handed to whoever calls it, as pieces are. */
static size_t depth_of(const Frames *s, const Frame *f)
{
    size_t most = 0;
    for (LLVMUseRef u = LLVMGetFirstUse(f->function); u; u = LLVMGetNextUse(u)) {
        LLVMValueRef user = LLVMGetUser(u);
        if (!LLVMIsAInstruction(user)) continue;
        const Frame *caller = frame_of(s, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
        if (caller && most < caller->depth) most = caller->depth;
    }
    return most + f->bytes;
}

/* Ways are short: a few rounds reach their ends. */
bool frames_depth(Frames *s, size_t *depth)
{
    *depth = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->frame[i].is_known) return false;
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < s->n; i++) {
            size_t now = depth_of(s, &s->frame[i]);
            more |= now > s->frame[i].depth;
            s->frame[i].depth = now;
            if (*depth < now) *depth = now;
        }
    }
    return true;
}
