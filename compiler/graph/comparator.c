/* comparator.c: see comparator.h. The region is matched from its output down, one key at a time. */
#include "comparator.h"
#include <string.h>

/* One side of a comparison: parameter `param`, after the steps of flags were taken. */
typedef struct Compared {
    uint32_t param, flags;
} Compared;

static bool scalar_bits(const Graph *g, Ref r, uint64_t *bits)
{
    const Node *n = graph_node(g, r);
    if (n->op != OP_CONSTANT || n->rank) return false;
    *bits = node_bits(n);
    return true;
}

static bool is_zero(const Graph *g, Ref r)
{
    uint64_t bits;
    return scalar_bits(g, r, &bits) && scalar_to_double((DType)graph_node(g, r)->dtype, bits) == 0;
}

/* A NaN without a sign, which the total order puts above inf. */
static bool is_last_nan(const Graph *g, Ref r)
{
    DType t = (DType)graph_node(g, r)->dtype;
    uint64_t bits;
    if (!scalar_bits(g, r, &bits) || bits >> (dtype_bits(t) - 1)) return false;
    double v = scalar_to_double(t, bits);
    return v != v;
}

/* The values on the way from the parameter to v, which the steps between them may test. */
enum { MAX_STEPS = 4 };
typedef struct Chain {
    Ref seen[MAX_STEPS + 1], tested[MAX_STEPS];
    int n;
} Chain;

/* select(x == 0, 0, v) and select(x != x, nan, v), and both with the branches swapped: *rest is v, *tested x.
 * Returns the flag, 0 if it is neither. */
static uint32_t match_step(const Graph *g, const Node *select, Ref *rest, Ref *tested)
{
    const Node *p = graph_node(g, select->args[0]);
    if (p->op != OP_COMPARE || p->attr[1] != ORDER_FLOAT || (p->attr[0] != CMP_EQ && p->attr[0] != CMP_NE))
        return 0;
    bool equal = p->attr[0] == CMP_EQ;
    Ref when_equal = select->args[equal ? 1 : 2], when_not = select->args[equal ? 2 : 1], x = p->args[0],
        y = p->args[1];
    *tested = x;
    if (x == y) {
        *rest = when_equal;
        return is_last_nan(g, when_not) ? SORT_NANS_EQUAL : 0;
    }
    *rest = when_not;
    if (is_zero(g, x)) *tested = y;
    else if (!is_zero(g, y)) return 0;
    return is_zero(g, when_equal) ? SORT_ZEROS_EQUAL : 0;
}

static bool match_side(const Graph *g, Ref r, Compared *side)
{
    Chain c = { .n = 0 };
    side->flags = 0;
    for (; graph_node(g, r)->op == OP_SELECT && c.n < MAX_STEPS; c.n++) {
        c.seen[c.n] = r;
        uint32_t flag = match_step(g, graph_node(g, r), &r, &c.tested[c.n]);
        if (!flag) return false;
        side->flags |= flag;
    }
    c.seen[c.n] = r;
    if (graph_node(g, r)->op != OP_PARAMETER) return false;
    side->param = (uint32_t)graph_node(g, r)->attr[0];
    for (int i = 0; i < c.n; i++) {
        bool known = false;
        for (int k = 0; k <= c.n; k++) known |= c.tested[i] == c.seen[k];
        if (!known) return false;
    }
    return true;
}

/* A comparison of the two values of one operand, in direction LT or GT (as a key), or EQ or NE. */
static bool match_compare(const Graph *g, Ref r, CompareDir *dir, SortKey *key)
{
    const Node *n = graph_node(g, r);
    Compared a, b;
    if (n->op != OP_COMPARE || !match_side(g, n->args[0], &a) || !match_side(g, n->args[1], &b)) return false;
    if (a.param / 2 != b.param / 2 || a.param == b.param || a.flags != b.flags) return false;
    *dir = (CompareDir)n->attr[0];
    key->operand = a.param / 2;
    key->flags = a.flags;
    if (n->attr[1] == ORDER_FLOAT && dtype_is_float((DType)graph_node(g, n->args[0])->dtype))
        key->flags |= SORT_ZEROS_EQUAL | SORT_NANS_EQUAL;
    bool first_is_less = *dir == CMP_LT;
    if ((*dir == CMP_LT || *dir == CMP_GT) && first_is_less == (a.param & 1)) key->flags |= SORT_DESCENDING;
    return true;
}

static bool match_order(const Graph *g, Ref r, SortKey *key)
{
    CompareDir dir;
    return match_compare(g, r, &dir, key) && (dir == CMP_LT || dir == CMP_GT);
}

static bool match_equality(const Graph *g, Ref r, CompareDir want, SortKey key)
{
    CompareDir dir;
    SortKey k;
    return match_compare(g, r, &dir, &k) && dir == want && k.operand == key.operand &&
           k.flags == (key.flags & ~(uint32_t)SORT_DESCENDING);
}

/* lt or (eq and rest), its operands in any order. */
static bool match_or(const Graph *g, const Node *n, SortKey *key, Ref *rest)
{
    for (int i = 0; i < 2; i++) {
        const Node *both = graph_node(g, n->args[1 - i]);
        if (both->op != OP_AND || !match_order(g, n->args[i], key)) continue;
        for (int k = 0; k < 2; k++) {
            *rest = both->args[1 - k];
            if (match_equality(g, both->args[k], CMP_EQ, *key)) return true;
        }
    }
    return false;
}

/* select(eq, rest, lt), select(ne, lt, rest) */
static bool match_select(const Graph *g, const Node *n, SortKey *key, Ref *rest)
{
    if (match_order(g, n->args[2], key) && match_equality(g, n->args[0], CMP_EQ, *key))
        return *rest = n->args[1], true;
    return match_order(g, n->args[1], key) && match_equality(g, n->args[0], CMP_NE, *key)
           ? *rest = n->args[2],
             true : false;
}

bool sort_recognize(const Graph *g, SortOrder *order)
{
    Ref r = g->outputs[0];
    for (order->n_keys = 0; order->n_keys < SORT_MAX_KEYS;) {
        SortKey *key = &order->key[order->n_keys++];
        const Node *n = graph_node(g, r);
        if (n->op == OP_COMPARE) return match_order(g, r, key);
        if (n->op == OP_OR ? !match_or(g, n, key, &r) : n->op != OP_SELECT || !match_select(g, n, key, &r))
            return false;
    }
    return false;
}

/* Widens the positions along the axis that are read of r, a sort's result: those of slices, or all. */
static void note_wanted(const Graph *g, Ref r, int64_t axis, int64_t wanted[2])
{
    int64_t all = g->nodes[r].dim[axis];
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i] == r) wanted[0] = 0, wanted[1] = all;
    for (Ref u = r + 1; u < g->n_nodes; u++) {
        const Node *n = &g->nodes[u];
        bool reads = false;
        for (uint32_t i = 0; i < n->n_args; i++) reads |= n->args[i] == r;
        if (!reads || type_count(node_type(n)) == 0) continue;
        int64_t from = 0, to = all;
        if (n->op == OP_SLICE) {
            from = n->attr[axis];
            to = from + (n->dim[axis] - 1) * n->attr[2 * n->rank + axis] + 1;
        }
        if (from < wanted[0]) wanted[0] = from;
        if (to > wanted[1]) wanted[1] = to;
    }
}

int64_t sort_wanted(const Graph *g, Ref r, int64_t wanted[2])
{
    const Node *n = &g->nodes[r];
    int64_t axis = n->attr[0], all = n->dim[axis], results = n->n_results <= 1 ? -1 : 0;
    wanted[0] = all;
    wanted[1] = 0;
    if (n->n_results <= 1) note_wanted(g, r, axis, wanted);
    for (Ref u = r + 1; u < g->n_nodes && n->n_results > 1; u++) {
        if (g->nodes[u].op != OP_RESULT || g->nodes[u].args[0] != r) continue;
        int64_t here[2] = { all, 0 };
        note_wanted(g, u, axis, here);
        if (here[0] < here[1]) results |= INT64_C(1) << g->nodes[u].attr[0];
        if (here[0] < wanted[0]) wanted[0] = here[0];
        if (here[1] > wanted[1]) wanted[1] = here[1];
    }
    if (wanted[0] > wanted[1]) wanted[0] = wanted[1] = 0;
    return results;
}

uint32_t sort_numbers(const SortOrder *order, const Type *operands, uint32_t n, int axis,
                      int64_t numbers[SORT_NUMBERS_MAX])
{
    int64_t outer = 1, inner = 1;
    for (int i = 0; i < operands[0].rank; i++) {
        if (i < axis) outer *= operands[0].dim[i];
        if (i > axis) inner *= operands[0].dim[i];
    }
    numbers[SORT_N] = n;
    numbers[SORT_N_KEYS] = order->n_keys;
    numbers[SORT_OUTER] = outer;
    numbers[SORT_LENGTH] = operands[0].dim[axis];
    numbers[SORT_INNER] = inner;
    numbers[SORT_FROM] = 0;
    numbers[SORT_TO] = operands[0].dim[axis];
    numbers[SORT_WANTED] = -1;
    numbers[SORT_COUNTING] = 0;
    numbers[SORT_VECTOR_BYTES] = INT64_MAX;
    numbers[SORT_THREADS] = 1;
    int64_t *to = numbers + SORT_DTYPES;
    for (uint32_t i = 0; i < n; i++) *to++ = operands[i].dtype;
    for (uint32_t k = 0; k < order->n_keys; k++) {
        *to++ = order->key[k].operand;
        *to++ = order->key[k].flags;
    }
    return (uint32_t)(to - numbers);
}

bool sort_selects(const int64_t *numbers)
{
    return numbers[SORT_N_KEYS] == 1 && 2 * (numbers[SORT_TO] - numbers[SORT_FROM]) <= numbers[SORT_LENGTH];
}

int64_t sort_counter_bytes(int64_t length)
{
    if (length <= SORT_SHORT_ROW) return 0;
    if (length < SORT_LONG_ROW) return 4 * (64 / 8) << 8;
    return (length <= UINT32_MAX ? 4 : 8) * ((64 + SORT_DIGIT_BITS - 1) / SORT_DIGIT_BITS) << SORT_DIGIT_BITS;
}

static int64_t element_bytes(const int64_t *numbers)
{
    bool keys_alone = numbers[SORT_N] == 1 && numbers[SORT_N_KEYS] == 1 && !sort_selects(numbers);
    return keys_alone && dtype_bytes((DType)numbers[SORT_DTYPES]) <= 4 ? 4 : 8;
}

bool sort_is_partition(const int64_t *numbers)
{
    const int64_t *dtype = numbers + SORT_DTYPES, *key = dtype + numbers[SORT_N];
    return numbers[SORT_N_KEYS] == 1 && dtype[key[0]] == WEFT_BOOL;
}

int64_t sort_half_bytes(const int64_t *numbers)
{
    if (sort_is_partition(numbers)) return 0;
    return (element_bytes(numbers) * numbers[SORT_LENGTH] + 31) & ~(int64_t)31;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* A line of the cache has so many bytes. Shorter rows' lines stay in the L1 cache, and fewer rows share too
 * little (1024 x 1024 f32 along the first axis, AVX2: 15 -> 5.2 ms; 100 x 10000 5.2 either way, with
 * positions 8.6 -> 11 if turned). */
enum { LINE = 64, LEAST_TURNED_LENGTH = 512, LEAST_TURNED = 4 };
/* Vectors are of so many bytes at least; columns are so long at most, and so many neighbours at least (a
 * million f32 in columns of 50, 250, 1000 and 2000: 7.2 -> 1.0 ms, 3.4 -> 1.3, 4.6 -> 2.0, 4.8 -> 2.8; AVX2:
 * 8.1 -> 1.2, 6.3 -> 1.2, 5.3 -> 2.0, 5.8 -> 7.4; 4 neighbours of 250: 2.5 -> 4.7, 8: 2.5 -> 2.4). */
enum { LEAST_VECTOR = 32, MOST_COLUMN = 1024, LEAST_COLUMNS = 8 };

bool sort_wants_key_alone(const int64_t *numbers)
{
    const int64_t *key = numbers + SORT_DTYPES + numbers[SORT_N];
    uint64_t all = UINT64_MAX >> (64 - numbers[SORT_N]);
    return numbers[SORT_N_KEYS] == 1 && !((uint64_t)numbers[SORT_WANTED] & all & ~(UINT64_C(1) << key[0]));
}

bool sort_has_columns(const int64_t *numbers)
{
    int64_t key = numbers[SORT_DTYPES + numbers[SORT_N]];
    return sort_wants_key_alone(numbers) && numbers[SORT_INNER] >= LEAST_COLUMNS &&
           numbers[SORT_LENGTH] <= MOST_COLUMN && numbers[SORT_VECTOR_BYTES] >= LEAST_VECTOR &&
           dtype_bytes((DType)numbers[SORT_DTYPES + key]) >= 4;
}

int64_t sort_column_rows(int64_t length)
{
    int64_t rows = 8;
    while (rows < length) rows *= 2;
    return rows;
}

int64_t sort_column_bytes(int64_t length) { return (sort_column_rows(length) + 1) * LINE; }

int64_t sort_turned(const int64_t *numbers)
{
    int64_t widest = 1, inner = numbers[SORT_INNER];
    bool columns = sort_has_columns(numbers);
    if (sort_parts(numbers) > 1 || inner < LEAST_TURNED ||
        (numbers[SORT_LENGTH] < LEAST_TURNED_LENGTH && !columns))
        return 1;
    for (int64_t i = 0; i < numbers[SORT_N]; i++) {
        int64_t bytes = (int64_t)dtype_bytes((DType)numbers[SORT_DTYPES + i]);
        if (bytes > widest) widest = bytes;
    }
    return least(inner, LINE / widest);
}

int64_t sort_turned_bytes(const int64_t *numbers, int64_t i)
{
    int64_t bytes = numbers[SORT_LENGTH] * (int64_t)dtype_bytes((DType)numbers[SORT_DTYPES + i]);
    return (bytes / LINE + 2) * LINE;
}

int64_t sort_row_bytes(const int64_t *numbers)
{
    int64_t bytes = sort_counter_bytes(numbers[SORT_LENGTH]) + 2 * sort_half_bytes(numbers),
            turned = sort_turned(numbers);
    if (sort_has_columns(numbers)) return bytes + sort_column_bytes(numbers[SORT_LENGTH]);
    for (int64_t i = 0; i < numbers[SORT_N] && turned > 1; i++)
        bytes += (turned + 1) * sort_turned_bytes(numbers, i);
    return bytes;
}

int64_t sort_scratch_bytes(const int64_t *numbers)
{
    int64_t parts = sort_parts(numbers), threads = numbers[SORT_THREADS];
    if (parts == 1) return threads * sort_row_bytes(numbers);
    return threads * sort_counter_bytes(numbers[SORT_LENGTH]) + parts * parts * (int64_t)sizeof(size_t) +
           2 * sort_half_bytes(numbers);
}

/* ---- threads ---- */

/* Sixths of a ns that an element takes: for each doubling of the row in 4 bytes, in 8, and if only few are
 * selected (sort_1M, argsort_1M, top_10_1000x1000). */
enum { SIXTHS_PARTITIONED = 1, SIXTHS_NARROW = 1, SIXTHS_WIDE = 3, SIXTHS_SELECTED = 8 };
/* What takes less stays with the caller. */
enum { WORTH_THREADS_NS = 50000 };
/* Scratch for so many threads at most, and not more of it than the operands take, or LEAST_ROOM. */
enum { MOST_THREADS = 64, LEAST_ROOM = 4 << 20 };

/* A row is split where that makes more pieces than there are rows: of so many elements each (sort_1M, and
 * shorter ones), and so many at least. */
enum { PART = 8192, LEAST_PARTS = 4 };

int64_t sort_ns(const int64_t *numbers)
{
    int64_t doublings = 1, count = numbers[SORT_OUTER] * numbers[SORT_LENGTH] * numbers[SORT_INNER];
    while (numbers[SORT_LENGTH] >> doublings) doublings++;
    int64_t sixths = sort_is_partition(numbers)    ? SIXTHS_PARTITIONED
                     : sort_selects(numbers)       ? SIXTHS_SELECTED
                     : element_bytes(numbers) == 4 ? SIXTHS_NARROW * doublings
                                                   : SIXTHS_WIDE * doublings;
    return count / 6 * sixths;
}

static int64_t possible_parts(const int64_t *numbers)
{
    int64_t parts = least(numbers[SORT_LENGTH] / PART, SORT_MOST_PARTS),
            rows = numbers[SORT_OUTER] * numbers[SORT_INNER];
    bool can =
        numbers[SORT_VECTOR_BYTES] >= LEAST_VECTOR && !sort_selects(numbers) && !sort_is_partition(numbers);
    return can && parts >= LEAST_PARTS && parts > rows ? parts : 1;
}

int64_t sort_parts(const int64_t *numbers) { return numbers[SORT_THREADS] > 1 ? possible_parts(numbers) : 1; }

void sort_allow_threads(int64_t *numbers)
{
    int64_t rows = numbers[SORT_OUTER] * numbers[SORT_INNER], bytes = 0, threads = possible_parts(numbers);
    if (threads == 1) {
        for (int64_t i = 0; i < numbers[SORT_N]; i++)
            bytes += (int64_t)dtype_bytes((DType)numbers[SORT_DTYPES + i]);
        bytes *= rows * numbers[SORT_LENGTH];
        int64_t rooms = (bytes > LEAST_ROOM ? bytes : LEAST_ROOM) / (sort_row_bytes(numbers) + 1);
        threads = least(least(rows, rooms), MOST_THREADS);
    }
    numbers[SORT_THREADS] = sort_ns(numbers) < WORTH_THREADS_NS || threads < 1 ? 1 : threads;
}
