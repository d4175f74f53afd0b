/* point.h: the value of one graph node at one point of its index space, as statements of a kernel.
 *
 * Everything fusion does rests on this: an operand is not an array but a way to compute an element. Views
 * (broadcast, transpose, slice, pad, reshape ...) only change the index; elementwise ops become one
 * statement; reductions open a loop of their own in the block where their index is known; what is
 * materialized, and inputs, become loads. Equal (node, index) pairs are computed once.
 *
 * First what all of fusion knows of nodes and of a kernel being built, and the questions that it asks; then,
 * for the rules in this folder and in kernels/, what these are made of.
 */
#ifndef WEFT_POINT_POINT_H
#define WEFT_POINT_POINT_H
#include "compiler/fuse/cost.h"
#include "compiler/fuse/loops/nest.h"

/* Where a value lies. */
typedef struct Place {
    enum {
        PLACE_NONE,   /* nowhere: nobody wants it */
        PLACE_BUFFER, /* elements of a buffer in row-major order, from element base on */
        PLACE_SPLAT,  /* in no memory: each element is `bits` */
        /* in no memory: the only element is the number base; of a stack of them for a scan, 0, 1, 2,
            * ... */
        PLACE_INDEX
    } kind;
    uint32_t buffer;
    Address base; /* terms are counters of the step loops around, by their numbers */
    uint64_t bits;
    bool spare;     /* of an operand of a step: nobody else reads it */
    double rereads; /* of a region's parameter: how often a loop around reads it as it is; 0: once */
} Place;

Place place_temporary(Program *, Type); /* a new TEMP */

/* What holds for a node in one round of fusion (fuse_state.h), given who has memory. */
typedef struct NodeRound {
    Place place; /* if materialized, parameter or constant; PLACE_NONE: not yet */
    const Place *also;
    uint32_t n_also;      /* other places that want its elements: it is several outputs */
    const Place *results; /* of a node computed whole: places of all its results */
    uint32_t depth;       /* folds on the longest way to memory: the phase it can be known in */
    float cost;           /* arithmetic per element, what is fused into it included */
    bool from_indices;    /* integers or conditions that are made of iota and constants alone */
    bool has_product;     /* a product of matrices is fused into it */
    bool has_region;      /* holds one, whose folds two copies might round differently */
    uint32_t kernel;      /* number of the kernel that stores it; 0: none yet */
    /* kernels that compute it, if it is a fold; and a root of the one that runs first */
    uint32_t folded_by;
    Ref folded_for;
    /* how often elements are computed: in all kernels together, and in the one that does most; and a root of
     * the kernel that runs first */
    double computed, computed_in_one;
    Ref computed_for;
    Ref space;         /* the node whose indices its kernel walks (fuse.c), as it was found last: */
    uint32_t space_at; /* at this GraphFusion.memory_clock; 0: never */
} NodeRound;

/* What holds for a node while one kernel is built. What other kernels left is told by their numbers. */
typedef struct NodeBuild {
    uint32_t loaded_by; /* the kernel, if it loads the node: it cannot store it then */
    uint32_t points;    /* at how many indices it is computed, in one piece of a sweep */
    uint32_t block;     /* the first of them stands in */
    float work;         /* what the first of them added to the kernel */
    bool touched;       /* it is on Build.touched */
    double computed;    /* how often an element is computed */
    double in_vain;     /* computed of parts of a concatenation that no element is of; gathered of padding */
    uint32_t row_of;    /* the kernel where it lives in a row buffer; 0: none */
    uint32_t row_buffer;
    Val row_loop;          /* the loop it was first evaluated in; VAL_NONE: none yet */
    bool row_wanted;       /* evaluated in sibling loops */
    const Address *row_at; /* its index in the loop that stores the row; NULL: not stored yet */
} NodeBuild;

/* What fusion chose and knows for each node of a graph. */
typedef struct NodePlan {
    /* chosen; kept from round to round */
    bool materialized; /* has a buffer of its own; consumers load */
    bool in_passing;   /* an output or a shared fold, only: whoever computes all of it stores it */
    bool cuts_chain;   /* it has memory because ops on top of each other are cut there */
    bool is_view;      /* steps read or write its operand's memory in its place: fuse_viewed */
    uint32_t part; /* of what is computed part by part, from 1: only kernels of a part compute it. 0: none */
    Ref provider;  /* of a shared fold: only the kernel of this root computes it. REF_NONE: whoever can */
    NodeRound round;
    NodeBuild build;
} NodePlan;

/* Where lanes and tiles go in one kernel. */
typedef struct Schedule {
    bool root_lanes; /* the innermost axis of the result goes over lanes; else only reduction loops do */
    /* The last axes of the result are short, so many: they are written out, and so are folds of as few
     * elements; the axis around them goes over lanes. */
    uint8_t root_across;
    uint16_t across_tile; /* then: tile of that axis; 0: 1 */
    uint16_t root_tile;   /* tile of the innermost axis of the result */
    uint16_t outer_tile;  /* tile of the axis around it */
    /* The axis around it is the one that is so many further out in the result: squares of a transpose. */
    uint16_t outer_from;
    uint16_t fold_tile; /* tile of reduction loops with lanes; 0: what makes 64 accumulators */
    /* tile of reduction loops next inside lanes: sums that do not wait for each other; 0: 1 */
    uint16_t chains;
    bool fold_short; /* folds of a few elements inside lanes are written out, as they are if root_across */
    bool fold_any;   /* folds along any axis get lanes, not only those along the operand's last */
    uint16_t lanes;  /* elements of one vector in this kernel */
    uint16_t rows;   /* that the two innermost loops take as one (loops/short_rows.c); 0: each by itself */
    /* A product from panels: tiles of rows in a block; 0: it is none. root_tile vectors of columns are a
     * panel. */
    uint16_t block;
    uint16_t height; /* rows of a tile */
    /* Only what the columns read comes from panels: rows are read as they lie, outer_tile at once, and sums
     * stay in registers. Height is 1 then: block counts rows. Of strips that are near, all rows are one. */
    bool strips;
    uint16_t near;     /* so many strips at once are copied just before all rows read them; 0: all, before */
    int64_t part;      /* so many products are summed at a time */
    uint16_t n_scalar; /* operands whose folding loop gets no lanes, so that loops inside it may */
    Ref scalar[MAX_SCALAR_FOLDS];
} Schedule;

/* A load of a leaf, for the choice of the schedule. */
typedef struct Access {
    Val load;
    Ref node;
    const Address *at;
} Access;

/* What was computed already: a node's value at an index, or all its results. */
typedef struct Memo {
    uint32_t key;
    int rank;
    Val mask;
    const Address *at;
    Val value;
    const Val *results;
} Memo;

/* What a region's parameter is, while the region is evaluated: a value, or a node of the graph around at an
 * index that goes on with the parameter's own. */
typedef struct Bound {
    Val value;
    Ref outer;
    const Address *prefix;
    int n_prefix;
} Bound;

/* A region being evaluated at a point. In here nodes are the region's: point_value(n) is the value of node n
 * of the region. Nothing has memory; loops are opened in `block`, from `phase` on. */
typedef struct RegionFrame {
    const struct RegionFrame *parent;
    const Graph *outer_graph;
    NodePlan *outer_plan; /* what point_value's nodes are outside */
    const Graph *graph;
    NodePlan *plan;
    const Bound *bound; /* [n_params] */
    uint32_t first_key; /* of node 0, for the memo */
    uint32_t block, phase;
    Val mask; /* where the region has a value; elsewhere its parameters may not be read */
    /* is the region's value wanted at all? VAL_NONE: yes. Loops that end by a test end where it is not. */
    Val active;
} RegionFrame;

/* A copy of a leaf that lanes read neighbours in: with its axes in another order; or, of a leaf with one
 * axis, several times; or an operand of a product in panels. node REF_NONE: none.
 *
 * PANELS. Of its n_outer first axes in the order of perm each index has a matrix: its last n_run axes are one
 * index, which runs over the rows, or the columns, of the product; those between are what is summed, `part`
 * products at a time. `panel` neighbours along the run stand together:
 * [outer][part][panel][summed][neighbour]. What the last panel and the last part lack is 0. */
typedef struct Packing {
    Ref node;
    const int64_t *perm; /* NULL: as they are */
    uint16_t times;      /* 0: once */
    uint16_t panel;      /* 0: no panels */
    uint16_t near;       /* so many panels at once are copied by the kernel that reads them; 0: all, before */
    int64_t part;
    uint8_t n_outer, n_run;
    uint8_t side; /* of the product: which operand it is */
} Packing;

int64_t panels_count(Type, const Packing *); /* elements of the copy in panels */

/* The only product of a kernel: where its operands are read. */
typedef struct Product {
    Val sum; /* the reducer */
    Ref dot; /* REF_NONE: it stands in a region */
    const Address *at[2];
} Product;

/* The loops over the result of a product from panels: blocks of rows, in these panels of columns, rows of the
 * block, columns of the panel. Of strips that are copied near: groups, panels of the group, rows, columns. */
typedef struct PanelLoops {
    Val blocks, groups, panels, rows, columns;
    int64_t first_row, first_column; /* of the piece */
    bool summed;                     /* the kernel has the block's sums */
    bool copied[MAX_PACKED];         /* the kernel has these copies of the strip */
} PanelLoops;

/* Where the loop over one axis of a result (or over axes that are walked as one) is cut, because a condition
 * on its index changes there: at the edge of what is padded, at the seam of a concatenation. Each piece has
 * loops of its own, in which the condition is known. */
typedef struct Seams {
    int64_t extent;
    int n;
    int64_t at[MAX_SEAMS]; /* ascending, in 1..extent - 1 */
    bool too_many;
    /* Above 1: indices go by their rest by it, each rest a piece of its own; then a quotient of the index
     * by the period is a loop's index, and what depends on the rest is known. */
    int64_t period;
} Seams;

/* The loops over one result, outermost first: where they are cut, and where conditions were found to
 * change. */
typedef struct Sweep {
    int n;
    /* Of the steps of a scan or the updates of a scatter, which run in the order of their indices: none go by
     * rests. Conditions in regions are cut at, too. */
    bool in_order;
    Seams loop[WEFT_MAX_RANK + 1], found[WEFT_MAX_RANK + 1];
    int n_axes; /* axes that have loops, neighbours that are joined counted once, and their sizes */
    int64_t size[WEFT_MAX_RANK + 1];
    /* Above 0: axis `split` of them has two loops, the inner one over so many neighbours: quotients by it are
     * the outer one's index, rests the inner one's. */
    int64_t row;
    int split;
} Sweep;

/* A piece of a sweep: of each loop the indices from + step * (0 .. extent - 1), which stand between two
 * seams, behind that at `begin`. */
typedef struct Piece {
    Sweep *sweep;
    int64_t number; /* of the piece that comes next */
    int64_t begin[WEFT_MAX_RANK + 1], from[WEFT_MAX_RANK + 1], extent[WEFT_MAX_RANK + 1],
        step[WEFT_MAX_RANK + 1];
    Val loop[WEFT_MAX_RANK + 1]; /* VAL_NONE: one index, no loop */
} Piece;

/* A quotient and a rest of one address: m * quotient + rest is that address again. */
typedef struct Divided {
    Val quotient, rest;
    int64_t by;
    Address whole;
} Divided;

/* A loop of a sweep whose index would have to go by its rest by a period, for this quotient or rest of it to
 * be known; or, where the period is 0, be cut at a seam. */
typedef struct PeriodFound {
    Sweep *sweep;
    int loop;
    int64_t period, seam;
    Val quotient, rest;
    bool is_cut; /* there are seams for it, too: it has two loops only if pieces would be much code */
} PeriodFound;

/* One kernel being built. It is built several times, under better schedules. */
typedef struct Build {
    Arena *arena;    /* of what is emptied each time it is built */
    Arena *kept;     /* of what is kept until the kernel is done */
    ArenaMark empty; /* of the first, before */
    const Graph *graph;
    Program *program;
    const Target *target;
    NodePlan *plan;
    uint32_t number; /* of the kernel, from 1 */
    const Ref *roots;
    uint32_t n_roots;           /* what it is for */
    struct GraphFusion *fusion; /* that it is part of; NULL: of none */
    /* runs behind a kernel that is made already, which may load what this one could store in passing */
    bool follows;
    Schedule schedule;
    Packing packed[MAX_PACKED]; /* leaves that are read through copies */
    uint32_t packed_buffer[MAX_PACKED], n_packed;
    const Ref *packed_loads[MAX_PACKED]; /* what the kernel of that copy loads */
    uint32_t n_packed_loads[MAX_PACKED];
    uint32_t sums;  /* a block's, if anything is packed in panels */
    bool settled;   /* the sweeps are cut where they can be */
    Sweep **sweeps; /* one for each result, in the order in which they are walked */
    uint32_t n_sweeps, cap_sweeps;

    /* ---- from here on: emptied each time it is built ---- */
    Nest nest;
    uint32_t root_block; /* the innermost of the loops over the result's axes; 0: there are none */
    uint32_t sweep;      /* number of the next one */
    Piece *piece;        /* the one being built; NULL: none */
    Divided *divided;
    uint32_t n_divided, cap_divided;
    PeriodFound *periods;
    uint32_t n_periods, cap_periods;
    Memo *memos;
    uint32_t memo_size, memo_used;
    const RegionFrame *frame; /* the region being evaluated; NULL: the graph itself */
    uint32_t n_keys;          /* keys of the memo given away */
    Access *accesses;
    uint32_t n_accesses, cap_accesses;
    Ref *stored;
    uint32_t n_stored, cap_stored; /* nodes this kernel stores */
    Ref *noted;
    uint32_t n_noted, cap_noted; /* nodes whose row_loop is set */
    Ref *wanted;
    uint32_t n_wanted, cap_wanted; /* nodes found worth materializing */
    Ref *touched;
    uint32_t n_touched, cap_touched; /* nodes computed here: those whose points count */
    /* a sum in eager's order stands inside lanes: the schedule must change */
    bool needs_rows;
    Product product;      /* the last one */
    PanelLoops in_panels; /* of the last piece */
    uint32_t n_products;
    /* It was not known which part of a concatenation an index means, or whether it is in padding, so often
     * that it is better stored; and those of which that is so in all the pieces of the loops. */
    bool undecided;
    Ref *torn;
    uint32_t n_torn, cap_torn;
} Build;

/* Does the kernel that stores this node, made already, run after the one being built (fuse_kernel.c)? */
bool kernel_runs_after(Build *, Ref stored);
/* Would a kernel that copies this node's memory stand in front of the loop around? */
bool copy_moves_out(const Build *, Ref);
/* The value of node n at index at[0..rank) where mask (VAL_NONE: always) is true. It stands in the outermost
 * block where index and mask are known. at may be NULL for a scalar. */
Val point_value(Build *, Ref n, const Address *at, Val mask);
void point_is(Build *, Ref n, const Address *at, Val mask, Val value); /* from now on */
/* Is n a concatenation, or padding, for which so much was done in vain that it is better stored? */
bool point_is_torn(Build *, Ref n);
/* Stores a value of node n, which this kernel thereby provides. */
void point_store(Build *, Ref n, const Address *at, Val value, uint32_t block);
void point_provides(Build *, Ref n); /* the same for what has no elements to store */
/* The same elements by a place's memory: of a value of this type. */
Val point_load_from(Build *, Place, Type, const Address *at, Val mask, uint32_t block, uint32_t phase);
void point_store_to(Build *, Place, Type, const Address *at, Val value, Val mask, uint32_t block);
/* Row-major address of an index. */
Address point_address(Build *, Type, const Address *at);
/* Are axes a and a + 1 of n read by everything fused into it as if they were one, so that (0, i) may stand
 * for their index? */
bool point_collapses(const Build *, Ref n, int a);
/* The same of axes of a finer shape, in which the elements of n stand in the same order; it may be n's
 * own. */
bool point_collapses_finer(const Build *, Ref n, Type finer, int a);
/* The one of the axes first..last of t, which collapse, that has the index of their loop: not one of size 1,
 * for there indices are dropped. */
int point_run_axis(Type, int first, int last);
/* What r is: a barrier's result is its operand. */
Ref point_behind_barriers(const Graph *, Ref r);
/* Is op one that folds many elements into one? */
bool op_folds(Op);

/* Can this WHILE, SCAN, CASE or MAP be computed an element at a time within a kernel: do all values that
 * change with it have one shape or one element, and do they meet only at the same index? Its carries are then
 * registers (point_control.c). */
bool point_control(const Graph *, Ref);
/* A SCAN, WHILE or MAP as a scan: a WHILE is one of length EXTENT_WHILE without stacked operands and results,
 * a MAP one over elements without carries. */
ScanShape point_loop_shape(const Node *);
/* How many loops, one in another's phase after it, a node opens: what it adds to NodeRound.depth. */
uint32_t point_levels(const Node *);
/* Depth of a node (without its own levels) of depth so far when an operand of this depth is added. */
uint32_t point_deeper(const Node *, uint32_t so_far, uint32_t operand);
/* Arithmetic of one element of a node, regions included. */
float point_cost(const Node *);
/* Its `count` elements are computed `runs` times in all, at this cost each: so often that they are better in
 * memory? */
bool point_is_run_often(const Node *, float cost, double runs, double count);

/* ==== for rules ==== */

static inline const Node *node_of(const Build *b, Ref n) { return &b->graph->nodes[n]; }
static inline Type type_of(const Build *b, Ref n) { return node_type(node_of(b, n)); }
static inline DType dtype_of(const Build *b, Val v) { return (DType)b->nest.stmts[v].dtype; }

/* ---- index arithmetic ---- */

Address *new_index(Build *, int rank);
/* Bounds of an address; false if there are none. */
bool address_range(const Build *, Address, int64_t *low, int64_t *high);
/* A reshape turns groups of axes into groups of as many elements. Moves j and i, which stand at axes of the
 * operand and of the result, behind the next group. False: no such group follows. */
bool next_axis_group(Type from, Type to, int *j, int *i);
/* Index into the operand of a reshape. */
void reshape_index(Build *, Type from, Type to, const Address *at, Address *out);
/* The narrowest of I32 and I64 that holds the address. */
DType index_type(const Build *, Address);
/* low <= a < high; VAL_NONE if that is always so, a constant if it never is (is_never). */
Val in_range(Build *, Address a, int64_t low, int64_t high);
/* The same for at[d], an index into axis d of an array of type t. Where d is walked together with short axes
 * behind it, before axis `end`, their indices are 0 but for the last one's, and elements' are compared. */
Val in_axis(Build *, Type t, const Address *at, int d, int end, int64_t low, int64_t high);
bool is_never(const Build *, Val condition);
/* a / m and a % m for a in [0, ...). */
void divide(Build *, Address a, int64_t m, Address *quotient, Address *rest);
/* at[d] was a position along axis d of an array of type t once step - 1 holes stand between elements: becomes
 * the index of the element that lies there. inside: is there one (conjoined to what it was)? The axes behind
 * d, before `end`, are as they were: d may be walked together with them. */
void undilate(Build *, Type t, Address *at, int d, int end, int64_t step, Val *inside);
/* GATHER and SCATTER: where the index vector for the window of element at[], of an array of this rank with
 * these axes of windows, lies in the array of index vectors; and number k of the vector that lies there. */
Address *index_position(Build *, Type indices, int rank, const int64_t *window, int n_window,
                        int64_t vector_axis, const Address *at);
Val index_number(Build *, Ref indices, const Address *position, int64_t vector_axis, int k, Val mask);
/* A start index as i64, clamped to [0, most]. */
Val clamped(Build *, Val, int64_t most);
/* The same as i32 where it is one: twice as many in a vector. */
Val clamped_narrow(Build *, Val, int64_t most);

/* An integer that is one index or another, neither of which wraps. */
typedef struct IndexChoice {
    Val condition;
    Address yes, no;
} IndexChoice;
bool index_choice(Build *, Val, IndexChoice *);
/* An integer as an address: itself a term, or what it is made of if that is loops alone. */
Address value_address(Build *, Val);
/* An elementwise op: a statement; or what ranges of indices and constants make of it (point_range.c). */
Val point_op(Build *, Op, DType, const Val *args, int n, const int64_t *attr, int n_attr);

/* ---- statements ---- */

Val op1(Build *, Op, DType, Val x);
Val op2(Build *, Op, DType, Val x, Val y);
/* point_fold.c: a product that only a sum takes, of bools an AND; op of two, in which such a product is
 * rounded once with the sum or difference that op is. */
Val summed_product(Build *, DType, Val x, Val y);
Val joined_value(Build *, Op, DType, Val x, Val y);
Val compare(Build *, CompareDir, Val x, Val y); /* ints */
Val compare_with(Build *, CompareDir, Val x, int64_t with);
Val both(Build *, Val x, Val y); /* and; VAL_NONE is true */
Val convert(Build *, Val, DType to);
Val select_value(Build *, DType, Val p, Val t, Val f);
/* Has `list` the number d? */
bool lists(const int64_t *list, int64_t n, int64_t d);

/* ---- loops ---- */

/* A loop of its own, without lanes or tile. */
Val serial_loop(Build *, uint32_t block, uint32_t phase, int64_t extent);
/* Phase of the loops of a node that adds `own` to the depth, in its block: all that it needs is known by
 * then, each part at an index known only in some phase. */
uint32_t loops_phase(Build *, Ref, const Address *at, int rank, Val mask, uint32_t block, uint32_t own);
/* A serial loop of its own that carries values: opened with their starts, which become the carries' current
 * values. */
typedef struct CarryLoop {
    uint32_t block, phase, body;
    Val loop;
    uint32_t n;
    Val *carry;
} CarryLoop;
CarryLoop carry_open(Build *, uint32_t block, uint32_t phase, int64_t extent, uint32_t n, Val *state);
/* Sets the carries to state[], which becomes their values after the loop. A SET stands in phase `after` or
 * later (that of the TEST). */
void carry_close(Build *, const CarryLoop *, uint32_t after, Val *state);

/* Loops over the axes of a result, adjacent ones that are `joined` as one, the outermost parallel; writes
 * their indices to at[] and returns the innermost body. */
uint32_t point_loops(Build *, Type, const bool *joined, uint32_t phase, Address *at);
/* The same in pieces: after sweep_begin, while sweep_next says that there is one more, the loops of the
 * next. */
Piece sweep_begin(Build *, Type, const bool *joined);
bool sweep_next(Build *, Piece *);
uint32_t sweep_loops(Build *, Piece *, Type, const bool *joined, uint32_t phase, Address *at);
void sweep_end(Build *);
/* Cuts the sweeps where this build found that conditions change. False: there is nothing to cut. */
bool sweeps_cut(Build *);
/* Lets their indices go by the rests that this build found quotients by. False: there are none, or too
 * many. */
bool sweeps_split(Build *);
bool sweeps_have_seams(const Build *);
/* How many of the innermost loops of each sweep are so short that lanes go along the loop around them; 0:
 * none. */
uint8_t sweeps_are_short(const Build *);
/* Is an op that costs so much among those of the kernel? */
bool computes_dear(const Build *, float cost);
/* Cuts those that the schedule says into pieces of one index each. */
void sweeps_write_out(Build *);
/* A comparison of a, which is made of loops, with `bound` changes where they are equal. */
void note_seam(Build *, Address a, int64_t bound);
/* These statements are a / m and a % m, for want of knowing better. left: a without what m divides. */
void note_period(Build *, Address a, Address left, int64_t m, Val quotient, Val rest);
/* joined[d]: may axes d and d + 1 of x be walked as one? Only for d >= first. */
void join_axes(const Build *, Ref x, int first, bool *joined);
/* Loops over all elements of x, parallel and joined as above; *at becomes their index. Returns the innermost
 * body. */
uint32_t point_loops_over(Build *, Ref x, uint32_t phase, Address **at);

/* ---- regions ---- */

/* Between these two, point_value is about the region's nodes. `known`: the phase is one when all operands are
 * known; else their own depth adds to it. */
void frame_enter(Build *, RegionFrame *, const Graph *region, const Bound *, uint32_t block, uint32_t phase,
                 bool known, Val active, Val mask);
void frame_leave(Build *);
/* A region of scalars for these arguments: its outputs. `block` is where they are known, phase when. */
void region_values(Build *, const Graph *region, const Val *args, uint32_t block, uint32_t phase,
                   Val *outputs);

Val bound_value(Build *, const Node *parameter, const Address *at, Val mask);
Val region_constant(Build *, const Node *, const Address *at, Val mask);

/* ---- memory ---- */

Val load_value(Build *, Ref, const Address *at, Val mask);
/* The node gets a buffer, which this kernel may load from; fuse.c makes the kernel that stores it. */
void want_memory(Build *, Ref);
void note_access(Build *, Val load, Ref, const Address *at); /* this kernel loads the node */

/* ---- panels (point_panels.c) ---- */

/* A product's element, of the dot's operands at these indices. */
Val panels_sum(Build *, Ref dot, const Address *const at[2]);
int64_t panels_sums_count(const Schedule *, int64_t columns); /* elements of Build.sums */
/* Is the element at this index read from this copy, in the loops that there are now? */
bool panels_have(Build *, const Packing *, const Address *at);
/* Where it stands in the copy; of a strip that is copied near, makes that copy. */
Address panels_address(Build *, uint32_t copy, const Address *at);
/* Are neighbours in the operand what is summed? */
bool panels_sum_neighbours(Type, const Packing *);
/* The kernel that makes a copy. */
void panels_copy(Build *, const Packing *, uint32_t buffer);
/* The loops of a product of so many rows and columns that reads panels: their indices are added to *rows and
 * *columns. */
uint32_t panels_loops(Build *, const int64_t extent[2], uint32_t block, uint32_t phase, Address *rows,
                      Address *columns);

/* ---- rules: one value, or all results, of a node at a point ---- */

Val broadcast_value(Build *, const Node *, const Address *at, Val mask); /* point_view.c */
Val view_value(Build *, const Node *, const Address *at, Val mask);
Val pad_value(Build *, const Node *, const Address *at, Val mask);
Val concatenate_value(Build *, const Node *, const Address *at, Val mask);
Val gather_value(Build *, const Node *, const Address *at, Val mask);
Val bitcast_value(Build *, const Node *, const Address *at, Val mask);
Val reduce_value(Build *, Ref, const Address *at, Val mask, uint32_t block); /* point_fold.c */
Val arg_value(Build *, Ref, const Address *at, Val mask, uint32_t block);
Val dot_value(Build *, Ref, const Address *at, Val mask, uint32_t block);
void region_reduce(Build *, Ref, const Address *at, Val mask, uint32_t block, Val *results);

/* point_window.c */
void window_values(Build *, Ref, const Address *at, Val mask, uint32_t block, Val *results);
/* point_control.c: results that have an index like result number `which`. */
void control_values(Build *, Ref, const Address *at, Val mask, uint32_t block, int which, Val *results);
/* point_slice.c */
Val dynamic_slice_value(Build *, const Node *, const Address *at, Val mask);
Val dynamic_update_value(Build *, const Node *, const Address *at, Val mask);
/* The index at[] of a slice of these sizes plus (sign 1) or minus (-1) its clamped starts: where it lies in
 * an operand of type t. */
Address *shifted_index(Build *, Type t, const int64_t *sizes, const Ref *starts, const Address *at,
                       int64_t sign);

void control_kernel(Build *, Ref); /* point_control.c: the kernel of a WHILE or SCAN (own_kernels.h) */
#endif
