/* step_list.h: a program's steps written anew, with others in place of some. */
#ifndef WEFT_PROGRAM_STEP_LIST_H
#define WEFT_PROGRAM_STEP_LIST_H
#include "program.h"

typedef struct StepList {
    ProgramStep *steps;
    uint32_t n, capacity;
    uint32_t *map; /* by old step that was kept: where it is now */
} StepList;

static inline StepList step_list_new(const Program *p)
{
    return (StepList){ .map = arena_alloc(p->arena, (p->n_steps + 1) * sizeof(uint32_t)) };
}

static inline void step_list_push(Arena *a, StepList *l, ProgramStep s)
{
    ARENA_PUSH(a, l->steps, l->n, l->capacity) = s;
}

/* Step number i goes on, behind those before it that it belongs to. */
static inline void step_list_keep(StepList *l, const Program *p, uint32_t i)
{
    ProgramStep s = p->steps[i];
    l->map[i] = l->n;
    if (step_has_opened(&s)) s.opened = l->map[s.opened];
    step_list_push(p->arena, l, s);
}

static inline void step_list_end(const StepList *l, Program *p)
{
    p->steps = l->steps;
    p->n_steps = l->n;
    p->cap_steps = l->capacity;
}
#endif
