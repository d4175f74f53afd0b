/* signature.h: a function type read from the text that WEFT_SIGNATURE made of it: which parameters are
 * arrays, structs, results and static numbers, and how libffi calls it.
 *
 * A call is a tree (tree.h): in describes the arguments as fields of slots (arrays, numbers, structs by
 * address), out the results: the returned array first, then WEFT_OUT arrays and structs and in-out structs in
 * the order of the parameters. Messages and plans use their paths: "x", "m.l[0].w", "return".
 */
#ifndef WEFT_CALL_SIGNATURE_H
#define WEFT_CALL_SIGNATURE_H
#include <ffi.h>
#include "runtime/tree/flat.h"

typedef enum { PARAM_ARRAY, PARAM_NUMBER, PARAM_TREE, PARAM_INOUT, PARAM_OUT, PARAM_OUT_TREE } ParamKind;

typedef struct Param {
    uint8_t kind, number;  /* ParamKind; DType of a PARAM_NUMBER */
    int16_t in, out;       /* which field of in, of out; -1: none */
    const weft_tree *tree; /* of a struct */
    const Layout *layout;  /* of it, if its structure is always the same */
    const char *name;
} Param;

/* Where a field of in or out lies. */
typedef union Slot {
    weft_array *array;
    void *structure;
    uint64_t bits;
} Slot;

enum { SIGNATURE_MAX_PARAMS = 64 };
typedef struct Signature Signature;
struct Signature {
    const char *text; /* spaces made uniform */
    Param *params;
    int n_params;
    bool returns; /* an array; else void */
    weft_tree in, out;
    bool plain_in, plain_out; /* only arrays and numbers: leaf i is array i */
    bool fixed_in;            /* all structs among the arguments have layouts */
    /* [out.fields + 1]: where the leaves and words of each result begin; NULL: that varies */
    TreeRange *out_range;
    int16_t *in_of_out; /* [out.fields]: the field of in that an in-out is, else -1 */
    char *abi;          /* one letter per C type: equal for functions that are called the same way */
    ffi_cif cif;
    ffi_type **types;
    Signature *next; /* in the context's list */
};

/* The structs that a context's signatures may name. */
typedef struct Described {
    const weft_tree *tree; /* the copy, once that is made */
    weft_tree copy;
    struct Described *next;
} Described;
const Described *described_find(const Described *, const char *name); /* NULL: there is none of that name */

/* A C function from elsewhere: it takes numbers and pointers to numbers, and gives a number or nothing. */
typedef struct CParam {
    const char *name;
    uint8_t number; /* a DType, without meaning for void */
    bool is_void, pointer;
    bool is_const; /* what it points to is const */
} CParam;
typedef struct CType {
    CParam returns, params[SIGNATURE_MAX_PARAMS];
    int n_params;
    ffi_cif cif;
    ffi_type *types[SIGNATURE_MAX_PARAMS];
} CType;
/* Reads the text that WEFT_SIGNATURE made of its type. False: f set. */
bool ctype_parse(Arena *, const char *text, CType *, Failure *f);

/* "const net *m": how the parameter is declared in C, under this name. Returns buf. */
char *param_text(char *buf, size_t size, const Param *, const char *name);
const Param *signature_argument(const Signature *, size_t field); /* the parameter that a field of in is */
const Param *signature_result_param(const Signature *, size_t field); /* of out; NULL: what is returned */
bool param_equal(const Param *, const Param *);                       /* do they take the same? */
/* Which result the in-out argument is; out.fields: it is no in-out. */
size_t signature_inout_result(const Signature *, size_t in);
/* The first result from this one on that is no in-out; out.fields: there is none. */
size_t signature_result(const Signature *, size_t from);

/* NULL: f set, to what the text has that a signature cannot have. The arena's guard must be set. */
Signature *signature_parse(Arena *, const Described *, const char *text, Failure *f);
#endif
