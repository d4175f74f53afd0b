/* staging.h: what all transforms share: one call of a transform is put into the running trace.
 *
 * That takes two phases, for a trace has one guard. First everything that calls other functions: each is
 * traced apart into a closed graph (a Callee). Then the op, or the mapped or derived graph, that is made of
 * these graphs is built in the running trace, whose guard is set meanwhile; building calls nothing.
 *
 * All that a region uses are operands: the leaves of the call's arguments, and the hidden values that a
 * callee met. Lists of a call are in the running trace's arena, so nothing gives them back.
 */
#ifndef WEFT_TRANSFORMS_STAGING_H
#define WEFT_TRANSFORMS_STAGING_H
#include "runtime/call/call.h"
#include "runtime/call/tree_axes.h"
#include "compiler/vmap/vmap.h"

enum { STAGE_TEXT = 160 };

/* ---- errors; all return false ---- */

bool stage_error(const Function *f, Local *l, weft_status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool stage_memory(const Function *f, Local *l);
bool stage_failure(const Function *f, Local *l, const Failure *);

/* Text for messages; lives to the end of the block it is used in. "f32[3,4]": */
#define STAGE_TYPE(type) type_text((char[STAGE_TEXT]){ 0 }, STAGE_TEXT, (type))
/* The path of a leaf of the arguments, or of the results, of a call of f. */
#define STAGE_IN(f, in, leaf)   call_in_path((f), (in), (leaf), (char[TREE_PATH]){ 0 }, TREE_PATH)
#define STAGE_OUT(f, out, leaf) call_out_path((f), (out), (leaf), (char[TREE_PATH]){ 0 }, TREE_PATH)

/* n + 1 items of the running trace's arena, zeroed. NULL: out of memory, error set. */
void *stage_room(const Function *f, Local *l, size_t n, size_t item_bytes);

static inline bool type_is_inexact(Type t) { return dtype_is_inexact((DType)t.dtype); }
/* The types of the call's leaves. NULL: error set. */
Type *stage_types(const Function *, Local *, const Flat *in);

/* ---- callees ---- */

/* A function traced apart: its graph's parameters are the leaves of the arguments, then the hidden values.
 * All zero: not traced. */
typedef struct Callee {
    const Function *f;
    Trace trace;
    Flat results; /* its words hold; of its leaves only the number does */
    bool traced;
} Callee;

/* On leaves of these types, structured as like's words say. False: error set; close either way. */
bool callee_trace(Callee *, const Function *f, Local *l, const Type *types, const Flat *like);
/* The same, like being the call's own arguments. */
bool callee_trace_of(Callee *, const Function *f, Local *l, const Type *types, const Flat *args);
/* The same as callee_trace, as a call that errors name. args: the arguments, by which a call that never ends
 * is found, or NULL. */
bool callee_trace_call(Callee *, const Function *f, Local *l, const Type *types, const Flat *like,
                       const Flat *args);
void callee_close(Callee *);
static inline const Graph *callee_graph(const Callee *c) { return c->trace.graph; }
static inline uint32_t callee_leaves(const Callee *c) { return c->trace.graph->n_params - c->trace.n_hidden; }
static inline Type callee_result(const Callee *c, uint32_t i)
{
    return graph_type(c->trace.graph, c->trace.graph->outputs[i]);
}

/* ---- a call ---- */

typedef struct Staging {
    const Function *f; /* the transform */
    Local *l;
    const Flat *in;
    /* of each leaf: its axis, or the word that the options' text says (VMAP_NONE at first), and its type as
     * the callee sees it */
    int64_t *axis;
    Type *type;
    int64_t *dims;  /* room for the types' sizes */
    int64_t length; /* of the axes that are cut */
    Callee callee;
} Staging;

/* False: error set. Close the callee either way. */
bool staging_open(Staging *, const Function *, Local *, const Flat *in);
/* Sets axis as the options say. False: error set. */
bool staging_axes(Staging *, const AxisTree *);
/* The leaf's type loses this axis (negative: from the end). Where it was, counted from the front; -1: the
 * leaf has no such axis, no error set. */
int staging_cut(Staging *, uint32_t leaf, int64_t axis);
/* Traces the first base on leaves of these types, as a call that errors name. False: error set. */
bool staging_trace(Staging *);

/* ---- building ---- */

/* Builds the call's results. The running trace's guard and place are set. False: its graph has failed. */
typedef bool StageBuild(void *call, Ref *results);
/* n results, in the running trace's arena. NULL: error set. */
Ref *stage_build(const Function *, Local *, StageBuild *, void *call, uint32_t n);
/* Appends what is built to out, structured as like is. False: error set. */
bool stage_results(const Function *, Local *, StageBuild *, void *call, const Flat *like, Flat *out);

/* Leaf i of in as a value of the running trace. */
static inline Ref stage_leaf(Local *l, const Flat *in, uint32_t i)
{
    return trace_ref(l->trace, in->leaf[i]);
}
/* What the parameters of the callee's graph get in a call with these leaves; room for some more behind
 * them. */
Ref *stage_operands(Local *, const Flat *in, const Callee *, size_t more);

/* The operands of an op over several callees: the call's leaves, then each callee's hidden values. */
typedef struct OperandList {
    Ref *ref;
    Type *type;
    uint32_t n;
} OperandList;
OperandList operands_open(Local *, const Flat *in, uint32_t n_hidden);
uint32_t operands_hidden(OperandList *, Local *, const Callee *); /* where they begin */
/* Which of these types have a derivative. */
typedef struct Floats {
    uint32_t *number; /* of each its number among them, or UINT32_MAX */
    uint32_t n;
} Floats;
Floats floats_of(Arena *, const Type *, uint32_t n);
/* Room for n values. */
static inline Ref *stage_refs(Arena *a, size_t n) { return arena_alloc(a, (n + 1) * sizeof(Ref)); }
/* A graph with parameters of these types. */
Graph *region_new(Arena *, const char *name, const OperandList *);
/* The callee's results for these leaves and hidden values. False: the graph has failed. */
bool callee_inline(Graph *, const Callee *, const Ref *leaves, const Ref *hidden, Ref *results);
/* A region of an op with these operands, that computes what the callee does; its hidden values begin there
 * among them. NULL: the region has failed. */
const Graph *callee_region(Arena *, const Callee *, const char *name, const OperandList *, uint32_t hidden);

Ref stage_to_bool(Graph *, Ref); /* x != 0 */
#endif
