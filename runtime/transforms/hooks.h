/* hooks.h: functions that gradients go through on their way back: a hook is a CUSTOM_VJP of the identity,
 * whose backward rule is the user's function.
 *
 * weft_hook puts one where it is called. Registered ones are put around the arguments of a function whenever
 * it is traced for a derivative that goes back; any other trace has no hooks. Which are registered is part of
 * the cache's key of what they could matter to: a set of them is one address, equal sets the same one
 * (fn_intern), so that code made under a set is found again when that set is back.
 */
#ifndef WEFT_TRANSFORMS_HOOKS_H
#define WEFT_TRANSFORMS_HOOKS_H
#include "runtime/call/call.h"

/* in order of registration; bases: the hook, the function */
struct HookSet {
    uint32_t n;
    const Function *by[];
};

Hooks *hooks_open(weft_context *); /* NULL: out of memory */
void hooks_close(Hooks *);
pthread_mutex_t *hooks_lock(Hooks *);
void hooks_forget(weft_context *); /* those whose functions are forgotten */
/* The set that calls of this time are traced under; NULL: none. */
static inline const HookSet *hooks_now(weft_context *ctx)
{
    return atomic_load_explicit(&ctx->hook_set, memory_order_acquire);
}
bool hooks_on(const HookSet *, const Function *);
/* The call's arguments with the gradients of those that are hooked going through their hooks, appended to
 * wrapped. False: error set. */
bool hooks_wrap(const Function *, Local *, const Flat *in, Flat *wrapped);
#endif
