/* code_run.c: see code_run.h. */
#include "code_run.h"
#include "runtime/library/checks.h"
#include "runtime/team/team.h"

/* What code finds wrong it says to the thread that it runs on. */
typedef struct CodeRun {
    const Code *code;
    const void *const *in;
    void *const *out;
    void *scratch;
    const Workers *workers;
    Complaint complaint;
    Failure *failure;
} CodeRun;

static void run(void *user)
{
    CodeRun *r = user;
    check_complaint = r->complaint;
    run_failure = r->failure;
    r->code->entry(r->in, r->out, r->scratch, r->code->consts, r->workers);
    r->complaint = check_complaint;
}

bool code_run_apart(const Code *c, const void *const *in, void *const *out, void *scratch, const Workers *w,
                    bool stays)
{
    CodeRun r = { c, in, out, scratch, w, check_complaint, run_failure };
    size_t takes = w->most > 1 ? c->stack_bytes : c->piece_stack;
    stack_ask();
    bool knows = stack_left() < stack_here.size,
         here = stays || c->stays || (!knows && c->piece_stack + workers_seats(w) <= STACK_CODE),
         fits = knows ? stack_left() >= takes : here;
    if (here && stack_left() < c->piece_stack) return false;
    if (!fits && workers_are_hosts(w)) r.workers = &workers_alone;
    if (here) run(&r);
    else if (!stack_call(takes, run, &r)) return false;
    check_complaint = r.complaint;
    return true;
}
