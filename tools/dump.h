/* dump.h: what the parts of weft-dump share. */
#ifndef WEFT_TOOLS_DUMP_H
#define WEFT_TOOLS_DUMP_H
#include "compiler/graph/graph.h"
#include "compiler/target.h"
#include "compiler/text/exported.h"
#include "compiler/text/narrow.h"
#include "compiler/text/text.h"
#include "weft/array.h"

typedef enum {
    SHOW_GRAPH = 1,
    SHOW_VMAP = 2,
    SHOW_SIMPLIFY = 4,
    SHOW_FUSE = 8,
    SHOW_LLVM = 16,
    SHOW_ASM = 32,
    SHOW_DOT = 64,
    SHOW_GRAD = 128,
    SHOW_ALL = 255
} Shown;

enum { MAX_TRANSFORMS = 32, MAX_FILES = 1024, MAX_TOLERANCES = 256 };

/* spec: of vmap "8", "8:0,none", "8:0,none->1"; of derivatives the parameters "0,2", or NULL: all of float
 * types. */
typedef struct Transform {
    enum { TRANSFORM_VMAP, TRANSFORM_GRAD, TRANSFORM_JVP, TRANSFORM_VJP } kind;
    const char *spec;
} Transform;

/* One of each result; the last one counts for the rest. n 0: not given. */
typedef struct Tolerances {
    double at[MAX_TOLERANCES];
    int n;
} Tolerances;

typedef struct DumpOptions {
    const char *file, *func;
    Transform transforms[MAX_TRANSFORMS];
    int n_transforms;
    unsigned stages;
    const char *inputs[MAX_FILES], *expected[MAX_FILES]; /* as given: "w=weights.npz:w1" */
    int n_inputs, n_expected;
    Tolerances atol, rtol; /* of what is expected */
    const char *save;      /* prefix of .npy files for the results, a .npz file, or NULL */
    const char *target;
    NumericMode mode;
    double tolerance; /* of eager and compiled */
    uint64_t seed;
    bool jit, run, print, time, locs;
    bool eager, compiled; /* what is run */
    bool compile_only;    /* with time: no run */
} DumpOptions;

DumpOptions dump_options(int argc, char **argv); /* wrong ones end the program */
unsigned dump_stage_of(const Transform *);

typedef struct Times {
    double parse_us, transforms_us;
} Times;

double dump_now_us(void);
bool dump_machine(const DumpOptions *, Target *, Failure *); /* the target's stages; false: no back end */
void dump_graph(const DumpOptions *, Shown, const char *name, Arena *, const Graph *);
/* The stages behind the transforms that were asked for. Returns the graph with the user's rules inlined,
 * which is what runs. NULL and f set: it cannot be. */
const Graph *dump_stages(const DumpOptions *, const Graph *, Arena *, Failure *);

/* ---- files (dump_data.c) ---- */

/* An argument or a result: what it is called in options, in messages, and in .npz files. */
typedef struct Slot {
    Type type;
    Narrow narrow;     /* whose bytes they are, if it is one */
    const char *name;  /* NULL: by its number only */
    uint32_t number;   /* what jax.export wrote leaves out arguments that are not used */
    bool is_platform;  /* this argument is the number of the platform that it runs on, */
    uint32_t platform; /* which is */
} Slot;
typedef struct Slots {
    const char *what; /* "argument" */
    Slot *slot;
    uint32_t n, numbers; /* numbers from here on are not there at all */
} Slots;
/* Those of g, which transforms made of the func, and of its results. exported: the func's file, or NULL. */
Slots dump_arguments(Arena *, const Graph *g, const ParsedFunc *, const Exported *);
Slots dump_results(Arena *, const Graph *g, const ParsedFunc *);
const char *dump_type(Arena *, const Slot *); /* "f32[3,4]", "f8E4M3FN[3]" */
/* The numbers that these elements are, and their type: as they are, or those of a narrow type's bytes. */
const void *dump_values(Arena *, const Slot *, const void *data, Type *);

typedef struct Arrays {
    void **at;
    Type *type;
    uint32_t n;
} Arrays;
/* Writes all: from the files, the rest random. */
bool dump_inputs(const DumpOptions *, weft_context *, const Slots *, Arena *, const Arrays *, Failure *);
/* Says of each result that files hold how far it is from them. False: too far, or f says what is wrong. */
bool dump_expect(const DumpOptions *, weft_context *, const Slots *, Arena *, const Arrays *, Failure *);
bool dump_save(const DumpOptions *, weft_context *, Arena *, const Arrays *, Failure *);

/* ---- comparing (dump_compare.c) ---- */

/* Two arrays, element by element. An element is wrong if it is further from the wanted one than
 * atol + rtol * |wanted|; NaN and infinities are right where both have the same. */
typedef struct Difference {
    bool equal;     /* bit for bit */
    int64_t wrong;  /* elements */
    double apart;   /* the farthest pair; infinite where only one is NaN, or infinite */
    double allowed; /* of that pair */
    double largest; /* |finite element| of the wanted */
    int64_t worst;  /* the pair that is farthest beyond what it may be */
} Difference;
Difference dump_compare(Type, const void *got, const void *wanted, double atol, double rtol);
double dump_largest(Type, const void *);
/* "[1,2]: 3.5, wanted 3.25" */
const char *dump_pair(Arena *, Type, const void *got, const void *wanted, int64_t i);

/* Runs in eager mode and compiled, compares, prints results and times as asked for. False and f set: it does
 * not run, or results differ. */
bool dump_run(const DumpOptions *, const Graph *, const Slots *args, const Slots *results, const Times *,
              Arena *, Failure *);

extern const Allocator dump_allocator;
#endif
