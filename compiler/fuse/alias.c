/* alias.c: see alias.h. An output may lie over an input of its type and size if
 *   - one STORE of one kernel writes the whole output, each element once;
 *   - every LOAD of the input is in an earlier kernel, or in front of that STORE in the same loop, at the same address:
 *     then an element is overwritten by the very iteration that has just read it, and by no other.
 * Lanes and tiles keep the order of statements, and iterations of parallel loops touch elements of their own only, so neither matters.
 * Anything else (a reversed read, a neighbour, a row read in an earlier loop) is refused: the output then gets memory of its own.
 */
#include "alias.h"

enum { MAX_LOOPS = 64 };

/* A statement of kernel k, and the loops around it, outermost first. */
typedef struct Place { uint32_t kernel, stmt; int n_loops; Val loop[MAX_LOOPS]; } Place;

typedef struct Search { const Program *p; uint32_t in, out; Place store; bool found; } Search;

static bool same_address(const Address *a, const Address *b)
{
    if (a->offset != b->offset || a->n_terms != b->n_terms) return false;
    for (uint32_t i = 0; i < a->n_terms; i++) if (a->terms[i].of != b->terms[i].of || a->terms[i].coef != b->terms[i].coef) return false;
    return true;
}

static const Stmt *stmt_at(const Program *p, const Place *at)
{
    return &p->kernels[at->kernel].stmts[at->stmt];
}

/* Calls visit for each statement but LOOP and END; false as soon as visit says so, or loops nest too deeply. */
static bool for_each(Search *s, bool (*visit)(Search *, const Place *, const Stmt *))
{
    Place at = { 0 };
    for (at.kernel = 0; at.kernel < s->p->n_kernels; at.kernel++) {
        const Kernel *k = &s->p->kernels[at.kernel];
        for (at.stmt = 0; at.stmt < k->n_stmts; at.stmt++) {
            const Stmt *st = &k->stmts[at.stmt];
            if (st->kind == ST_LOOP && at.n_loops == MAX_LOOPS) return false;
            if (st->kind == ST_LOOP) at.loop[at.n_loops++] = at.stmt;
            else if (st->kind == ST_END) at.n_loops--;
            else if (!visit(s, &at, st)) return false;
        }
    }
    return true;
}

static bool see_store(Search *s, const Place *at, const Stmt *st)
{
    if (st->kind != ST_STORE || st->buffer != s->out) return true;
    if (s->found || st->args[1] != VAL_NONE) return false;
    s->store = *at;
    return s->found = true;
}

static bool see_load(Search *s, const Place *at, const Stmt *st)
{
    const Place *store = &s->store;
    if (st->kind != ST_LOAD || st->buffer != s->in || at->kernel < store->kernel) return true;
    if (at->kernel > store->kernel || at->stmt > store->stmt || at->n_loops != store->n_loops) return false;
    for (int i = 0; i < at->n_loops; i++) if (at->loop[i] != store->loop[i]) return false;
    return same_address(&st->address, &stmt_at(s->p, store)->address);
}

/* The STORE runs as often as the output has elements, at an address that depends on every loop around it and on nothing else. Programs write whole outputs:
 * so each element is written once. */
static bool writes_once(const Search *s)
{
    const Kernel *k = &s->p->kernels[s->store.kernel];
    const Address *a = &stmt_at(s->p, &s->store)->address;
    int64_t runs = 1, blocks = 1;
    for (int i = 0; i < s->store.n_loops; i++) {
        const Stmt *loop = &k->stmts[s->store.loop[i]];
        if (__builtin_mul_overflow(runs, loop->split == VAL_NONE ? loop->extent : loop->total, &runs)) return false;
        if (loop->split != VAL_NONE) blocks *= k->stmts[loop->split].extent;
        bool used = loop->extent == 1;
        for (uint32_t t = 0; t < a->n_terms; t++) used |= a->terms[t].of == s->store.loop[i];
        if (!used) return false;
    }
    for (uint32_t t = 0; t < a->n_terms; t++) if (k->stmts[a->terms[t].of].kind != ST_LOOP) return false;
    return blocks != 0 && runs == blocks * s->p->buffers[s->out].count;
}

static bool may_lie_over(const Program *p, uint32_t out, uint32_t in)
{
    const Buffer *o = &p->buffers[out], *i = &p->buffers[in];
    Search s = { .p = p, .in = in, .out = out };
    if (i->kind != BUF_INPUT || i->dtype != o->dtype || i->count != o->count) return false;
    return for_each(&s, see_store) && s.found && writes_once(&s) && for_each(&s, see_load);
}

void alias_outputs(Program *p, uint64_t donated)
{
    for (uint32_t o = 0; o < p->n_buffers && donated; o++) {
        if (p->buffers[o].kind != BUF_OUTPUT) continue;
        for (uint32_t i = 0; i < p->n_buffers; i++) {
            uint32_t input = p->buffers[i].index;
            if (p->buffers[i].kind != BUF_INPUT || input >= 64 || !(donated >> input & 1) || !may_lie_over(p, o, i)) continue;
            p->buffers[o].alias = (int32_t)input;
            donated &= ~(UINT64_C(1) << input);
            break;
        }
    }
}
