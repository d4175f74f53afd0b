/* options.h: the options of control flow (weft_control), as the numbers of a transform. */
#ifndef WEFT_TRANSFORMS_OPTIONS_H
#define WEFT_TRANSFORMS_OPTIONS_H
#include "runtime/call/fn.h"
#include "weft/control.h"

/* The fields of weft_control: what each is where it is not said, and what it is then as a number. */
/* clang-format off */
#define CONTROL_OPTION_LIST(X) \
    X(length, WEFT_NOT_SAID, WEFT_NOT_SAID) X(reverse, 0, 0) X(unroll, 0, 1) \
    X(count, WEFT_NOT_SAID, WEFT_NOT_SAID) X(batch, 0, 0) X(chunk, 0, 0) \
    X(batch_ndims, WEFT_NOT_SAID, 1) X(axis, 0, 0) X(checkpoint, 0, 0)
/* clang-format on */

/* Which of a Function's numbers is which option. */
#define OPTION_NUMBER(name, unsaid, otherwise) OPTION_##name,
typedef enum {
    CONTROL_OPTION_LIST(OPTION_NUMBER) /* */
    OPTION_STRAY, /* 1 + an option that is wrong, OPTION_STRAY more if it is no integer; 0: all are good */
    OPTION_NUMBERS
} ControlOption;
#undef OPTION_NUMBER

/* fn_derive with these options as its numbers; allowed: a bit for each that the transform has. */
weft_fn control_derive(weft_context *, const Derivation *, weft_control, unsigned allowed);
/* Is an option said that the transform does not have, or one as a floating-point number? For prepare. */
bool control_refuse_stray(const Function *, Failure *);
/* Is the option at least that, if it is said? what: what it counts. */
bool control_at_least(const Function *, ControlOption, int64_t least, const char *what, Failure *);
#endif
