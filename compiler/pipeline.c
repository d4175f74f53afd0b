/* pipeline.c: THE list of passes; see pipeline.h. */
#include "pipeline.h"
#include "compiler/fuse/fuse.h"
#include "compiler/passes/contract.h"
#include "compiler/passes/expand/expand.h"
#include "compiler/passes/inline_rules.h"
#include "compiler/passes/narrow_ints.h"
#include "compiler/passes/simplify.h"
#include "compiler/planes/planes.h"

static bool at(const Pipeline *p, Stage stage, const Graph *g, const Program *program)
{
    return !p->between || p->between(p->user, stage, g, program);
}

Program *pipeline_run(const Pipeline *p, Arena *a, const Graph *g, Failure *f)
{
    if (!at(p, STAGE_TRACED, g, NULL)) return NULL;

    g = inline_rules(a, g, f);
    if (!g || !at(p, STAGE_INLINED, g, NULL)) return NULL;

    g = planes(a, g, p->mode == MODE_STRICT, f);
    if (!g || !at(p, STAGE_PLANES, g, NULL)) return NULL;

    g = simplify(a, g);
    if (!at(p, STAGE_SIMPLIFIED, g, NULL)) return NULL;

    g = expand(a, narrow_ints(a, g), p->mode == MODE_STRICT, p->mode == MODE_FAST, p->target->fma);
    if (p->mode != MODE_STRICT && p->target->fma) g = contract(a, g);
    if (!at(p, STAGE_EXPANDED, g, NULL)) return NULL;

    Program *program = fuse(a, g, p->target, p->mode, p->donated);
    return at(p, STAGE_FUSED, g, program) ? program : NULL;
}
