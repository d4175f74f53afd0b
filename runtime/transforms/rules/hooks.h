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

Hooks *hooks_open(weft_context *); /* NULL: out of memory */
void hooks_close(Hooks *);
pthread_mutex_t *hooks_lock(Hooks *);
void hooks_forget(weft_context *); /* those whose functions are forgotten */
#endif
