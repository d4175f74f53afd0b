/* explain.c: why things were compiled: a line for each build, in a ring of LOG_LINES. */
#include <limits.h>
#include <string.h>
#include "cache.h"
#include "runtime/memory/text_writer.h"
#include "weft/fn.h"

/* a line keeps room for one more argument and what follows */
enum { COMPARED = 64, LINE = 1536, LINE_END = 700 };

void explain_close(Cache *c)
{
    for (int i = 0; i < LOG_LINES; i++) memory_text_free(&c->ctx->memory, c->log[i]);
}

/* ---- reasons ---- */

static int differences(const CallKey *a, const CallKey *b)
{
    if (a->n_in != b->n_in || a->n_words != b->n_words) return INT_MAX;
    int n = 0;
    for (uint32_t i = 0; i < a->n_in; i++) n += !type_equal(a->in[i], b->in[i]);
    for (uint32_t i = 0; i < a->n_words; i++) n += a->words[i] != b->words[i];
    return n + (a->donated != b->donated) + (a->hooks != b->hooks);
}

/* What shapes the structures differs: the first such word is told. False: none. */
static bool write_structure(TextWriter *w, const CallKey *was, const CallKey *is)
{
    TreeDifference d;
    if (!tree_difference(&is->fn->sig->in, was->words, was->n_words, is->words, is->n_words, &d))
        return false;
    text_write(w, "%s %s %s -> %s%s", d.number ? "number" : "structure", d.path, d.a, d.b,
               d.number ? " (a C number is part of the key; weft_scalar is not)" : "");
    return true;
}

#define KEY_PATH(k, leaf) LEAF_PATH(&(k)->fn->sig->in, (k)->words, (k)->n_words, (leaf))

static void write_difference(TextWriter *w, const CallKey *was, const CallKey *is)
{
    const char *between = "";
    bool comparable = was->n_in == is->n_in && was->n_words == is->n_words;
    for (uint32_t i = 0; i < is->n_in && comparable && w->room > 1; i++) {
        if (type_equal(was->in[i], is->in[i])) continue;
        text_write(w, "%sargument %s %s -> %s", between, KEY_PATH(is, i), TYPE_TEXT(was->in[i]),
                   TYPE_TEXT(is->in[i]));
        between = ", ";
    }
    TextWriter before = *w;
    text_write(w, "%s", between);
    if (write_structure(w, was, is)) between = ", ";
    else *w = before, *w->at = '\0';
    for (uint32_t i = 0; i < is->n_in && i < 64 && comparable; i++) {
        if (!((was->donated ^ is->donated) >> i & 1)) continue;
        text_write(w, "%sargument %s %s", between, KEY_PATH(is, i),
                   is->donated >> i & 1 ? "donated" : "not donated");
        between = ", ";
    }
    if (was->hooks != is->hooks) {
        text_write(w, "%shooks on gradients were added or removed", between);
        between = ", ";
    }
    if (!*between) text_write(w, "its code had been dropped from the cache");
}

/* The entry of this function that differs least, among those used lately. */
static const CallKey *nearest(const Cache *c, const CallKey *key)
{
    const CallKey *best = NULL;
    int least = 0, seen = 0;
    for (const CacheEntry *e = c->newest; e && seen < COMPARED; e = e->older) {
        if (e->key.fn != key->fn) continue;
        int d = differences(&e->key, key);
        if (!best || d < least) best = &e->key, least = d;
        seen++;
    }
    return best;
}

void explain_reason(Cache *c, const CallKey *key, char *buf, size_t size)
{
    TextWriter w = { buf, size };
    buf[0] = '\0';
    Function *fn = (Function *)key->fn;
    Memory *m = &c->ctx->memory;
    CallKey *copy = key_copy(m, key);
    LOCK(&c->lock);
    const CallKey *was = fn->last && key_equal(fn->last, key) ? fn->last : nearest(c, key);
    if (!was) was = fn->last;
    if (was) write_difference(&w, was, key);
    if (!copy) return;
    key_free(m, fn->last);
    fn->last = copy;
}

/* " for m.w f32[3], x f32[4], n 3": arguments, and numbers of the signature itself. */
static void write_arguments(TextWriter *w, const CallKey *k)
{
    CLEANUP(walk_end) Walk walk;
    WalkEvent event;
    const char *between = " for ";
    walk_words(&walk, NULL, &k->fn->sig->in, k->words, k->n_words);
    while (((event = walk_next(&walk)) == WALK_LEAF || event == WALK_WORD) && w->room > 1) {
        char text[160];
        if (event == WALK_LEAF) type_text(text, sizeof text, k->in[walk.leaves - 1]);
        else if (walk_field(&walk)->kind == WEFT_FIELD_STATIC)
            number_text(text, sizeof text, (DType)walk_field(&walk)->number, walk.bits);
        else continue;
        if (w->room < LINE_END) {
            text_write(w, ", ...");
            return;
        }
        text_write(w, "%s%s %s", between, WALK_PATH(&walk), text);
        between = ", ";
    }
}

/* Under jit, what was compiled is the function below it. */
static const char *subject(const Function *fn) { return fn->kind == FN_JIT ? fn->base->label : fn->label; }

void explain_built(Cache *c, const CacheEntry *e, const char *reason, double trace_us, const Code *code,
                   bool shared)
{
    char line[LINE];
    TextWriter w = { line, sizeof line };
    const char *again = *reason ? " again: " : "";
    text_write(&w, "%s: %s%s%s", subject(e->key.fn), code && code->entry ? "compiled" : "traced", again,
               reason);
    if (!*reason) write_arguments(&w, &e->key);
    text_write(&w, " (trace %.2f ms", trace_us / 1000);
    if (code && !code->entry) text_write(&w, "; it runs op by op: %s", code->why_not);
    else if (shared) text_write(&w, "; the code of an equal graph serves");
    else if (code)
        text_write(&w, ", simplify %.2f, fuse %.2f, emit %.2f, codegen %.2f, load %.2f; %u kernel%s",
                   code->simplify_us / 1000, code->fuse_us / 1000, code->emit_us / 1000,
                   code->codegen_us / 1000, code->load_us / 1000, code->n_kernels,
                   code->n_kernels == 1 ? "" : "s");
    text_write(&w, ")");
    explain_note(c, "%s", line);
    for (uint32_t i = 0; i < e->n_hidden; i++)
        explain_note(c, "%s: keeps %s, a concrete array it met", subject(e->key.fn),
                     TYPE_TEXT(array_own_type(e->hidden[i])));
}

void explain_note(Cache *c, const char *format, ...)
{
    char line[LINE];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    LOCK(&c->lock);
    char **slot = &c->log[c->n_log++ % LOG_LINES];
    memory_text_free(&c->ctx->memory, *slot);
    *slot = memory_text(&c->ctx->memory, line);
}

/* ---- the public text ---- */

/* All lines, from the oldest on. NULL: out of memory. */
static const char *write_report(Local *l)
{
    Cache *c = l->ctx->cache;
    Memory *m = &l->ctx->memory;
    memory_free(m, l->report, l->report_bytes);
    LOCK(&c->lock);
    l->report_bytes = 1;
    for (int i = 0; i < LOG_LINES; i++) l->report_bytes += c->log[i] ? strlen(c->log[i]) + 1 : 0;
    char *at = l->report = memory_alloc(m, l->report_bytes);
    for (size_t i = 0; i < LOG_LINES && at; i++) {
        const char *line = c->log[(c->n_log + i) % LOG_LINES];
        if (line) at += sprintf(at, "%s\n", line);
    }
    return l->report;
}

const char *weft_explain(weft_context *ctx)
{
    Local *l = context_enter(ctx, "weft_explain", NULL);
    if (!l) return "";
    const char *report = write_report(l);
    if (!report) error_memory(l, "weft_explain", NULL);
    return report ? report : "";
}
