/* checks.c: see checks.h. */
#include "checks.h"
#include <stdio.h>
#include <string.h>

_Thread_local Complaint check_complaint;
_Thread_local Failure *run_failure;

int check_numbers(int64_t numbers[CHECK_NUMBERS], int64_t count, const char *where, const char *what)
{
    char text[CHECK_TEXT] = { 0 };
    size_t n_where = strlen(where), n_what = strlen(what), most = CHECK_TEXT - 2 - n_what;
    if (n_where > most) where += n_where - most; /* the end of a path says more */
    int used = snprintf(text, sizeof text, "%s", where) + 1;
    used += snprintf(text + used, sizeof text - (size_t)used, "%s", what) + 1;
    numbers[0] = count;
    memcpy(numbers + 1, text, sizeof text);
    return 1 + (used + 7) / 8;
}

const char *check_words(char words[CHECK_WORDS])
{
    const int64_t *numbers = check_complaint.numbers;
    const char *where = (const char *)(numbers + 1), *what = where + strlen(where) + 1;
    char matrix[80] = "the matrix";
    if (numbers[0] > 1)
        snprintf(matrix, sizeof matrix, "matrix %lld of %lld (from 0)", (long long)check_complaint.which,
                 (long long)numbers[0]);
    snprintf(words, CHECK_WORDS, "%s%s%s %s", where, *where ? ": " : "", matrix, what);
    return words;
}

static void run_check(const ForeignOp *op, const int64_t *numbers, const void *const *in, void *const *out)
{
    (void)op;
    const bool *wrong = in[0];
    memcpy(out[0], in[0], (size_t)numbers[0]);
    for (int64_t i = 0; i < numbers[0] && !check_complaint.numbers; i++)
        if (wrong[i]) check_complaint = (Complaint){ numbers, i };
}

const ForeignOp check_op = { "weft.check", run_check, true, true, NULL };

bool check_is_in(const Graph *g)
{
    for (Ref r = 0; r < g->n_nodes; r++) {
        const Node *n = graph_node(g, r);
        if (n->op == OP_FOREIGN && foreign_op(n->attr)->complains) return true;
        for (uint32_t k = 0; k < n->n_regions; k++)
            if (check_is_in(n->regions[k])) return true;
    }
    return false;
}
