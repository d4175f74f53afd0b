/* plan.h: between weft_plan_begin_ and weft_plan_end_, a natural call gives its entry to the plan instead of
 * running. */
#ifndef WEFT_CALL_PLAN_H
#define WEFT_CALL_PLAN_H
#include "cache.h"
#include "weft/run.h"

struct Planning {
    weft_plan_options options;
    CacheEntry *entry;
    uint32_t failures;
};
void plan_take(Local *, CacheEntry *); /* takes the pin */
void plan_close(weft_context *);       /* frees plans that are left, ends what is being planned */
#endif
