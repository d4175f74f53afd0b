/* dump.h: what the parts of weft-dump share. */
#ifndef WEFT_TOOLS_DUMP_H
#define WEFT_TOOLS_DUMP_H
#include "compiler/graph/graph.h"
#include "compiler/target.h"

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

enum { MAX_TRANSFORMS = 32, MAX_INPUTS = 256 };

/* spec: of vmap "8", "8:0,none", "8:0,none->1"; of derivatives the parameters "0,2", or NULL: all of float
 * types. */
typedef struct Transform {
    enum { TRANSFORM_VMAP, TRANSFORM_GRAD, TRANSFORM_JVP, TRANSFORM_VJP } kind;
    const char *spec;
} Transform;

typedef struct DumpOptions {
    const char *file, *func;
    Transform transforms[MAX_TRANSFORMS];
    int n_transforms;
    unsigned stages;
    const char *inputs[MAX_INPUTS];
    int n_inputs;     /* .npy files of the first parameters */
    const char *save; /* prefix of .npy files for the results, or NULL */
    const char *target;
    NumericMode mode;
    double tolerance;
    uint64_t seed;
    bool jit, run, time, locs;
    bool compile_only; /* with time: no run */
} DumpOptions;

typedef struct Times {
    double parse_us, transforms_us;
} Times;

double dump_now_us(void);
bool dump_machine(const DumpOptions *, Target *, Failure *); /* the target's stages; false: no back end */
void dump_graph(const DumpOptions *, Shown, const char *name, Arena *, const Graph *);
/* The stages behind the transforms that were asked for. Returns the graph with the user's rules inlined,
 * which is what runs. NULL and f set: it cannot be. */
const Graph *dump_stages(const DumpOptions *, const Graph *, Arena *, Failure *);
/* Runs in eager mode and compiled, compares, prints results and times as asked for. False and f set, or
 * results differ (f says by how much). */
bool dump_run(const DumpOptions *, const Graph *, const Times *, Arena *, Failure *);

extern const Allocator dump_allocator;
#endif
