/* spell.h: how attributes are spelled in text: what the parser and the printer share. */
#ifndef WEFT_TEXT_SPELL_H
#define WEFT_TEXT_SPELL_H
#include "compiler/graph/graph.h"

/* An attribute whose numbers a node holds as they are. The rows of an op stand in the order in which the node
 * holds them; those that are lists have one number for each axis if there are several. */
typedef struct NumberAttr {
    Op op;
    bool is_list;
    const char *pretty, *generic;
} NumberAttr;
enum { MAX_NUMBER_ATTRS = 3 };
/* An op's rows; how many. */
uint32_t spell_numbers(Op, const NumberAttr **first);

/* The lists of axes of GATHER and SCATTER, in the order in which a node holds them; the two of batching axes
 * are equally long. */
enum { N_AXIS_LISTS = 5 };
typedef const char *const AxisListKeys[N_AXIS_LISTS];
extern AxisListKeys spell_gather, spell_scatter;

/* The lists of numbers per axis of REDUCE_WINDOW, in the order in which a node holds them, in front of the
 * padding; SELECT_AND_SCATTER has the first two. A list that the text leaves out is all 1. */
enum { N_WINDOW_LISTS = 4 };
extern const char *const spell_window[N_WINDOW_LISTS];

/* The axes of CONVOLUTION: of operand, weights and result one each, and last a list of spatial ones. */
enum { N_CONV_ROLES = 3 };
extern const char *const spell_conv[3][N_CONV_ROLES];
/* What stands for the first two where axes are listed in order: [b, 0, 1, f]. */
extern const char *const spell_conv_letters[3];

/* Words by number. */
enum { N_DIRECTIONS = 6, N_ORDERS = 4, N_ALGORITHMS = 3, N_TRANSPOSES = 3, N_FFTS = 4 };
extern const char *const spell_directions[N_DIRECTIONS];
extern const char *const spell_orders[N_ORDERS];
extern const char *const spell_algorithms[N_ALGORITHMS];
extern const char *const spell_transposes[N_TRANSPOSES];

/* A number in the attributes of a composite: attr[at] of the node. */
typedef struct CompositeNumber {
    const char *key;
    int8_t at;
    enum { NUMBER_INT, NUMBER_FLAG, NUMBER_OPTIONAL, NUMBER_MONOID } kind;
} CompositeNumber;

/* An op that is printed as a composite with more than operands and a list of numbers. */
enum { MAX_REGION_KEYS = 3, MAX_COMPOSITE_NUMBERS = 7, MAX_COMPOSITE_ATTRS = 7 };
typedef struct CompositeForm {
    const char *name;
    Op op;
    uint8_t n_regions;
    const char *regions[MAX_REGION_KEYS];           /* which attribute names each; NULL: the decomposition */
    CompositeNumber numbers[MAX_COMPOSITE_NUMBERS]; /* as printed, up to one without a key */
} CompositeForm;
const CompositeForm *spell_composite(Op); /* NULL: the op has none */
#endif
