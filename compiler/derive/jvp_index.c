/* jvp_index.c: forward rules of what takes positions from data, and of order. */
#include "jvp_parts.h"

#define WITHOUT_RULE(rule) void rule(const Jvp *v, const Node *n, Ref *y, Ref *dy) { (void)n, (void)y, (void)dy; jvp_fail(v, "there is none"); }
WITHOUT_RULE(jvp_gather)
WITHOUT_RULE(jvp_scatter)
WITHOUT_RULE(jvp_dynamic_slice)
WITHOUT_RULE(jvp_update)
WITHOUT_RULE(jvp_sort)
WITHOUT_RULE(jvp_reduce_region)
WITHOUT_RULE(jvp_reduce_window)
WITHOUT_RULE(jvp_select_and_scatter)
WITHOUT_RULE(jvp_cumulative)
WITHOUT_RULE(jvp_map)
WITHOUT_RULE(jvp_while)
WITHOUT_RULE(jvp_case)
WITHOUT_RULE(jvp_scan)
WITHOUT_RULE(jvp_custom_jvp)
WITHOUT_RULE(jvp_custom_vjp)
WITHOUT_RULE(jvp_custom_vmap)
WITHOUT_RULE(jvp_checkpoint)
WITHOUT_RULE(jvp_backward)
WITHOUT_RULE(jvp_foreign)
WITHOUT_RULE(jvp_barrier)
