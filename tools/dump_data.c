/* dump_data.c: weft-dump's files: arguments and expected results in, results out.
 *
 * Each of the files given holds an array, or several, of the slots (arguments or results) that they are for.
 * A table of it, one array a slot, is made before anything is read.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "dump.h"
#include "runtime/io/npz.h"

/* Where an array lies: a .npy file, or a .npz file and the array's name in it. */
typedef struct Source {
    const char *file, *member;
} Source;

static size_t bytes_of(Type t) { return (size_t)type_count(t) * dtype_bytes((DType)t.dtype); }

/* ---- slots ---- */

Slots dump_arguments(Arena *a, const Graph *g, const ParsedFunc *parsed, const Exported *e)
{
    const Graph *func = parsed->graph;
    uint32_t hidden = e && e->has_platform, taken = e ? e->n_inputs : func->n_params,
             more = g->n_params - func->n_params; /* tangents, cotangents */
    Slots s = { "argument", arena_alloc(a, (g->n_params + 1) * sizeof *s.slot), g->n_params, taken + more };
    for (uint32_t i = 0; i < s.n; i++) {
        Slot *slot = &s.slot[i];
        bool own = i < func->n_params;
        slot->type = graph_type(g, g->params[i]);
        slot->narrow = own && parsed->narrow_in ? (Narrow)parsed->narrow_in[i] : NARROW_NONE;
        slot->is_platform = i < hidden;
        slot->platform = hidden ? e->platform : 0;
        slot->number = !own         ? taken + i - func->n_params
                       : i < hidden ? UINT32_MAX
                       : e          ? exported_kept(e, i - hidden)
                                    : i;
        if (own && !e && g->param_names) slot->name = g->param_names[i];
    }
    return s;
}

Slots dump_results(Arena *a, const Graph *g, const ParsedFunc *parsed)
{
    const uint8_t *narrow = parsed->narrow_out;
    uint32_t own = narrow ? parsed->graph->n_outputs : 0;
    Slots s = { "result", arena_alloc(a, (g->n_outputs + 1) * sizeof *s.slot), g->n_outputs, g->n_outputs };
    for (uint32_t i = 0; i < s.n; i++)
        s.slot[i] = (Slot){ .type = graph_type(g, g->outputs[i]),
                            .narrow = i < own ? (Narrow)narrow[i] : NARROW_NONE,
                            .number = i };
    return s;
}

const char *dump_type(Arena *a, const Slot *slot)
{
    const char *held = arena_printf(a, "%s", TYPE_TEXT(slot->type)), *shape = strchr(held, '[');
    return slot->narrow ? arena_printf(a, "%s%s", narrow_name(slot->narrow), shape ? shape : "") : held;
}

const void *dump_values(Arena *a, const Slot *slot, const void *data, Type *t)
{
    int64_t n = type_count(slot->type);
    *t = slot->type;
    if (!slot->narrow) return data;
    t->dtype = (uint8_t)narrow_held(slot->narrow);
    char *values = arena_alloc(a, bytes_of(*t) + 1);
    for (int64_t i = 0; i < n; i++) {
        double v = narrow_value(slot->narrow, ((const uint8_t *)data)[i]);
        if (t->dtype == WEFT_F32) ((float *)(void *)values)[i] = (float)v;
        else values[i] = (char)(int)v;
    }
    return values;
}

static const char *label(Arena *a, const Slots *s, const Slot *slot)
{
    return slot->name ? arena_printf(a, "%s %u (%%%s)", s->what, slot->number, slot->name)
                      : arena_printf(a, "%s %u", s->what, slot->number);
}

static Slot *by_number(const Slots *s, uint32_t number)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->slot[i].number == number) return &s->slot[i];
    return NULL;
}

/* "3", "arr_3" as np.savez writes, "arg3", "in3", "out3": 3; else UINT32_MAX. */
static uint32_t number_in(const char *name, size_t n)
{
    static const char *const words[] = { "arr_", "arg", "in", "out", "result", "" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t m = strlen(words[i]), k = m;
        while (k < n && isdigit((unsigned char)name[k])) k++;
        if (!strncmp(name, words[i], m) && k == n && k > m && k - m < 9) return (uint32_t)atol(name + m);
    }
    return UINT32_MAX;
}

/* The slot of that name, or else of the number in it; NULL: none. */
static Slot *find(const Slots *s, const char *name, size_t n)
{
    if (n && *name == '%') name++, n--;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->slot[i].name && strlen(s->slot[i].name) == n && !strncmp(s->slot[i].name, name, n))
            return &s->slot[i];
    uint32_t number = number_in(name, n);
    return number == UINT32_MAX ? NULL : by_number(s, number);
}

/* "3 arguments, %x, %y, %z" */
static const char *all_of(Arena *a, const Slots *s)
{
    const char *text = arena_printf(a, "%u %s%s", s->numbers, s->what, s->numbers == 1 ? "" : "s");
    for (uint32_t i = 0; i < s->n && i < 20; i++)
        if (s->slot[i].name) text = arena_printf(a, "%s, %%%s", text, s->slot[i].name);
    return text;
}

/* ---- which file is for which slot ---- */

typedef struct Matching {
    const Slots *slots;
    Source *from; /* [slots->n] */
    Arena *arena;
    Failure *failure;
    uint32_t next; /* the number of the next file without a name */
    /* of the .npz file that is looked at */
    const char *file, *names;
    int found;
} Matching;

static void note(const char *text) { fprintf(stderr, "weft-dump: %s\n", text); }

static bool match(Matching *m, Slot *slot, Source from)
{
    Source *of = &m->from[slot - m->slots->slot];
    if (of->file)
        return fail(m->failure, WEFT_ARGUMENT, "%s is given twice, by %s and by %s",
                    label(m->arena, m->slots, slot), of->file, from.file);
    *of = from;
    return true;
}

static void match_member(void *user, const char *name)
{
    Matching *m = user;
    Slot *slot = find(m->slots, name, strlen(name));
    m->names = arena_printf(m->arena, "%s%s%s", m->names, *m->names ? ", " : "", name);
    if (!slot) return;
    match(m, slot, (Source){ m->file, arena_printf(m->arena, "%s", name) });
    m->found++;
}

/* Arrays of other names stay unused: a file of all weights may be given to a func that takes some. */
static bool match_all(Matching *m, const char *file)
{
    m->file = file, m->names = "", m->found = 0;
    if (!npz_names(file, match_member, m, m->failure)) return false;
    return m->failure->code == WEFT_OK &&
           (m->found ||
            fail(m->failure, WEFT_ARGUMENT, "%s has no array (%s) with the name or number of one of the %s",
                 file, *m->names ? m->names : "none", all_of(m->arena, m->slots)));
}

/* Files beyond the last number are allowed; numbers that a file of jax.export leaves out are, too. */
static bool match_next(Matching *m, Source from)
{
    uint32_t number = m->next++;
    Slot *slot = by_number(m->slots, number);
    if (slot) return match(m, slot, from);
    if (number >= m->slots->numbers)
        note(arena_printf(m->arena, "%s is not used: there %s %s", from.file,
                          m->slots->numbers == 1 ? "is" : "are", all_of(m->arena, m->slots)));
    return true;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

/* [SLOT=]FILE[:NAME] */
static bool match_given(Matching *m, const char *given)
{
    const char *equals = strchr(given, '='), *file = given;
    bool named = equals && access(given, F_OK) != 0;
    Slot *slot = named ? find(m->slots, given, (size_t)(equals - given)) : NULL;
    if (named && !slot)
        return fail(m->failure, WEFT_ARGUMENT, "%s: %.*s is none of the %s", given, (int)(equals - given),
                    given, all_of(m->arena, m->slots));
    if (named) file = equals + 1;
    const char *member = strstr(file, ".npz:");
    if (!member && ends_with(file, ".npz") && !named) return match_all(m, file);
    if (!member && ends_with(file, ".npz"))
        return fail(m->failure, WEFT_ARGUMENT, "%s: which of its arrays? Say %s:NAME", given, given);
    Source from = { file, NULL };
    if (member) from = (Source){ arena_printf(m->arena, "%.*s", (int)(member + 4 - file), file), member + 5 };
    return slot ? match(m, slot, from) : match_next(m, from);
}

static Source *match_files(const Slots *s, const char *const *given, int n, Arena *a, Failure *f)
{
    Matching m = { s, arena_alloc(a, (s->n + 1) * sizeof(Source)), a, f, 0, NULL, NULL, 0 };
    for (int i = 0; i < n; i++)
        if (!match_given(&m, given[i])) return NULL;
    return m.from;
}

/* ---- in ---- */

/* "weft_load: x.npy: No such file": who loads it is no matter here. */
static const char *without_function(const char *words)
{
    const char *colon = strstr(words, ": ");
    return !strncmp(words, "weft_", 5) && colon ? colon + 2 : words;
}

/* Has this array the slot's elements? Those of narrow types are bytes, signed or not. */
static bool fits_in(const weft_array *x, const Slot *slot)
{
    weft_dtype d = weft_dtype_of(x);
    return d == slot->type.dtype || (slot->narrow && (d == WEFT_U8 || d == WEFT_I8));
}

/* The array there, which must be of the slot's type. */
static weft_array *load(weft_context *ctx, const Slots *s, const Slot *slot, Source from, Arena *a,
                        Failure *f)
{
    weft_array *x =
        from.member ? weft_load_npz_(ctx, from.file, from.member, NULL) : weft_load_(ctx, from.file, NULL);
    if (!x) {
        fail(f, WEFT_IO, "%s", without_function(weft_error(ctx)));
        return NULL;
    }
    Type t = slot->type;
    bool fits = fits_in(x, slot) && weft_rank(x) == t.rank;
    int64_t *dim = arena_alloc(a, ((size_t)weft_rank(x) + 1) * sizeof *dim);
    for (int i = 0; i < weft_rank(x); i++) {
        dim[i] = weft_dim(x, i);
        fits = fits && dim[i] == t.dim[i];
    }
    if (fits) return x;
    Type is = { (uint8_t)weft_dtype_of(x), (uint8_t)weft_rank(x), dim };
    fail(f, WEFT_SHAPE, "%s%s%s holds %s, but %s is %s", from.file, from.member ? ":" : "",
         from.member ? from.member : "", TYPE_TEXT(is), label(a, s, slot), dump_type(a, slot));
    return NULL;
}

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

/* One of any bits for an int, of -2 to 2 for a float. */
static uint8_t random_byte(Narrow t, double u)
{
    return narrow_is_float(t) ? narrow_nearest(t, 4 * u - 2)
                              : (uint8_t)((int)ldexp(u, narrow_bits(t)) -
                                          (narrow_held(t) == WEFT_I8 ? 1 << (narrow_bits(t) - 1) : 0));
}

/* Floats in -2 to 2, ints in -10 to 9 (unsigned: 0 to 19), so that little overflows and much is about the
 * same size. */
static void fill_random(const Slot *slot, void *data, uint64_t *state)
{
    Type t = slot->type;
    DType d = dtype_part((DType)t.dtype);
    int64_t parts = d == t.dtype ? 1 : 2;
    for (int64_t i = 0; i < parts * type_count(t); i++) {
        double u = uniform(state);
        uint64_t bits = slot->narrow     ? random_byte(slot->narrow, u)
                        : d == WEFT_BOOL ? u < 0.5
                        : dtype_is_float(d)
                            ? scalar_from_double(d, 4 * u - 2)
                            : scalar_from_i64(d, (int64_t)(20 * u) - (dtype_is_signed(d) ? 10 : 0));
        scalar_store(d, (char *)data + (size_t)i * dtype_bytes(d), bits);
    }
}

static void fill_equal(Type t, void *data, int64_t v)
{
    DType d = (DType)t.dtype;
    for (int64_t i = 0; i < type_count(t); i++)
        scalar_store(d, (char *)data + (size_t)i * dtype_bytes(d), scalar_from_i64(d, v));
}

bool dump_inputs(const DumpOptions *o, weft_context *ctx, const Slots *s, Arena *a, const Arrays *in,
                 Failure *f)
{
    uint64_t state = o->seed;
    const Source *from = match_files(s, o->inputs, o->n_inputs, a, f);
    if (!from) return false;
    for (uint32_t i = 0; i < s->n; i++) {
        const Slot *slot = &s->slot[i];
        if (from[i].file) {
            weft_array *x = load(ctx, s, slot, from[i], a, f);
            if (!x) return false;
            memcpy(in->at[i], weft_data(x), bytes_of(slot->type));
            weft_free(x);
        } else if (slot->is_platform) fill_equal(slot->type, in->at[i], slot->platform);
        else {
            fill_random(slot, in->at[i], &state);
            if (o->n_inputs)
                note(arena_printf(a, "%s, %s, is random", label(a, s, slot), dump_type(a, slot)));
        }
    }
    return true;
}

/* ---- expected results ---- */

/* Of the largest element; the same as between weft and XLA, whose sums have another order. */
static double usual_fraction(Type t)
{
    DType d = dtype_part((DType)t.dtype);
    return !dtype_is_float(d) ? 0 : d == WEFT_F64 ? 1e-12 : d == WEFT_F32 ? 1e-5 : 1e-2;
}

static double tolerance(const Tolerances *t, uint32_t i)
{
    return t->n == 0 ? 0 : t->at[(int64_t)i < t->n ? i : (uint32_t)t->n - 1];
}

static bool expect_one(const DumpOptions *o, Arena *a, const Slot *slot, Source from, const void *got,
                       const void *wanted)
{
    Type t;
    got = dump_values(a, slot, got, &t);
    wanted = dump_values(a, slot, wanted, &t);
    bool usual = !o->atol.n && !o->rtol.n;
    double atol =
        usual ? usual_fraction(slot->type) * dump_largest(t, wanted) : tolerance(&o->atol, slot->number);
    Difference d = dump_compare(t, got, wanted, atol, tolerance(&o->rtol, slot->number));
    printf("result %u, %s: ", slot->number, dump_type(a, slot));
    if (d.equal) printf("equal to %s bit for bit\n", from.file);
    else if (!d.wrong) printf("as in %s, at most %.3g apart (%.3g allowed)\n", from.file, d.apart, d.allowed);
    else
        printf("WRONG in %lld of %lld elements of %s, farthest in %s (%.3g apart, %.3g allowed)\n",
               (long long)d.wrong, (long long)type_count(t), from.file, dump_pair(a, t, got, wanted, d.worst),
               d.apart, d.allowed);
    return !d.wrong;
}

bool dump_expect(const DumpOptions *o, weft_context *ctx, const Slots *s, Arena *a, const Arrays *out,
                 Failure *f)
{
    uint32_t wrong = 0, given = 0;
    const Source *from = match_files(s, o->expected, o->n_expected, a, f);
    if (!from) return false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (!from[i].file) continue;
        weft_array *x = load(ctx, s, &s->slot[i], from[i], a, f);
        if (!x) return false;
        given++;
        wrong += !expect_one(o, a, &s->slot[i], from[i], out->at[i], weft_data(x));
        weft_free(x);
    }
    return !wrong || fail(f, WEFT_COMPILER, "%u of %u results are not what was expected", wrong, given);
}

/* ---- out ---- */

bool dump_save(const DumpOptions *o, weft_context *ctx, Arena *a, const Arrays *out, Failure *f)
{
    const weft_array **list = arena_alloc(a, (out->n + 1) * sizeof *list);
    const char *names = "";
    bool one = ends_with(o->save, ".npz");
    for (uint32_t i = 0; i < out->n; i++) {
        Type t = out->type[i];
        list[i] = weft_from_shape(ctx, (weft_dtype)t.dtype, out->at[i], t.rank, t.dim);
        names = arena_printf(a, "%s%sarr_%u", names, i ? "," : "", i);
        if (!one) weft_save_(list[i], arena_printf(a, "%s%u.npy", o->save, i), NULL);
    }
    if (one) weft_save_npz_(o->save, names, (int)out->n, list, NULL);
    return !weft_error(ctx) || fail(f, WEFT_IO, "%s", without_function(weft_error(ctx)));
}
