/* signature.h: a function type read from the text that WEFT_SIGNATURE made of it: which parameters are arrays, results and static numbers, and how libffi calls it.
 *
 * Arrays go through weft as flat lists: the leaves of the arguments, and the leaves of the results (the returned one first, then the WEFT_OUTs in order), each with
 * the path that messages and plans name it by: "x", "return", "scale".
 */
#ifndef WEFT_RUNTIME_SIGNATURE_H
#define WEFT_RUNTIME_SIGNATURE_H
#include <ffi.h>
#include "compiler/graph/graph.h"

typedef enum { PARAM_ARRAY, PARAM_OUT, PARAM_NUMBER } ParamKind;
typedef enum {
    NUMBER_BOOL, NUMBER_I8, NUMBER_I16, NUMBER_I32, NUMBER_I64, NUMBER_U8, NUMBER_U16, NUMBER_U32, NUMBER_U64, NUMBER_F32, NUMBER_F64, NUMBER_COUNT
} NumberType;

typedef struct Param {
    uint8_t kind, number;           /* ParamKind; NumberType of a PARAM_NUMBER */
    uint16_t leaf;                  /* ARRAY: among in; OUT: among out; NUMBER: among the numbers */
    const char *name;
} Param;

enum { SIGNATURE_MAX_PARAMS = 64 };
typedef struct Signature Signature;
struct Signature {
    const char *text;               /* spaces made uniform */
    Param *params;
    int n_params, n_in, n_out, n_numbers;
    bool returns;                   /* an array; else void */
    const char **in_paths, **out_paths;
    const char **number_names;
    uint8_t *number_types;
    char *abi;                      /* one letter per C type: equal for functions that are called the same way */
    ffi_cif cif;
    ffi_type **types;
    Signature *next;                /* in the context's list */
};

/* NULL and f set: what the text has that a signature cannot. The arena's guard must be set. */
Signature *signature_parse(Arena *, const char *text, Failure *f);
/* A number of this type, as 64 bits for keys, and as text. */
uint64_t signature_number_bits(NumberType, const void *value);
char    *signature_number_text(char *buf, size_t size, NumberType, uint64_t bits);
#endif
