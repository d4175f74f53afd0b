/* updates.c: updates in place. A kernel that makes an array of another by changing a row copies all
 * the rest, and the next of a chain copies it again. If what it was made of is a temporary that nobody reads
 * after it, and each element is read before it is written over (alias.h), both arrays are one buffer from the
 * start, and the copying falls away. A border that is set side by side costs its four sides:
 *
 *     p = weft_set(p, "0", weft_at(p, "-2")); p = weft_set(p, "-1", weft_at(p, "1")); ...
 *
 * It is done graph by graph, for the body of a loop before its carries are (fuse_steps.c): the last of such a
 * chain is the carry's next value there, which then is not copied over the old one but takes its name.
 */
#include "alias.h"
#include "compiler/fuse/fuse_state.h"

/* Is it a temporary of this graph? */
static bool is_own(const GraphFusion *f, uint32_t buffer)
{
    return f->program->buffers[buffer].kind == BUF_TEMP && buffer >= f->first_buffer;
}

/* Is it that, and the kernel the last to speak of it? */
static bool ends_with(const GraphFusion *f, uint32_t buffer, uint32_t kernel)
{
    const BufferUses *u = fuse_uses(f->fusion, buffer);
    return is_own(f, buffer) && !u->steps && u->last <= kernel + 1;
}

static bool begins_with(const GraphFusion *f, uint32_t buffer, uint32_t kernel)
{
    return fuse_uses(f->fusion, buffer)->first == kernel + 1;
}

static void update_kernel(GraphFusion *f, uint32_t kernel)
{
    Kernel *k = &f->program->kernels[kernel];
    uint32_t refused = UINT32_MAX, refused_to = UINT32_MAX;
    for (uint32_t i = 0; i < k->n_stmts; i++) {
        const Stmt *s = &k->stmts[i];
        uint32_t to = s->buffer, from = s->kind == ST_STORE ? alias_copied(k, s) : UINT32_MAX;
        if (from == UINT32_MAX || from == to || (from == refused && to == refused_to)) continue;
        if (!ends_with(f, from, kernel) || !begins_with(f, to, kernel) ||
            !alias_in_kernel(f->program, k, from, to)) {
            refused = from, refused_to = to;
            continue;
        }
        /* the one that few speak of: a long chain has one name from the first on */
        bool keeps = is_own(f, to) && !fuse_uses(f->fusion, to)->steps;
        fuse_rename_buffer(f->fusion, keeps ? to : from, keeps ? from : to);
        alias_drop_idle(f->fusion->arena, k);
        i = UINT32_MAX; /* from the first again */
    }
}

void fuse_update_in_place(GraphFusion *f, uint32_t first_step)
{
    const Program *p = f->program;
    uint32_t depth = 0;
    for (uint32_t i = first_step; i < p->n_steps; i++) {
        const ProgramStep *s = &p->steps[i];
        if (s->kind == STEP_END) depth--;
        if (s->kind == STEP_KERNEL && !depth) update_kernel(f, s->kernel);
        depth += step_opens(s);
    }
}
