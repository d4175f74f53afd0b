/* narrow.h: element types of at most 8 bits that programs have and graphs have not.
 *
 * A value of such a type is held in i8, u8 or f32, which hold each of its numbers exactly. An op on it is the
 * op on what holds it, then rounded to the type, or wrapped if it is an integer: the arithmetic that JAX and
 * XLA promise for them. In memory, where a program takes and gives its arrays, an element is a byte: the
 * number of an integer, the bits of a float.
 */
#ifndef WEFT_TEXT_NARROW_H
#define WEFT_TEXT_NARROW_H
#include "compiler/graph/graph.h"

typedef enum {
    NARROW_NONE, /* one of weft's own */
#define NARROW_INT(NAME, ...)   NARROW_##NAME,
#define NARROW_FLOAT(NAME, ...) NARROW_##NAME,
#include "narrow.def"
#undef NARROW_INT
#undef NARROW_FLOAT
    NARROW_COUNT,
    NARROW_TOKEN = NARROW_COUNT, /* no element type of a text's: the value is a token, see type_token */
    NARROW_TUPLE = 127           /* no element type: the value is a tuple (parse_tuple.c) */
} Narrow;

/* In a text a type's dtype may be this + a Narrow. Nothing in a graph has such a type. */
enum { TYPE_NARROW = 128 };
static inline Narrow type_narrow(Type t)
{
    return t.dtype > TYPE_NARROW ? (Narrow)(t.dtype - TYPE_NARROW) : NARROW_NONE;
}
Type type_held(Type); /* the type in a graph */
/* A token keeps ops in order, which weft keeps otherwise (parse_effects.c). In a graph it is, as JAX hands it
 * over and wants it back, an array of no bools. */
Type type_token(void);

const char *narrow_name(Narrow);                     /* as StableHLO spells it */
Narrow narrow_find(const char *name, size_t length); /* NARROW_NONE: it is none */
int narrow_bits(Narrow);
bool narrow_is_float(Narrow);
DType narrow_held(Narrow);  /* in a graph */
DType narrow_bytes(Narrow); /* in memory: I8 or U8 */

/* One element: the number of a byte, and the byte of the nearest float. */
double narrow_value(Narrow, uint8_t byte);
uint8_t narrow_nearest(Narrow, double);

/* Nodes. round: of any number of the held kind, or of f64, as one of the type. read, store: from and to
 * bytes. */
Ref narrow_round(Graph *, Narrow, Ref);
Ref narrow_read(Graph *, Narrow, Ref bytes);
Ref narrow_store(Graph *, Narrow, Ref held);
#endif
