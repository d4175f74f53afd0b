/* execute.c: a call: its arguments' memory is held, its results are made, and it runs: at once, or in the
 * queue where it takes long or stands behind others. */
#include "plugin.h"

/* ---- a call ---- */

static Call *call_new(Shared *s)
{
    size_t n = s->n_in + s->n_out;
    Call *c = malloc(sizeof *c + (n + s->n_in) * sizeof(void *));
    if (!c) return NULL;
    *c = (Call){ .of = s, .in = (Block **)(c + 1) };
    c->out = c->in + s->n_in;
    c->after = (PJRT_Event **)(c->in + n);
    memset(c->in, 0, (n + s->n_in) * sizeof(void *));
    atomic_fetch_add(&s->users, 1);
    return c;
}

void call_end(Call *c, PJRT_Error *e)
{
    PJRT_Event *done = c->done;
    for (size_t i = 0; i < c->of->n_in + c->of->n_out; i++) {
        if (c->queued) atomic_fetch_sub(&c->in[i]->queued, 1);
        block_drop(c->in[i]);
    }
    for (size_t i = 0; i < c->of->n_in; i++) event_drop(c->after[i]);
    shared_drop(c->of);
    free(c);
    if (done) event_fail(done, e);
}

void call_queued(Call *c)
{
    c->queued = true;
    for (size_t i = 0; i < c->of->n_in + c->of->n_out; i++) atomic_fetch_add(&c->in[i]->queued, 1);
}

enum { FEW = 64 };

PJRT_Error *call_run(Call *c)
{
    const Shared *s = c->of;
    size_t n = s->n_in + s->n_out;
    weft_context *ctx = s->client->ctx;
    void *few[FEW], **at = n > FEW ? malloc(n * sizeof *at) : few;
    void *scratch = s->scratch ? weft_block(ctx, s->scratch) : NULL;
    PJRT_Error *e = at ? NULL : error_no_memory();
    if (s->scratch && !scratch) e = error_of(ctx);
    for (size_t i = 0; !e && i < s->n_in; i++) e = c->after[i] ? event_wait(c->after[i]) : NULL;
    for (size_t i = 0; !e && i < n; i++) at[i] = c->in[i]->data;
    if (!e && weft_program_run(s->program, (const void *const *)at, at + s->n_in, scratch) != WEFT_OK)
        e = error_of(ctx);
    weft_block_free(ctx, scratch, s->scratch);
    if (at != few) free(at);
    return e;
}

/* ---- its arguments and results ---- */

/* A token that no program gave is an array of no bools, as JAX makes them. */
static bool takes(const Port *p, const PJRT_Buffer *b)
{
    bool token = p->number == PJRT_Buffer_Type_TOKEN && b->type == PJRT_Buffer_Type_PRED;
    return (b->type == p->number || token) && b->rank == (size_t)p->type.rank &&
           !memcmp(b->dim, p->type.shape, b->rank * sizeof *b->dim);
}

static PJRT_Error *check_call(const PJRT_LoadedExecutable_Execute_Args *a)
{
    const Shared *s = a->executable->same.of;
    if (atomic_load(&a->executable->deleted))
        return error_new(PJRT_Error_Code_FAILED_PRECONDITION, "weft: the executable was deleted");
    if (a->num_devices != 1)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: %zu devices: there is one", a->num_devices);
    if (a->num_args != s->n_in)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                         "weft: Execution supplied %zu buffers but compiled program expected %zu buffers",
                         a->num_args, s->n_in);
    for (size_t i = 0; i < s->n_in; i++) {
        const PJRT_Buffer *b = a->argument_lists[0][i];
        if (!takes(&s->in[i], b))
            return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: argument %zu has another type or shape",
                             i);
        if (b->layout != s->in[i].layout)
            return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                             "weft: argument %zu lies in memory as %s: this program takes %s", i,
                             b->layout->text, s->in[i].layout->text);
    }
    return NULL;
}

static bool may_donate(const PJRT_ExecuteOptions *o, int input)
{
    for (size_t i = 0; o && i < o->num_non_donatable_input_indices; i++)
        if (o->non_donatable_input_indices[i] == input) return false;
    return true;
}

/* A donated argument's memory is nobody else's: what is given twice cannot be. */
static PJRT_Error *check_donated(const Call *c, const PJRT_ExecuteOptions *o)
{
    for (size_t i = 0; i < c->of->n_in; i++)
        for (size_t k = 0; c->of->in[i].donated && k < c->of->n_in; k++)
            if (k != i && c->in[k] == c->in[i] && may_donate(o, (int)i))
                return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                                 "weft: argument %zu is donated, and its memory is argument %zu, too", i, k);
    return NULL;
}

static PJRT_Error *hold_arguments(Call *c, PJRT_Buffer *const *arg)
{
    PJRT_Error *e = NULL;
    for (size_t i = 0; i < c->of->n_in && !e; i++) {
        c->in[i] = buffer_hold(arg[i], &e);
        if (c->in[i] && c->in[i]->made) c->after[i] = event_hold(c->in[i]->made);
    }
    return e;
}

static PJRT_Error *make_results(Call *c, PJRT_Buffer *const *arg, PJRT_Buffer **result,
                                const PJRT_ExecuteOptions *o)
{
    PJRT_Error *e = NULL;
    for (size_t i = 0; i < c->of->n_out; i++) {
        const Port *p = &c->of->out[i];
        bool over = p->donor >= 0 && may_donate(o, p->donor);
        result[i] = buffer_new(&c->of->client->memory[p->memory], p->type, p->layout,
                               over ? buffer_take(arg[p->donor], c->in[p->donor]) : NULL, &e);
        if (e) return e;
        c->out[i] = buffer_hold(result[i], &e);
    }
    return NULL;
}

/* ---- now or later ---- */

/* Whoever reads the results waits for the call. */
static bool run_later(Call *c)
{
    PJRT_Event *done = event_new();
    if (!done) return false;
    c->done = done;
    for (size_t i = 0; i < c->of->n_out; i++) {
        event_drop(c->out[i]->made);
        c->out[i]->made = event_hold(done);
    }
    return true;
}

/* ms that the caller waits for a program that calls the host's functions: if that was enough, what they print
 * stands before what the caller prints next, and their error is the call's. */
enum { A_MOMENT = 20 };

static PJRT_Error *run(Call *c, PJRT_Event **done)
{
    Queue *queue = c->of->client->queue;
    bool later = queue_wants(queue, c->of) && run_later(c);
    *done = later ? c->done : event_ready(); /* its user is the caller */
    bool calls_host = c->of->calls_host;
    if (later && queue_add(queue, c)) return calls_host ? event_wait_a_moment(*done, A_MOMENT) : NULL;
    queue_pass(queue, c);
    PJRT_Error *e = call_run(c);
    if (!later) return call_end(c, NULL), e;
    call_end(c, e);
    queue_look(queue);
    return NULL;
}

static PJRT_Error *start(Call *c, const PJRT_LoadedExecutable_Execute_Args *a, PJRT_Event **done)
{
    const Shared *s = c->of;
    PJRT_Buffer *const *arg = a->argument_lists[0], **result = a->output_lists[0];
    PJRT_Error *e = hold_arguments(c, arg);
    if (!e && s->donates) e = check_donated(c, a->options);
    if (!e) e = make_results(c, arg, result, a->options);
    if (e) return call_end(c, NULL), e;
    for (size_t i = 0; s->donates && i < s->n_in; i++)
        if (s->in[i].donated && may_donate(a->options, (int)i)) buffer_delete(arg[i]);
    return run(c, done);
}

static PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *a)
{
    Shared *s = a->executable->same.of;
    PJRT_Buffer **result = a->output_lists[0];
    PJRT_Event *done = NULL;
    PJRT_Error *e = check_call(a);
    if (e) return e;
    Call *c = call_new(s);
    if (!c) return error_no_memory();
    for (size_t i = 0; i < s->n_out; i++) result[i] = NULL;
    e = start(c, a, &done);
    for (size_t i = 0; e && i < s->n_out; i++) {
        if (result[i]) buffer_free(result[i]);
        result[i] = NULL;
    }
    if (!e && a->device_complete_events) a->device_complete_events[0] = done;
    else event_drop(done);
    return e;
}

void api_add_calls(PJRT_Api *api) { api->PJRT_LoadedExecutable_Execute = execute; }
