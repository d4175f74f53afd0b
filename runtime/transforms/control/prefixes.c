/* prefixes.c: associative_scan as a transform: all prefixes of an associative function in logarithmic depth.
 *
 * Pairs are combined, the prefixes of the pairs found in the same way, and the elements between them combined
 * once more:
 *     y[2k+1] = prefix of pairs[k],  y[0] = x[0],  y[2k] = f(y[2k-1], x[2k])
 * The function is traced once on one element and mapped over each level's elements.
 */
#include <string.h>
#include "runtime/transforms/rules/custom_vmap.h"
#include "options.h"
#include "pairs.h"

/* Leaves of the elements with the axis in front. */
typedef struct Prefixes {
    Local *l;
    Arena *arena;
    Graph *g;
    const Graph *combine; /* of 2 n leaves and hidden values */
    const Ref *hidden;
    uint32_t n;
} Prefixes;

/* a0 b0 a1 b1 ...; a has as many rows as b, or one more. */
static Ref interleave(Graph *g, Ref a, Ref b)
{
    if (a == REF_NONE || b == REF_NONE) return REF_NONE;
    Type s = graph_type(g, a), t = graph_type(g, b);
    int64_t lead[] = { t.dim[0], 1 }, rows = 2 * t.dim[0];
    Ref even = s.dim[0] > t.dim[0] ? build_slice_along(g, a, 0, 0, t.dim[0], 1) : a;
    Ref pair[] = { build_leading(g, even, 1, lead, 2), build_leading(g, b, 1, lead, 2) };
    Ref both = build_leading(g, build_concatenate(g, pair, 2, 1), 2, &rows, 1);
    return even == a ? both
                     : build_concatenate(
                           g, (Ref[]){ both, build_slice_along(g, a, 0, t.dim[0], s.dim[0], 1) }, 2, 0);
}

static bool combine_rows(const Prefixes *p, const Ref *a, const Ref *b, int64_t n, Ref *out)
{
    uint32_t params = p->combine->n_params;
    int64_t *in_axes = arena_alloc(p->arena, (params + 1) * sizeof *in_axes),
            *out_axes = arena_alloc(p->arena, (p->n + 1) * sizeof *out_axes);
    Ref *args = stage_refs(p->arena, params);
    for (uint32_t i = 0; i < params; i++) {
        in_axes[i] = i < 2 * p->n ? 0 : VMAP_NONE;
        args[i] = i < p->n ? a[i] : i < 2 * p->n ? b[i - p->n] : p->hidden[i - 2 * p->n];
    }
    VmapCaller caller = custom_vmap_caller(p->l);
    const Graph *m = vmap_graph(p->arena, p->combine, in_axes, n, out_axes, &caller, &p->g->failure);
    return m && graph_inline(p->g, m, args, out);
}

/* Depth of the recursion: the logarithm of the length. */
static bool prefixes(const Prefixes *p, const Ref *x, int64_t n, Ref *y)
{
    if (n < 2) {
        memcpy(y, x, p->n * sizeof *x);
        return true;
    }
    Ref *even = arena_alloc(p->arena, 4 * ((size_t)p->n + 1) * sizeof *even), *odd = even + p->n,
        *low = odd + p->n, *rest = low + p->n;
    int64_t half = n / 2, more = (n - 1) / 2; /* pairs; even elements behind the first */
    for (uint32_t i = 0; i < p->n; i++) {
        low[i] = build_slice_along(p->g, x[i], 0, 0, 2 * half - 1, 2);
        odd[i] = build_slice_along(p->g, x[i], 0, 1, 2 * half, 2);
    }
    if (!combine_rows(p, low, odd, half, even) || !prefixes(p, even, half, odd)) return false;
    for (uint32_t i = 0; i < p->n; i++) {
        low[i] = more == half ? odd[i] : build_slice_along(p->g, odd[i], 0, 0, more, 1);
        rest[i] = build_slice_along(p->g, x[i], 0, more ? 2 : 0, more ? n : 0, 2);
    }
    if (more && !combine_rows(p, low, rest, more, even)) return false;
    for (uint32_t i = 0; i < p->n; i++) {
        Ref first = build_slice_along(p->g, x[i], 0, 0, 1, 1);
        y[i] =
            interleave(p->g, more ? build_concatenate(p->g, (Ref[]){ first, even[i] }, 2, 0) : first, odd[i]);
    }
    return true;
}

static Ref reversed(Graph *g, Ref r, bool reverse)
{
    return reverse && r != REF_NONE ? build_reverse(g, r, (int64_t[]){ 0 }, 1) : r;
}

static bool build(void *call, Ref *out)
{
    const Staging *s = call;
    Trace *t = s->l->trace;
    bool reverse = s->f->numbers[OPTION_reverse];
    Prefixes p = { .l = s->l,
                   .arena = &t->arena,
                   .g = t->graph,
                   .combine = callee_graph(&s->callee),
                   .n = s->in->n_leaves };
    uint32_t n_hidden = s->callee.trace.n_hidden;
    Ref *x = stage_refs(p.arena, p.n), *hidden = stage_refs(p.arena, n_hidden);
    for (uint32_t i = 0; i < n_hidden; i++) hidden[i] = trace_ref(t, s->callee.trace.hidden[i]);
    p.hidden = hidden;
    for (uint32_t i = 0; i < p.n; i++)
        x[i] = reversed(p.g, build_move_axis(p.g, stage_leaf(s->l, s->in, i), (int)s->axis[i], 0), reverse);
    if (!prefixes(&p, x, s->length, out)) return false;
    for (uint32_t i = 0; i < p.n; i++)
        out[i] = build_move_axis(p.g, reversed(p.g, out[i], reverse), 0, (int)s->axis[i]);
    return true;
}

/* The combining function gives what it takes: the same structure and types. */
static bool closed(const Staging *s)
{
    const Flat *results = &s->callee.results;
    if (results->n_leaves != s->in->n_leaves || results->n_words != s->in->n_words ||
        (s->in->n_words && memcmp(results->word, s->in->word, s->in->n_words * sizeof *s->in->word)))
        return stage_error(s->f, s->l, WEFT_TREE_MISMATCH,
                           "%s must give what it takes, but the structures differ", s->f->base->label);
    for (uint32_t i = 0; i < s->in->n_leaves; i++) {
        Type x = s->type[i], y = callee_result(&s->callee, i);
        if (type_equal(x, y)) continue;
        return stage_error(s->f, s->l, x.dtype != y.dtype ? WEFT_DTYPE : WEFT_SHAPE,
                           "%s must give what it takes, but an element of %s is %s and its result is %s",
                           s->f->base->label, STAGE_IN(s->f, s->in, i), STAGE_TYPE(x), STAGE_TYPE(y));
    }
    return true;
}

static bool stage_prefixes(const Function *f, Local *l, const Flat *in, Flat *out)
{
    return pairs_stage(f, l, in, out, closed, build);
}

/* f: (x, x) -> x; the new function: xs -> xs. */
static bool prepare_prefixes(Function *f, Arena *a, Failure *failure)
{
    (void)a;
    return pairs_prepare(f, NULL, failure);
}

static const FnRule associative_rule = { "associative_scan", prepare_prefixes, stage_prefixes };

weft_fn weft_associative_scan_(weft_context *ctx, weft_fn f, const char *text, weft_control o, const char *at)
{
    Derivation d = { .rule = &associative_rule, .bases = &f, .n_bases = 1, .signature = text, .at = at };
    return control_derive(ctx, &d, o, 1 << OPTION_axis | 1 << OPTION_reverse);
}
