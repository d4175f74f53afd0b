/* stablehlo.c: weft_load_stablehlo: a program that others wrote as a function. Its text, kept for as long
 * as the context lives, names it; reading gives a graph, and a call puts that graph into the running trace.
 *
 * A program says how many arrays it takes and gives, and of which types; the signature says how arguments and
 * results are made of them. What the structure of a result's struct leaves open only a list may: it takes the
 * results that no other does.
 */
#include <string.h>
#include "runtime/call/loaded.h"
#include "runtime/trace/op.h"
#include "runtime/transforms/staging.h"
#include "weft/program.h"

enum { NUMBER_TEXT, NUMBER_LENGTH, NUMBERS };

typedef struct Program {
    const Graph *graph;
    const Exported *exported; /* or NULL */
    uint32_t n_in;            /* arrays among the arguments */
    uint32_t first;           /* of the graph's parameters: which is the first of them */
    uint32_t n_out;           /* of its outputs, those that the program says */
} Program;

/* The argument that the graph's parameter takes, which is not the platform. */
static uint32_t argument_of(const Program *p, uint32_t param)
{
    uint32_t i = param - p->first;
    return p->exported ? exported_kept(p->exported, i) : i;
}

/* ---- what the signature makes of the results ---- */

/* A result's leaves, if it always has as many and nothing else; -1: not so. */
static int64_t fixed_leaves(const weft_field *field)
{
    uint32_t leaves = 1, words = 0;
    bool fixed = !field->tree || (tree_fixed(field->tree, &leaves, &words) && !words);
    return fixed ? (int64_t)leaves : -1;
}

static bool is_list(const weft_field *field)
{
    return field->tree && field->tree->fields == 1 && field->tree->field->kind == WEFT_FIELD_ARRAYS;
}

/* The list that takes what others leave; out.fields: there is none. */
static size_t find_list(const Signature *s)
{
    size_t o = 0;
    while (o < s->out.fields && (s->in_of_out[o] >= 0 || !is_list(&s->out.field[o]))) o++;
    return o;
}

/* Leaves of all results but the list. in: where the arguments' begin, of which in-outs have as many. */
static uint32_t known_leaves(const Signature *s, const TreeRange *in)
{
    uint32_t n = 0;
    for (size_t o = 0; o < s->out.fields; o++) {
        int i = s->in_of_out[o];
        if (i >= 0) n += in[i + 1].leaf - in[i].leaf;
        else if (!is_list(&s->out.field[o])) n += (uint32_t)fixed_leaves(&s->out.field[o]);
    }
    return n;
}

static bool check_results(const Function *f, Local *l, uint32_t known)
{
    const Program *p = f->data;
    bool list = find_list(f->sig) < f->sig->out.fields;
    if (known == p->n_out || (list && known < p->n_out)) return true;
    return stage_error(f, l, WEFT_ARGUMENT, "the program gives %u arrays, and the results%s have %u",
                       p->n_out, list ? " but for the list" : "", known);
}

/* The results' words: in-outs stay as they were. False: error set. */
static bool structure_results(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const Program *p = f->data;
    const Signature *s = f->sig;
    TreeRange from[SIGNATURE_MAX_PARAMS + 1];
    if (!tree_ranges(&s->in, &l->ctx->memory, in->word, in->n_words, from)) return stage_memory(f, l);
    uint32_t known = known_leaves(s, from);
    if (!check_results(f, l, known)) return false;
    for (size_t o = 0; o < s->out.fields; o++) {
        int i = s->in_of_out[o];
        bool good = true;
        if (i >= 0) good = flat_words(out, in->word + from[i].word, from[i + 1].word - from[i].word);
        else if (is_list(&s->out.field[o])) good = flat_word(out, p->n_out - known);
        if (!good) return stage_memory(f, l);
    }
    return true;
}

/* ---- a call ---- */

typedef struct ProgramCall {
    const Program *program;
    Local *l;
    const Flat *in;
} ProgramCall;

static bool check_argument(const Function *f, Local *l, const Flat *in, uint32_t param)
{
    const Program *p = f->data;
    uint32_t i = argument_of(p, param);
    Type is = array_type(in->leaf[i]), wanted = graph_type(p->graph, param);
    if (type_equal(is, wanted)) return true;
    return stage_error(f, l, is.dtype != wanted.dtype ? WEFT_DTYPE : WEFT_SHAPE,
                       "argument %s is %s, but the program (%s) takes %s there%s", STAGE_IN(f, in, i),
                       STAGE_TYPE(is), f->text, STAGE_TYPE(wanted),
                       is.dtype != wanted.dtype ? " (weft_astype makes another element type of it)" : "");
}

static bool check_arguments(const Function *f, Local *l, const Flat *in)
{
    const Program *p = f->data;
    if (in->n_leaves != p->n_in)
        return stage_error(f, l, WEFT_ARGUMENT, "the program (%s) takes %u arrays, and the arguments have %u",
                           f->text, p->n_in, in->n_leaves);
    for (uint32_t i = p->first; i < p->graph->n_params; i++)
        if (!check_argument(f, l, in, i)) return false;
    return true;
}

/* Calls of the host's functions are made where a result is asked for. */
static bool inline_program(Graph *g, const Program *p, const Ref *args, Ref *results)
{
    uint32_t n = p->n_out, all = p->graph->n_outputs;
    Ref *given = stage_refs(g->arena, all + 2);
    if (n == all || n == 0) return graph_inline(g, p->graph, args, n ? results : given);
    if (!graph_inline(g, p->graph, args, given)) return false;
    memcpy(results, given, n * sizeof *results);
    Ref pair[2] = { given[0], given[n] }, kept[2];
    if (!build_barrier(g, pair, 2, kept)) return false;
    results[0] = kept[0];
    return true;
}

static bool build(void *call, Ref *results)
{
    const ProgramCall *c = call;
    const Program *p = c->program;
    Graph *g = c->l->trace->graph;
    Ref *args = stage_refs(g->arena, p->graph->n_params);
    if (p->first) args[0] = build_splat(g, graph_type(p->graph, 0), p->exported->platform);
    for (uint32_t i = p->first; i < p->graph->n_params; i++)
        args[i] = stage_leaf(c->l, c->in, argument_of(p, i));
    return inline_program(g, p, args, results);
}

static bool stage(const Function *f, Local *l, const Flat *in, Flat *out)
{
    const Program *p = f->data;
    uint32_t n = p->n_out;
    ProgramCall call = { p, l, in };
    if (!check_arguments(f, l, in) || !structure_results(f, l, in, out)) return false;
    const Ref *results = stage_build(f, l, build, &call, n);
    return results && call_results(f, l, results, n, out);
}

/* ---- making it ---- */

/* What serialize() wrote says which inputs main has: as many as it takes. */
static bool find_inputs(const Function *f, Program *p, Failure *failure)
{
    const Exported *e = p->exported;
    p->n_in = e ? e->n_inputs : p->graph->n_params;
    if (!e) return true;
    p->first = e->has_platform;
    bool good = e->n_kept + p->first == p->graph->n_params;
    for (uint32_t i = 0; i < e->n_kept && good; i++) good = exported_kept(e, i) < e->n_inputs;
    if (p->first && good) {
        Type t = graph_type(p->graph, 0);
        good = t.rank == 0 && !dtype_is_float((DType)t.dtype);
    }
    if (!good) return fail(failure, WEFT_IO, "%s: it does not say which inputs main takes", f->text);
    return e->devices < 2 ||
           fail(failure, WEFT_ARGUMENT, "%s: not supported: a program for %u devices", f->text, e->devices);
}

/* Only arrays and structs can be what a program takes and gives. */
static bool check_parts(const Signature *s, Failure *failure)
{
    bool list = false;
    for (size_t i = 0; i < s->in.fields; i++)
        if (s->in.field[i].kind == WEFT_FIELD_STATIC)
            return fail(failure, WEFT_ARGUMENT,
                        "argument %s of the signature is a number: a program takes arrays",
                        s->in.field[i].name);
    for (size_t o = 0; o < s->out.fields; o++) {
        const weft_field *field = &s->out.field[o];
        if (s->in_of_out[o] >= 0 || fixed_leaves(field) >= 0) continue;
        if (list || !is_list(field))
            return fail(failure, WEFT_ARGUMENT,
                        "nothing says how many arrays result %s of the signature has, or what else is in it: "
                        "results are arrays, structs of arrays, and one list (weft_arrays)",
                        field->name);
        list = true;
    }
    return true;
}

/* Counts what the signature alone says. */
static bool check_counts(const Function *f, const Program *p, Failure *failure)
{
    const Signature *s = f->sig;
    uint32_t leaves, words, n = 0;
    if (tree_fixed(&s->in, &leaves, &words) && leaves != p->n_in)
        return fail(failure, WEFT_ARGUMENT, "the program (%s) takes %u arrays, and %s %u", f->text, p->n_in,
                    s->text, leaves);
    for (size_t o = 0; o < s->out.fields; o++) {
        if (s->in_of_out[o] >= 0 || fixed_leaves(&s->out.field[o]) < 0) return true;
        n += (uint32_t)fixed_leaves(&s->out.field[o]);
    }
    return n == p->n_out || fail(failure, WEFT_ARGUMENT, "the program (%s) gives %u arrays, and %s %u",
                                 f->text, p->n_out, s->text, n);
}

static bool prepare(Function *f, Arena *a, Failure *failure)
{
    const char *chars = (const char *)(intptr_t)f->numbers[NUMBER_TEXT];
    Program *p = f->data = arena_alloc(a, sizeof *p);
    Loaded text;
    HostOp *made;
    bool good =
        loaded_parse(a, f->ctx, chars, (size_t)f->numbers[NUMBER_LENGTH], f->text, &text, &made, failure);
    host_ops_keep(f->ctx, made);
    if (!good) return false;
    *p = (Program){ .graph = text.graph,
                    .exported = text.exported,
                    .n_out = text.graph->n_outputs - text.calls_host };
    f->name = f->label = text.name;
    return find_inputs(f, p, failure) && check_parts(f->sig, failure) && check_counts(f, p, failure);
}

static const FnRule stablehlo_rule = { "stablehlo", prepare, stage };

static weft_fn make(Local *l, const char *who, const char *at, const char *signature, const void *chars,
                    size_t n, const char *name)
{
    const void *kept = fn_intern(l->ctx, chars, n);
    if (!kept) return error_memory(l, who, at), (weft_fn)fn_fails;
    int64_t numbers[NUMBERS] = { (int64_t)(intptr_t)kept, (int64_t)n };
    return fn_derive(l->ctx, &(Derivation){ .rule = &stablehlo_rule,
                                            .name = "program",
                                            .text = name,
                                            .numbers = numbers,
                                            .n_numbers = NUMBERS,
                                            .signature = signature,
                                            .at = at,
                                            .who = who,
                                            .stack = LOADED_STACK });
}

weft_fn weft_load_stablehlo_(weft_context *ctx, const char *signature, const char *path, const char *at)
{
    const char *who = "weft_load_stablehlo";
    Local *l = context_enter(ctx, who, at);
    Failure f = { .code = WEFT_OK };
    size_t n, room;
    if (l && !signature) error_set(l, WEFT_ARGUMENT, who, at, "the signature is NULL");
    if (!l || !signature) return (weft_fn)fn_fails;
    char *chars = loaded_read(&l->ctx->memory, path, &n, &room, &f);
    if (!chars) return error_failure(l, who, at, "", &f), (weft_fn)fn_fails;
    weft_fn made = make(l, who, at, signature, chars, n, path);
    memory_free(&l->ctx->memory, chars, room);
    return made;
}

weft_fn weft_parse_stablehlo_(weft_context *ctx, const char *signature, const void *text, size_t n,
                              const char *name, const char *at)
{
    const char *who = "weft_parse_stablehlo";
    Local *l = context_enter(ctx, who, at);
    if (!l) return (weft_fn)fn_fails;
    if (signature && text && n <= PTRDIFF_MAX)
        return make(l, who, at, signature, text, n, name ? name : "text");
    if (signature && text) error_set(l, WEFT_ARGUMENT, who, at, "its length is %zu", n);
    else error_set(l, WEFT_ARGUMENT, who, at, "the %s is NULL", signature ? "text" : "signature");
    return (weft_fn)fn_fails;
}

/* ---- calling one ---- */

static bool takes_lists(const Signature *s)
{
    if (s->n_params != 2 || s->returns) return false;
    const Param *x = &s->params[0], *y = &s->params[1];
    return x->kind == PARAM_TREE && y->kind == PARAM_OUT_TREE && !strcmp(x->tree->name, "weft_arrays") &&
           x->tree == y->tree;
}

int weft_call_(weft_context *ctx, weft_fn f, weft_array *const *list, int n, weft_array **results, int room,
               const char *at)
{
    Local *l = context_enter(ctx, "weft_call", at);
    if (!l) return -1;
    const Function *known = fn_find(l->ctx, f);
    weft_arrays in = { (weft_array **)(uintptr_t)list, n }, out = { NULL, 0 };
    const char *why = !known                     ? "the function is not declared in this context"
                      : !takes_lists(known->sig) ? "the function is no weft_nary"
                      : n < 0 || (n && !list)    ? "the list of arrays is NULL, or its length negative"
                      : room > 0 && !results     ? "the list of results is NULL"
                                                 : NULL;
    if (why) return error_set(l, WEFT_ARGUMENT, "weft_call", at, "%s", why), -1;
    uint32_t failures = l->failures;
    ((weft_nary *)f)(&in, &out);
    if (l->failures != failures) return -1;
    for (int i = 0; i < out.n && i < room; i++) results[i] = out.array[i];
    return out.n;
}
