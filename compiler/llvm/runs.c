/* runs.c: see runs.h. */
#include "runs.h"

enum { MOST_PERIOD = 64, LEAST_TIMES = 4, LEAST_CALLS = 16 };

int64_t run_place(const Buffer *b)
{
    return b->kind == BUF_TEMP || b->kind == BUF_LOCAL ? b->offset : (int64_t)b->index;
}

static bool is_plain(const FunctionPlan *p, const ProgramStep *s)
{
    if (s->kind != STEP_KERNEL || p->kernel[s->kernel].joined) return false;
    const Uses *u = &p->kernel[s->kernel].given;
    for (uint32_t i = 0; i < u->n_buffers; i++)
        if (plan_swaps(p, u->buffer[i])) return false;
    return !u->n_counters;
}

/* How much further buffer i of step b's call is than that of step a's. */
static int64_t distance(const FunctionPlan *p, uint32_t a, uint32_t b, uint32_t i)
{
    const ProgramStep *s = p->program->steps;
    const Buffer *all = p->program->buffers;
    return run_place(&all[p->kernel[s[b].kernel].given.buffer[i]]) -
           run_place(&all[p->kernel[s[a].kernel].given.buffer[i]]);
}

/* Do their addresses differ by a number, as a list's index or in one memory? */
static bool lie_alike(const Buffer *a, const Buffer *b)
{
    return a->kind == b->kind && (a->kind != BUF_TEMP || a->index == b->index);
}

/* Do both call one function with the same places in buffers of the same kinds? */
static bool are_alike(const FunctionPlan *p, uint32_t a, uint32_t b)
{
    const ProgramStep *s = p->program->steps;
    const Buffer *all = p->program->buffers;
    if (s[a].kind != STEP_KERNEL || s[b].kind != STEP_KERNEL) return false;
    const PlannedKernel *x = &p->kernel[s[a].kernel], *y = &p->kernel[s[b].kernel];
    if (x->first != y->first || !is_plain(p, &s[a]) || !is_plain(p, &s[b])) return false;
    for (uint32_t i = 0; i < x->given.n_buffers; i++)
        if (x->given.from[i] != y->given.from[i] ||
            !lie_alike(&all[x->given.buffer[i]], &all[y->given.buffer[i]]))
            return false;
    return true;
}

static bool goes_on(const FunctionPlan *p, uint32_t at, uint32_t period)
{
    const Uses *u = &p->kernel[p->program->steps[at].kernel].given;
    for (uint32_t i = 0; i < u->n_buffers; i++)
        if (distance(p, at - 2 * period, at - period, i) != distance(p, at - period, at, i)) return false;
    return true;
}

static uint32_t count_times(const FunctionPlan *p, uint32_t from, uint32_t to, uint32_t period)
{
    uint32_t i = from + period;
    while (i < to && are_alike(p, i - period, i) && (i < from + 2 * period || goes_on(p, i, period))) i++;
    return (i - from) / period;
}

CallRun run_of_calls(const FunctionPlan *p, uint32_t from, uint32_t to)
{
    for (uint32_t period = 1; period <= MOST_PERIOD && from + LEAST_TIMES * period <= to; period++) {
        uint32_t times = count_times(p, from, to, period);
        if (times >= LEAST_TIMES && times * period >= LEAST_CALLS) return (CallRun){ period, times };
    }
    return (CallRun){ 0 };
}
