/* call.h: calling a function that weft made. A call in flat form is two lists, of leaves and of words
 * (tree.h); Frames are the chain of running calls.
 *
 * What a transform's stage rule needs: call_stage puts a call of another function into the running trace;
 * call_trace traces one apart, into a closed graph, from which the rule makes the region of an op, or a
 * mapped graph, to be added to the running trace with the hidden operands behind the visible ones.
 */
#ifndef WEFT_CALL_CALL_H
#define WEFT_CALL_CALL_H
#include "fn.h"
#include "runtime/trace/trace.h"

ClosureHandler call_closure; /* what every closure runs; its slot holds the Function */
/* Until frame_pop the call of f is the innermost one. args: its arguments if it is traced, else NULL. */
static inline void frame_push(CallFrame *frame, const Function *f, const Flat *args, Local *l)
{
    *frame = (CallFrame){
        .outer = l->frame, .fn = f, .name = f->name, .label = f->label, .made_at = f->at, .args = args
    };
    l->frame = frame;
}
static inline void frame_pop(const CallFrame *frame, Local *l) { l->frame = frame->outer; }
/* Puts a call of f into the running trace; its arguments, concrete or of a live trace, are checked already.
 * Appends the results to out, as values of the running trace. False: an error is set. */
bool call_stage(const Function *f, Local *, const Flat *in, Flat *out);
/* Traces a call of f apart: begins t, which the caller frees. Its parameters are of these types, a leaf each,
 * structured as the words of like say (like's leaves are not looked at, only their number); then come those
 * for t->hidden, the values from outside that f met. The graph's outputs are set, and out's words; out's
 * leaves are stale. False: an error is set, t is freed. */
bool call_trace(const Function *f, Local *, const Type *types, const Flat *like, Trace *t, Flat *out);
/* The running trace's handles for these nodes, appended to out. False: an error is set. */
bool call_results(const Function *f, Local *, const Ref *refs, uint32_t n, Flat *out);
/* For messages: the path of a leaf of the arguments, or of the results, of a call of f. */
char *call_in_path(const Function *f, const Flat *in, uint32_t leaf, char *buf, size_t size);
char *call_out_path(const Function *f, const Flat *out, uint32_t leaf, char *buf, size_t size);

/* Leaf number `scalar` of a call's arguments, a concrete one, meets f64: leaf number `wide`, or in f
 * (UINT32_MAX). False, and an error: weft_scalar rounded it to f32, so digits would be lost. */
bool call_keeps_digits(const Function *f, Local *, const Flat *in, uint32_t scalar, uint32_t wide);

/* ---- for the files of this room ---- */
/* op_check, in f's name, of a leaf of its arguments or results, counted from first. */
bool call_check_leaf(const Function *f, Local *, const Flat *, uint32_t first, uint32_t leaf, bool result);
/* False, and an error: f is being traced on arguments of these types and numbers already, and would never
 * end, or calls nest too deep. Its frame is the innermost, and gets its arguments now. */
bool call_ends(const Function *f, Local *, const Flat *in);
bool call_fail_unmade(const Function *f, Local *); /* an error: f could not be made. Returns false */
/* Runs f on concrete arrays, tracing and compiling where the cache has nothing. A jitted call under
 * weft_compile gives its entry to the plan instead, and false. False: else an error is set. */
bool call_run(Function *f, Local *, const Flat *in, Flat *out);
#endif
