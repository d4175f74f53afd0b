/* parse.h: what the parts of the text parser share.
 *
 * Text becomes a graph in two steps. The syntax step (parse_lex.c, parse_attr.c, parse_type.c, parse_op.c,
 * parse_form.c) reads pretty and generic forms alike into OpSyntax records: a name, operands, attributes
 * by name, regions, types. Modules, funcs and constants are such records too. The build step makes nodes
 * of the records: parse_func.c orders the funcs so that callees come first, parse_build.c takes one op
 * after the other and closes regions over what they capture, parse_narrow.c does so for element types that
 * weft has not. The rules are in parse_rules.c, parse_along.c, parse_control.c, parse_alone.c,
 * parse_einsum.c, parse_composed.c and parse_func.c, the table of all ops in parse_table.c. Between the two
 * steps parse_tuple.c takes tuples out of the records, and parse_effects.c puts calls of the host's functions
 * in order. A new op needs a row in that table and a rule, and a reader in parse_form.c only if its pretty
 * form is irregular. How attributes are spelled, which the parser and the printer share, is in spell.h. The
 * graph says what the text says; what it stands for is found later (passes/raise.h).
 *
 * Errors are sticky: the first one is recorded and the current token becomes END, on which every loop stops.
 * Nesting (regions, attributes) is limited by PARSE_MAX_DEPTH, so no text can exhaust the stack.
 */
#ifndef WEFT_TEXT_PARSE_H
#define WEFT_TEXT_PARSE_H
#include "compiler/text/narrow.h"
#include "compiler/text/text.h"

enum { PARSE_MAX_DEPTH = 48, PARSE_MAGIC_BYTES = 4 };

/* Kinds below 128 are the punctuation character itself. */
typedef enum {
    TOK_END,
    TOK_WORD = 128,
    TOK_VALUE,
    TOK_SYMBOL,
    TOK_BLOCK,
    TOK_HASH,
    TOK_BANG,
    TOK_STRING,
    TOK_NUMBER,
    TOK_ARROW
} TokenKind;

/* VALUE, SYMBOL, BLOCK, HASH, BANG and STRING tokens span their text without the sigil or quotes. */
/* result: k of %x#k, or -1 */
typedef struct Token {
    int kind;
    uint32_t at;
    const char *text;
    uint32_t length;
    int result;
} Token;

typedef uint32_t ValueId;

typedef enum {
    ATTR_UNIT,
    ATTR_BOOL,
    ATTR_NUMBER,
    ATTR_STRING,
    ATTR_SYMBOL,
    ATTR_WORD,
    ATTR_LIST,
    ATTR_PAIR,
    ATTR_DICT,
    ATTR_DENSE,
    ATTR_TYPE,
    ATTR_OPAQUE
} AttrKind;
/* Bytes of a file that are left to read. */
typedef struct Bytes {
    const uint8_t *at, *end;
} Bytes;

/* NUMBER keeps its text, sign included. DENSE keeps the place of its literal, whose type may follow much
 * later; out of bytecode, the elements' bytes. */
typedef struct AttrSyntax {
    const char *key; /* in a DICT; else NULL */
    AttrKind kind;
    uint32_t at;
    const char *text;
    struct AttrSyntax *items;
    uint32_t n_items; /* LIST, PAIR (two LISTs), DICT */
    Type type;
    bool typed;  /* DENSE, TYPE, NUMBER: if given */
    Bytes bytes; /* DENSE out of bytecode; OPAQUE, WORD: how the text spells it */
} AttrSyntax;

typedef struct OpSyntax OpSyntax;
typedef struct RegionSyntax {
    ValueId first_arg;
    uint32_t n_args;
    const char **arg_names; /* of a func's parameters */
    AttrSyntax *arg_attrs;  /* a DICT each */
    uint32_t cap_names, cap_attrs;
    OpSyntax *ops, *last;
} RegionSyntax;

/* What the types behind a pretty form mean. NONE: the op has no results, and need not write types. TYPED:
 * the last type is the result's. LIKE_OPERANDS: each operand has a result of its type. NOT_A_VALUE: a
 * module or a func. */
typedef enum { RESULTS_NONE, RESULTS_TYPED, RESULTS_LIKE_OPERANDS, NOT_A_VALUE } ResultsKind;

typedef struct OpRule OpRule;
struct OpSyntax {
    const OpRule *rule;
    uint32_t at, line; /* of the name, for messages and places */
    const char *place; /* "file.c:42" of its loc, or NULL; "#loc3": an alias */
    ValueId *operands;
    uint32_t n_operands, cap_operands;
    AttrSyntax *attrs;
    uint32_t n_attrs, cap_attrs;
    RegionSyntax *regions;
    uint32_t n_regions, cap_regions;
    Type *operand_types;
    uint32_t n_operand_types; /* 0: not written */
    Type *results;            /* rules see them as they are in the graph; the text's own then are `said` */
    const Type *said;
    uint32_t n_results;
    ValueId first_result;
    OpSyntax *next;
};

typedef struct ValueName {
    const char *text;
    uint32_t length, hash, next;
    ValueId first;
    uint32_t count;
} ValueName;

/* parse_names.c: names and what they stand for, a number above 0. */
typedef struct NameSlot {
    const char *name;
    uint32_t number;
} NameSlot;
typedef struct NameTable {
    NameSlot *slots;
    uint32_t n, size;
} NameTable;
uint32_t names_get(const NameTable *, const char *name); /* 0: it is not there */
/* Borrows the name. A name that is there already keeps its number. */
void names_add(Arena *, NameTable *, const char *name, uint32_t number);

typedef struct Bytecode Bytecode;   /* bytecode.h */
typedef struct TupleType TupleType; /* parse_tuple.c */
typedef struct Parser {
    Arena *arena;
    const Dialect *more; /* or NULL */
    const char *chars;
    uint32_t n;
    const char *file;
    Token tok;
    uint32_t pos; /* the current token, and where the next begins */
    Failure *failure;
    bool failed;
    const char *unsupported;
    int depth;
    ValueName *bindings;
    uint32_t n_bindings, cap_bindings; /* names in scope, innermost last */
    uint32_t *buckets;
    uint32_t n_buckets; /* binding index + 1 */
    Type *types;        /* of each value, in the graph */
    uint8_t *narrow;    /* of each value: the Narrow that it holds */
    Narrow element;     /* what parse_dense reads, if it is one */
    TupleType *tuples;  /* types of them: the number of one is all of its dim */
    uint32_t n_tuples, cap_tuples;
    uint32_t n_values, cap_values;
    NameTable effects; /* funcs that call the host's functions, or call one that does */
    NameTable meshes;  /* of devices: how many there are, at most 2 */
    NameTable aliases; /* of locations: index into places + 1 */
    const char **places;
    uint32_t n_places, cap_places;
    uint32_t line_at, line;   /* a cursor for line numbers */
    uint32_t resources;       /* where {-# stands; 0: not looked for yet, or nowhere */
    NameTable resource_at;    /* where the bytes of each stand */
    const Bytecode *bytecode; /* NULL: what is parsed is text */
    uint64_t spare;           /* bytes that attributes out of bytecode may still take */
} Parser;

/* These functions return false once the parser has an error, their own or an earlier one.
 * parse_lex.c: */
void parse_next(Parser *);
bool parse_error(Parser *, uint32_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));
bool parse_unsupported(Parser *, uint32_t at, const char *reason, ...) __attribute__((format(printf, 3, 4)));
bool parse_unexpected(Parser *, const char *wanted); /* "saw `x`, wanted ..." at the current token */
bool parse_is_word(const Parser *, const char *word);
bool parse_take(Parser *, int kind); /* moves on if the current token is of this kind */
bool parse_take_word(Parser *, const char *word);
bool parse_expect(Parser *, int kind, const char *wanted);
bool parse_peek(const Parser *, char c); /* is c the first character after the current token? */
char *parse_token_text(Parser *);        /* the current token's text, escapes resolved, NUL-terminated */
bool parse_skip_group(Parser *);         /* over a balanced ( [ { or < group that starts here */
uint32_t parse_line(Parser *, uint32_t at);
int parse_hex_digit(char);  /* -1: it is none */
bool parse_enter(Parser *); /* one level deeper, or an error; pair with parse_leave */
void parse_leave(Parser *);

/* parse_type.c: types and the elements of constants */
bool parse_type(Parser *, Type *);
bool parse_types(Parser *, Type **, uint32_t *n);        /* comma-separated */
bool parse_type_or_list(Parser *, Type **, uint32_t *n); /* T or (T, ...) */
/* The elements of a dense literal as those of a type, in the graph; splat: one element stands for all. */
bool parse_dense(Parser *, const AttrSyntax *, Type, const void **data, bool *splat);
bool parse_find_dtype(const char *text, size_t n, uint8_t *dtype);
bool parse_element_type(Parser *, uint32_t at, const char *text, size_t n, uint8_t *dtype);

/* parse_tuple.c */
bool parse_tuple_type(Parser *, const Type *parts, uint32_t n, Type *); /* keeps the parts */
void parse_spread_tuples(Parser *, const RegionSyntax *top);
Type parse_type_said(const Parser *, ValueId); /* a value's as the text has it */

/* parse_effects.c */
void parse_order_effects(Parser *, const RegionSyntax *top);
const HostFunction *parse_host_function(const Parser *, const OpSyntax *); /* that it calls, or NULL */

/* parse_names.c: values and their names */
ValueId parse_new_values(Parser *, const Type *, uint32_t count); /* the first of them */
/* Names values. A name may be bound once in the scopes that are open. */
bool parse_bind(Parser *, const Token *name, ValueId first, uint32_t count);
void parse_define(Parser *, const Token *name, Type);             /* one new value */
const ValueName *parse_lookup(const Parser *, const Token *name); /* NULL: not in scope */
uint32_t parse_open_scope(const Parser *);
void parse_close_scope(Parser *, uint32_t scope);

/* parse_attr.c */
typedef enum { ATTR_BARE, ATTR_TYPED } AttrForm; /* may `: type` behind a number belong to it? */
bool parse_attr(Parser *, AttrForm, AttrSyntax *);
bool parse_attr_dict(Parser *, OpSyntax *);          /* {k = v, ...}, if there is one */
bool parse_attr_props(Parser *, OpSyntax *);         /* <{k = v, ...}>, if there is one */
Bytes parse_spelling(const Parser *, uint32_t from); /* from there to the current token */
AttrSyntax *parse_add_attr(Parser *, OpSyntax *, const char *key);
/* loc(...), if there is one: its place or NULL */
const char *parse_loc(Parser *);
const AttrSyntax *attr_find(const OpSyntax *, const char *key, const char *other_key); /* NULL: absent */
const AttrSyntax *attr_field(const AttrSyntax *dict, const char *key);
const char *attr_word(const AttrSyntax *); /* the enum's word, or "" */
bool attr_int(Parser *, const AttrSyntax *, int64_t *);
/* A list of ints in any of its spellings: [1, 2], array<i64: 1, 2>, dense<[1, 2]> : tensor<2xi64>. */
bool attr_ints(Parser *, const AttrSyntax *, int64_t **, uint32_t *n);
/* [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] as a LIST of three LISTs; in parse_conv.c */
bool parse_conv_numbers(Parser *, AttrSyntax *);

/* parse_op.c */
bool parse_op(Parser *, RegionSyntax *into);
bool parse_region(Parser *, RegionSyntax *); /* from `{` to `}` */
bool parse_arg(Parser *, RegionSyntax *);    /* %a: T {attrs} loc(...) as a block argument */
bool parse_operand(Parser *, OpSyntax *);
bool parse_operands(Parser *, OpSyntax *); /* %a, %b, ... up to what is no operand */
bool parse_operands_in_parens(Parser *, OpSyntax *);
void parse_add_operand(Parser *, OpSyntax *, ValueId);
RegionSyntax *parse_add_region(Parser *, OpSyntax *);
bool parse_types_of_op(Parser *, OpSyntax *);        /* `: types` */
bool parse_has_key(const OpRule *, const char *key); /* has the op such an attribute? */
bool parse_func_results(Parser *, OpSyntax *func);   /* their types, out of its function_type */
void parse_check_keys(Parser *, const OpSyntax *);

/* bytecode_ops.c: the same records out of MLIR's bytecode (bytecode.h) */
bool parse_is_bytecode(const char *chars, size_t n);
bool parse_bytecode(Parser *, RegionSyntax *top);
/* A place in the file as words: the op that begins there, or the byte. */
const char *bytecode_where(Arena *, const Bytecode *, uint32_t at);
/* Bytes for an attribute; false and an error: they are more than a file of this size needs. */
bool parse_spend(Parser *, uint32_t at, uint64_t bytes);

typedef struct TextBuild TextBuild;          /* parse_build.h */
typedef bool SyntaxFn(Parser *, OpSyntax *); /* false: the parser has the error */
/* Makes the op's nodes from its operands and writes its results. False: the parser or the graph has the
 * error. */
typedef bool BuildFn(TextBuild *, const OpSyntax *, const Ref *args, Ref *results);
struct OpRule {
    const char *name;
    SyntaxFn *syntax; /* the pretty form; NULL: operands, `key = value`s, {attributes} : types */
    BuildFn *build;   /* NULL: not supported */
    Op op;
    int8_t args;    /* -1: any number */
    int8_t results; /* a ResultsKind */
    /* the attributes it has, in either form; of an op that is not supported: why */
    const char *keys;
};
/* Ops of another dialect, which a caller of text_parse_with supplies, and what custom_calls may name. */
struct Dialect {
    const OpRule *rules;
    size_t n_rules;
    const HostFunction *host; /* the first of them, or NULL */
    void *made;               /* what its function knows the calls by */
};
const OpRule *rule_find(Parser *, const char *name, size_t length); /* parse_table.c; NULL: no such op */

/* parse_form.c */
SyntaxFn syntax_constant, syntax_compare, syntax_slice, syntax_call, syntax_composite, syntax_custom_call,
    syntax_func, syntax_module, syntax_mesh, syntax_return, syntax_reduce, syntax_sharding, syntax_while,
    syntax_scan, syntax_tuple, syntax_tuple_element;
SyntaxFn syntax_convolution; /* parse_conv.c */
#endif
