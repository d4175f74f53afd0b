/* foreign.h: a C function from elsewhere, as weft_foreign describes it: its parameters, and the text that
 * says where each comes from.
 *
 *     text   = [ entry { "," entry } ] "->" entry { "," entry }
 *     entry  = name { "[" size { "," size } "]" }    an array, or, without brackets, one number
 *            | name "=" size                         before the arrow: what an integer parameter gets
 *     size   = sums, differences, products and quotients of numbers, names and characters ('U'), in C's order
 *
 * A name is that of a parameter of the function, or "return". Entries before the arrow are the new function's
 * arguments in their order, but for those with "="; those behind it are its results. A pointer to const is an
 * argument, another pointer a result, or both: then the result's memory holds the argument when the function
 * is called. A size that is only a name defines that name; all other sizes are checked.
 */
#ifndef WEFT_TRANSFORMS_FOREIGN_H
#define WEFT_TRANSFORMS_FOREIGN_H
#include "runtime/call/signature.h"
#include "compiler/graph/foreign_op.h"

enum { FOREIGN_NAMES = 2 * SIGNATURE_MAX_PARAMS, FOREIGN_RETURN = -1 };

typedef struct ForeignEntry {
    int param; /* of the C function, or FOREIGN_RETURN */
    int rank;
    bool brackets;
    const char *size[WEFT_MAX_RANK];
} ForeignEntry;

typedef enum { FROM_NOWHERE, FROM_ARGUMENT, FROM_RESULT, FROM_BOTH, FROM_SIZE, FROM_USER } ParamFrom;
typedef struct ForeignParam {
    ParamFrom from;
    int in, out;      /* which entry */
    int operand;      /* from an argument that is an array: which; else -1 */
    const char *size; /* FROM_SIZE */
} ForeignParam;

typedef struct Foreign {
    ForeignOp op;
    weft_fn address;
    void *user;
    const char *text; /* the entries */
    CType type;
    ForeignParam param[SIGNATURE_MAX_PARAMS];
    ForeignEntry *in, *out;
    int n_in, n_out;
    int returns; /* which result the returned number is; -1: none */
} Foreign;

/* Names and what they are in one call. */
typedef struct Sizes {
    int n;
    struct Size {
        const char *name;
        size_t length;
        int64_t value;
    } of[FOREIGN_NAMES];
} Sizes;

/* Reads the text; type is set. False: failure set. */
bool foreign_parse(Arena *, const char *text, Foreign *, Failure *);
bool size_is_name(const char **size,
                  size_t *length); /* Is it a name alone? Then *size is where that begins. */
struct Size *size_find(Sizes *, const char *name, size_t length);
bool size_add(Sizes *, const char *name, size_t length, int64_t value); /* false: too many */
/* False: f set: a name that is not known, an overflow, a division by zero. */
bool size_value(const char *size, const Sizes *, int64_t *value, Failure *f);
bool size_known(const char *size, const Sizes *, Failure *f); /* all its names? */
char *size_text(const char *size, char *buf, size_t bytes);   /* as it was written */
#endif
