/* graphs_guard.c: runs compiled code on memory that lies between pages which nobody may touch, so that a load
 * or store outside of an array ends the process; and with results in the memory of donated inputs. */
#include "tests/graphs/graphs_guard.h"
#include <assert.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "tests/support/graph_support.h"

enum { PATTERN = 0xa5 };

/* Whole pages, and the array at their start or at their end. */
typedef struct Guarded {
    size_t page, room, bytes;
    char *start, *at;
} Guarded;

static Guarded guarded_new(size_t bytes, bool at_end)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (bytes + page - 1) / page * page;
    char *map = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert(map != MAP_FAILED);
    int status = room ? mprotect(map + page, room, PROT_READ | PROT_WRITE) : 0;
    assert(status == 0), (void)status;
    Guarded m = { page, room, bytes, map + page, map + page + (at_end ? room - bytes : 0) };
    if (room) memset(m.start, PATTERN, room);
    return m;
}

static void guarded_free(const Guarded *m) { munmap(m->start - m->page, m->room + 2 * m->page); }

/* Is the rest of the pages as it was? */
static bool rest_holds(const Guarded *m)
{
    for (size_t i = 0; i < m->room; i++) {
        bool inside = m->start + i >= m->at && m->start + i < m->at + m->bytes;
        if (!inside && (unsigned char)m->start[i] != PATTERN) return false;
    }
    return true;
}

static size_t nonzero(size_t n) { return n ? n : 1; }

const char *run_between_guards(const Graph *g, const Code *code, void *const *inputs, const Values *out,
                               bool at_end, bool is_donated, const Workers *workers)
{
    uint32_t n_in = g->n_params, n_out = g->n_outputs;
    Guarded in[nonzero(n_in)], result[nonzero(n_out)],
        scratch = guarded_new(code_scratch(code, workers), at_end);
    const void *from[nonzero(n_in)];
    void *to[nonzero(n_out)];
    const char *wrong = NULL;
    for (uint32_t i = 0; i < n_in; i++) {
        in[i] = guarded_new(bytes_of(graph_type(g, g->params[i])), at_end);
        if (in[i].bytes) memcpy(in[i].at, inputs[i], in[i].bytes);
        from[i] = in[i].at;
    }
    for (uint32_t k = 0; k < n_out; k++) {
        bool is_lent = is_donated && k < 64 && code->alias[k] >= 0;
        result[k] = guarded_new(bytes_of(out->type[k]), at_end);
        to[k] = is_lent ? in[code->alias[k]].at : result[k].at;
    }
    code->entry(from, to, scratch.at, code->consts, workers);
    for (uint32_t k = 0; k < n_out; k++) {
        if (!rest_holds(&result[k])) wrong = "wrote beside a result";
        if (result[k].bytes) memcpy(out->at[k], to[k], result[k].bytes);
        guarded_free(&result[k]);
    }
    for (uint32_t i = 0; i < n_in; i++) {
        bool same = !in[i].bytes || !memcmp(in[i].at, inputs[i], in[i].bytes);
        if (!rest_holds(&in[i]) || (!is_donated && !same)) wrong = "wrote into an input";
        guarded_free(&in[i]);
    }
    guarded_free(&scratch);
    return wrong;
}
