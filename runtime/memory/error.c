/* error.c: see error.h. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include "context.h"
#include "stack.h"
#include "text_writer.h"

/* C does not say where a function is called. The last macro that ran on this thread stands on that line, if
 * an argument is computed there, or before it. */
static void write_after(TextWriter *w, const CallFrame *f)
{
    Dl_info object;
    if (f->after && dladdr(f->after, &object)) text_write(w, ", called at or after %.200s", f->after);
}

static void write_frame(TextWriter *w, const char *how, const CallFrame *f)
{
    text_write(w, "%s%s", how, f->label);
    if (f->made_at) text_write(w, " made at %s", f->made_at);
    write_after(w, f);
}

/* "\n in project (errors.c:7), in jit(project) made at errors.c:30, called at or after errors.c:9, from
 * vmap(score) made at errors.c:31, called at or after ..." */
static void write_chain(TextWriter *w, const CallFrame *f, const char *at)
{
    if (!f) return;
    text_write(w, "\n  in %s", f->name);
    if (at) text_write(w, " (%s)", at);
    const char *how = ", from ";
    if (f->label != f->name) write_frame(w, ", in ", f);
    else { /* a user's function, or a foreign one, called by what stands around it */
        if (f->made_at) text_write(w, " made at %s", f->made_at);
        write_after(w, f);
        how = ", in ";
    }
    for (const CallFrame *outer = f->outer; outer; outer = outer->outer, how = ", from ")
        write_frame(w, how, outer);
}

static void tell(Local *l)
{
    const weft_options *o = &l->ctx->options;
    Callback c;
    callback_begin(&c, "on_error", l->ctx, l);
    o->on_error(o->user, l->error, l->error_text);
    callback_end(&c);
}

bool error_set(Local *l, weft_status code, const char *who, const char *at, const char *format, ...)
{
    TextWriter w = l ? (TextWriter){ l->error_text, sizeof l->error_text }
                     : (TextWriter){ thread.text, sizeof thread.text };
    if (l ? l->failures++ : thread.error != WEFT_OK) return false;
    if (at) text_write(&w, "%s: ", at);
    if (who) text_write(&w, "%s: ", who);
    va_list args;
    va_start(args, format);
    text_vwrite(&w, format, args);
    va_end(args);
    if (!l) {
        thread.error = code;
        return false;
    }
    write_chain(&w, l->frame, at);
    l->error = code;
    l->error_read = false;
    if (l->ctx->options.on_error) tell(l);
    return false;
}

bool error_memory(Local *l, const char *who, const char *at)
{
    const Memory *m = l ? &l->ctx->memory : NULL;
    if (!m || !m->limit) return error_set(l, WEFT_MEMORY, who, at, "out of memory");
    return error_set(l, WEFT_MEMORY, who, at, "out of memory (%zu bytes held, limit %zu)", (size_t)m->held,
                     m->limit);
}

bool error_failure(Local *l, const char *who, const char *at, const char *what, const Failure *f)
{
    if (f->code == WEFT_MEMORY) return error_memory(l, who, at);
    return error_set(l, f->code, who, at, "%s%s", what, f->text);
}

bool error_stack(Local *l, size_t need, const char *who, const char *at)
{
    size_t left = stack_left();
    if (left < need) error_set(l, WEFT_MEMORY, who, at, STACK_SHORT, left >> 10, (int)(need >> 10));
    return left < need;
}

/* An error from before there was a context comes first: only weft_error(NULL) can tell it. */
const char *weft_error(weft_context *ctx)
{
    if (!ctx && thread.error != WEFT_OK) return thread.text;
    if (ctx && !ctx->open) return "weft_error: the context is closed";
    Local *l = context_local(ctx);
    if (!l || l->error == WEFT_OK) return NULL;
    l->error_read = true;
    return l->error_text;
}

weft_status weft_clear(weft_context *ctx)
{
    weft_status code = WEFT_OK;
    if (!ctx) {
        code = thread.error;
        thread.error = WEFT_OK;
    }
    if (ctx && !ctx->open) return WEFT_ARGUMENT;
    Local *l = context_local(ctx);
    if (!l) return code;
    if (code == WEFT_OK) code = l->error;
    l->error = WEFT_OK;
    l->failures = 0;
    l->error_text[0] = '\0';
    return code;
}
