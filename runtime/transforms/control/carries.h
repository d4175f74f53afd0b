/* carries.h: which result of a loop's body is the next value of which argument. */
#ifndef WEFT_TRANSFORMS_CARRIES_H
#define WEFT_TRANSFORMS_CARRIES_H
#include "runtime/transforms/staging.h"

/* What an argument of a body is: a role, or the axis along which it is sliced. */
#define ROLE_NONE  VMAP_NONE
#define ROLE_CARRY (INT64_MIN + 2)
#define ROLE_INDEX (INT64_MIN + 3)
#define ROLE_END   (INT64_MIN + 4)
#define NO_CARRY   UINT32_MAX

typedef struct Carries {
    uint32_t *leaf;      /* [n]: of the arguments, in their order */
    uint32_t *result;    /* [n]: its next value among the results */
    uint32_t *of_result; /* [n_results]: which carry it is, or NO_CARRY */
    uint32_t n, n_results;
} Carries;

/* After the body was traced. body: what errors call it, "scan body function". False: error set. */
bool carries_find(const Staging *, const char *body, Carries *);
#endif
