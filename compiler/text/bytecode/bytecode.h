/* bytecode.h: what the parts of the bytecode reader share.
 *
 * MLIR's bytecode holds what text holds, in sections: strings, dialects with the names of their ops,
 * attributes and types (each in the form of its dialect, found by a table of sizes, read when it is first
 * asked for), the properties of ops (attributes without names), and the ops. The reader fills the records
 * of parse.h, and all behind them is shared with text. bytecode_sections.c reads bytes and finds the
 * sections, bytecode_attributes.c attributes and types, bytecode_ops.c ops and regions, bytecode_table.c
 * knows which attributes an op's properties are.
 *
 * VHLO is StableHLO in a form that is kept readable: an op's name ends in its version, vhlo.add_v1, types
 * and attributes are VHLO's own. jax.export and PJRT send that; it becomes StableHLO while it is read.
 *
 * The bytes may be anyone's. Whatever counts things is compared with the bytes that are left, for each of
 * them takes one or more; one attribute may stand at many ops, so what they take in all is limited
 * (parse_spend). */
#ifndef WEFT_TEXT_BYTECODE_H
#define WEFT_TEXT_BYTECODE_H
#include "compiler/text/parse/parse.h"

/* Those whose attributes, types and properties have forms that the reader knows. */
typedef enum { HOME_OTHER, HOME_BUILTIN, HOME_STABLEHLO, HOME_CHLO, HOME_VHLO, HOME_SDY } Home;
typedef struct DialectName {
    const char *name;
    Home home;
} DialectName;

/* An attribute or a type. is_text: spelled as in a text, which the reader does not look into. */
typedef struct Entry {
    Home home;
    bool is_text;
    enum { ENTRY_UNREAD, ENTRY_OPEN, ENTRY_READ } state;
    Bytes bytes;
    union {
        AttrSyntax attr;
        Type type;
    } as;
} Entry;

/* A constant's elements, or something else, apart from the attributes that name it. */
typedef struct Resource {
    enum { RESOURCE_BLOB, RESOURCE_BOOL, RESOURCE_STRING } kind;
    Bytes bytes;
} Resource;

/* An op's name, and which attributes its properties are: see bytecode_table.c. */
typedef struct OpName {
    const char *dialect, *name; /* vhlo, add_v1 */
    Home home;
    bool has_dictionary; /* properties are one attribute, a dictionary */
    bool known;          /* the others are set */
    const OpRule *rule;
    const char *keys, *numbers;
} OpName;

/* An op's place in the file and in its program. */
typedef struct OpPlace {
    uint32_t at;
    const char *place;
} OpPlace;

/* Values have numbers. A region goes on counting behind those of the regions around it; one that uses nothing
 * from outside counts from 0. Ids stand at origin + number, as id + 1; 0 is no value yet. */
typedef struct ValueScope {
    uint32_t origin, next, end;
} ValueScope;

struct Bytecode {
    Parser *p;
    uint64_t version;
    const char **strings;
    DialectName *dialects;
    OpName *names;
    Entry *attrs, *types;
    Bytes *properties;
    Resource *resources; /* of dialects */
    uint32_t n_strings, n_dialects, n_names, n_attrs, n_types, n_properties, n_resources;
    uint32_t cap_names, cap_resources;
    Bytes ops; /* the section of them */
    OpPlace *places;
    uint32_t n_places, cap_places; /* of ops read so far, by place in the file */
    ValueId *ids;
    uint32_t cap_ids;
    ValueScope scope;
};

/* bytecode_sections.c. Where bytes end early they read as 0, and the parser has an error. */
uint32_t bytes_place(const Bytecode *, Bytes); /* where in the file, for messages */
uint8_t bytes_byte(Bytecode *, Bytes *);
uint64_t bytes_number(Bytecode *, Bytes *);
int64_t bytes_signed(Bytecode *, Bytes *);
uint64_t bytes_flagged(Bytecode *, Bytes *, bool *flag); /* a number whose lowest bit is apart */
uint32_t bytes_count(Bytecode *, Bytes *);               /* of things that take a byte or more each */
uint32_t bytes_index(Bytecode *, Bytes *, uint32_t n, const char *what); /* below n, else an error and 0 */
Bytes bytes_take(Bytecode *, Bytes *, uint64_t n);
void bytes_align(Bytecode *, Bytes *, uint64_t alignment); /* in the file; 0 is an error */
Bytes bytes_section(Bytecode *, Bytes *, uint8_t *id);
const char *bytes_string(Bytecode *, Bytes *); /* by index */
bool bytecode_open(Bytecode *);                /* all sections but the ops */

/* bytecode_attributes.c: by their index, which is read. An attribute that was read is not changed. */
const AttrSyntax *bytecode_attr(Bytecode *, Bytes *);
const AttrSyntax *bytecode_attr_at(Bytecode *, uint32_t index);
bool bytecode_type(Bytecode *, Bytes *, Type *);
bool bytecode_type_at(Bytecode *, uint32_t index, Type *);      /* below n_types */
bool bytecode_types(Bytecode *, Bytes *, Type **, uint32_t *n); /* how many, and then they */

/* bytecode_table.c: sets what is behind `known`. False: the parser has the error, or there is no such op. */
bool bytecode_know(Bytecode *, OpName *);
#endif
