/* code_run.c: see code_run.h. */
#include "code_run.h"
#include "runtime/library/checks.h"

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
    stack_ask();
    if (!stays && !c->stays) {
        if (!stack_call(c->stack_bytes, run, &r)) return false;
        check_complaint = r.complaint;
        return true;
    }
    if (stack_left() < c->stack_bytes) return false;
    run(&r);
    return true;
}
