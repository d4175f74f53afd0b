/* text.h: graphs as StableHLO text, out and in.
 *
 * Printing writes the pretty form that JAX's lower().as_text() prints, one func per graph,
 * `loc("file.c":42:0)` behind an op when places are asked for. What StableHLO has no word for (weft.argmax,
 * weft.scan, ...) is printed as a stablehlo.composite with its decomposition as a private func, so that other
 * tools still run the text; the parser turns the composite back into the op. Regions name the values around
 * them where the graph has parameters. Every compact graph prints, and parses back to an equal graph, except
 * for foreign functions: those print as a custom_call, which only their own program could run.
 *
 * Bytes that begin as MLIR's bytecode are read as such, of StableHLO or of VHLO (bytecode.h); a message
 * then says "op 17 (file.py:3): ...", or which byte. So is the module inside what jax.export writes
 * (exported.h).
 *
 * Parsing takes what JAX prints and what people write by hand: modules of several funcs (calls are inlined,
 * also those in regions), pretty and generic form, attributes in any order, default attributes left out, loc
 * and metadata skipped. What a region uses from outside becomes its parameter. Text is syntax: each op is the
 * node that it names. Element types that weft has not are held in wider ones (narrow.h). Whoever wants to
 * transform or run what others wrote raises it first (passes/raise.h).
 */
#ifndef WEFT_TEXT_TEXT_H
#define WEFT_TEXT_TEXT_H
#include "compiler/graph/foreign_op.h"
#include "exported.h"

/* A growing text in an arena. */
typedef struct Text {
    Arena *arena;
    char *chars;
    uint32_t length, capacity;
} Text;
void text_printf(Text *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_append(Text *, const char *chars, size_t n);

/* constants above max_elements print as hex; 0: 100, as MLIR does */
typedef struct PrintOptions {
    bool locs;
    int64_t max_elements;
} PrintOptions;
/* NUL-terminated in the arena. Numbers print so that they parse back to the same bits. */
const char *graph_print(Arena *, const Graph *, const PrintOptions *);

/* A check that a self-checking file asks for: results of a func to be compared. */
typedef enum { CHECK_EQ, CHECK_CLOSE, CHECK_ALMOST_EQ } CheckKind;
typedef struct Check {
    CheckKind kind;
    Ref actual, expected;
    int64_t min_ulp, max_ulp;
    double tolerance;
    int line;
} Check;

typedef struct ParsedFunc {
    const char *name;
    /* Its outputs are what the func returns. NULL: a private one at the end of a long chain of calls, which
     * was built in the func that calls it. */
    Graph *graph;
    Check *checks;
    uint32_t n_checks;
    bool is_private;
    bool
        calls_host; /* its last output is one more than the text says: has a call of a HostFunction failed? */
    /* by parameter and by result: the Narrow (narrow.h) whose bytes it is; NULL: all are of weft's types */
    const uint8_t *narrow_in, *narrow_out;
    /* by parameter: results may be computed into its memory (jax.buffer_donor, tf.aliasing_output) */
    bool *donated;
    /* by parameter and by result: its mhlo.memory_kind; "": it has none */
    const char **memory_in, **memory_out;
    /* by parameter and by result: the order in memory that its mhlo.layout_mode asks for, the axes from the
     * fastest on; NULL: row-major. The graph's own are all row-major: compiler/passes/layouts.h. */
    const int64_t **layout_in, **layout_out;
} ParsedFunc;

typedef struct Parsed {
    ParsedFunc *funcs;
    uint32_t n_funcs;
    const char *name;
    const Exported *exported; /* NULL: the module came alone */
} Parsed;

/* Parses one module or bare funcs (one section of a file split by `// -----`). file: the place of ops without
 * a loc, "file:line"; may be NULL. Nodes are made without folding; each graph is compact. On failure returns
 * NULL and says "line:column: what was seen, what is allowed" in f, with f->code WEFT_IO for malformed text,
 * WEFT_ARGUMENT for well-formed text that weft does not support: then *unsupported (if given) is a short
 * reason fit for counting: "complex types", "stablehlo.fft". A call of private funcs is inlined into the
 * caller. */
Parsed *text_parse(Arena *, const char *chars, size_t n, const char *file, Failure *f,
                   const char **unsupported);

/* A custom_call in the text: its target, the string that is its backend_config ("": none), and the types, of
 * bytes where they are of narrow.h. */
typedef struct HostCall {
    const char *name, *config;
    const Type *in, *out;
    const uint8_t *narrow_in, *narrow_out; /* the Narrow that each is */
    uint32_t n_in, n_out;
    void *made; /* the Dialect's */
} HostCall;
/* A function of the process that texts may call by its name. It makes an op of a call, in the arena, which
 * takes one operand more and gives one result more than the text says, the last, bools of rank 0: has a call
 * failed before it, and has this one or one before it? One that comes after a failure does nothing. Calls are
 * made once each, in the order of the text. NULL: the failure is set. */
typedef struct HostFunction HostFunction;
struct HostFunction {
    const char *name;
    const ForeignOp *(*op)(const HostFunction *, Arena *, const HostCall *, Failure *);
    const HostFunction *next;
};

typedef struct Dialect Dialect; /* ops beside StableHLO's and CHLO's, and the host's functions: parse.h */
/* The same with the ops of that dialect, too; NULL: none. */
Parsed *text_parse_with(Arena *, const Dialect *more, const char *chars, size_t n, const char *file,
                        Failure *f, const char **unsupported);
#endif
