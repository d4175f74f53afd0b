/* bytecode.h: what the parts of the bytecode reader share.
 *
 * MLIR's bytecode holds what text holds, in sections: strings, dialects with the names of their ops,
 * attributes and types (each in the form of its dialect, found by a table of sizes, read when it is first
 * asked for), the properties of ops (attributes without names), and the ops. The reader fills the records of
 * parse.h, and all behind them is shared with text. bytecode_sections.c reads bytes and finds the sections,
 * bytecode_attrs.c attributes and types, bytecode_ops.c ops and regions, bytecode_names.c knows which
 * attributes an op's properties are and how StableHLO calls them.
 *
 * The ops are VHLO's, StableHLO in a form that is kept readable: an op's name ends in its version,
 * vhlo.add_v1, types and attributes are VHLO's own. jax.export and PJRT send that.
 *
 * The bytes may be anyone's. Whatever counts things is compared with the bytes that are left, for each of
 * them takes one or more.
 */
#ifndef WEFT_TEXT_BYTECODE_H
#define WEFT_TEXT_BYTECODE_H
#include "parse.h"

/* What is left to read. */
typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

/* Dialects whose attributes and types have forms that the reader knows. */
typedef enum { HOME_OTHER, HOME_BUILTIN, HOME_VHLO } Home;
typedef struct DialectName {
    const char *name;
    Home home;
} DialectName;

/* What a value cannot be has a reason: "complex types". An element type has no shape. */
typedef struct TypeRead {
    const char *reason; /* NULL: weft has it */
    bool is_tensor;
    uint8_t bits; /* of a number of it in an attribute */
    bool is_signed;
    Type type;
} TypeRead;

/* An attribute or a type. */
typedef struct Entry {
    Home home;
    bool is_text; /* spelled as in a text, which the reader does not look into */
    enum { ENTRY_UNREAD, ENTRY_OPEN, ENTRY_READ } state;
    Bytes bytes;
    union {
        AttrSyntax attr;
        TypeRead type;
    } as;
} Entry;

typedef struct OpName {
    const char *dialect, *name; /* vhlo, add_v1 */
    Home home;
} OpName;

/* Values have numbers. A region goes on counting behind those of the regions around it; one that uses nothing
 * from outside counts from 0. Ids stand at origin + number, as id + 1; 0 is no value yet. */
typedef struct ValueScope {
    uint32_t origin, next, end;
} ValueScope;

typedef struct Bytecode {
    Parser *p;
    uint64_t version;
    const char **strings;
    DialectName *dialects;
    OpName *names;
    Entry *attrs, *types;
    Bytes *properties;
    uint32_t n_strings, n_dialects, n_names, n_attrs, n_types, n_properties, cap_names;
    Bytes ops;      /* the section of them */
    uint32_t count; /* ops read so far */
    ValueId *ids;
    uint32_t cap_ids;
    ValueScope scope;
} Bytecode;

enum { BYTECODE_MAGIC = 4 };

/* bytecode_sections.c. Where bytes end early they read as 0, and the parser has an error. */
uint32_t bytes_place(const Bytecode *, Bytes); /* where in the file, for messages */
uint8_t bytes_byte(Bytecode *, Bytes *);
uint64_t bytes_number(Bytecode *, Bytes *);
int64_t bytes_signed(Bytecode *, Bytes *);
uint64_t bytes_flagged(Bytecode *, Bytes *, bool *flag); /* a number whose lowest bit is apart */
uint32_t bytes_count(Bytecode *, Bytes *);               /* of things that take a byte or more each */
uint32_t bytes_index(Bytecode *, Bytes *, uint32_t n, const char *what); /* below n, else an error and 0 */
Bytes bytes_take(Bytecode *, Bytes *, uint64_t n);
Bytes bytes_section(Bytecode *, Bytes *, uint8_t *id);
const char *bytes_string(Bytecode *, Bytes *); /* by index */
bool bytecode_open(Bytecode *);                /* all sections but the ops */

/* bytecode_attrs.c: by their index, which is read. What was read is not changed. NULL: the parser has the
 * error. */
const AttrSyntax *bytecode_attr(Bytecode *, Bytes *);
const TypeRead *bytecode_type(Bytecode *, Bytes *);
const TypeRead *bytecode_type_at(Bytecode *, uint32_t index);
/* "file.py:42" of a location, or NULL. */
const char *bytecode_place(Bytecode *, Bytes *);

/* bytecode_names.c: the attributes that an op's properties are, in their order; "": it has none. */
const char *bytecode_keys(const char *name);
/* Numbers of dot_general, gather and scatter, which VHLO has flat, become StableHLO's dictionaries. */
void bytecode_gather_numbers(Parser *, OpSyntax *);

#endif
