/* tiling_vectors.c: how many vectors of an elementwise loop are computed at once: as many as registers hold
 * of what is live in its body. */
#include "tiling.h"
#include "compiler/scalar/recipe.h"
#include <stdlib.h>

/* A narrow float's own recipe is a few steps on its bits. */
static bool is_recipe(const Stmt *s)
{
    DType t = (DType)s->dtype;
    return s->kind == ST_OP && !dtype_is_narrow_float(t) && recipe_exists((Op)s->op, t);
}

/* By value: does it differ between the lanes of the loop? What does not has one register, not one for each
 * vector: a recurrence beside those in lanes, all of whose systems have the same coefficients. */
static bool *lane_values(const Build *b, Val loop)
{
    bool *varies = arena_alloc(b->arena, b->nest.n_stmts + 1), more = true;
    if (loop != VAL_NONE) varies[loop] = true;
    while (more) {
        more = false;
        for (Val v = 0; v < b->nest.n_stmts; v++) {
            const Stmt *s = &b->nest.stmts[v];
            bool now = varies[v];
            for (int a = 0; a < 3; a++) now |= s->args[a] != VAL_NONE && varies[s->args[a]];
            for (uint32_t t = 0; t < s->address.n_terms; t++) now |= varies[s->address.terms[t].of];
            Val to = s->kind == ST_SET || s->kind == ST_FOLD ? s->args[0] : v;
            more |= now && (!varies[v] || !varies[to]);
            varies[v] = varies[to] = now || varies[to];
        }
    }
    return varies;
}

static uint32_t registers(const Stmt *s)
{
    return s->kind == ST_LOOP || s->kind == ST_STORE || s->kind == ST_END ? 0
           : is_recipe(s)                                                 ? RECIPE_REGISTERS
                                                                          : 1;
}

static uint32_t count_recipes(const Build *b, uint32_t block)
{
    const Block *k = &b->nest.blocks[block];
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_items; i++) n += is_recipe(&b->nest.stmts[k->items[i]]);
    return n;
}

static bool has_gather(const Build *b, uint32_t block)
{
    const Block *k = &b->nest.blocks[block];
    for (uint32_t i = 0; i < k->n_items; i++) {
        const Stmt *s = &b->nest.stmts[k->items[i]];
        if (s->kind == ST_LOAD && nest_gathers(&b->nest, s->address)) return true;
    }
    return false;
}

/* Does a block store parts of several lines by turns? */
static bool stores_by_turns(const Build *b, uint32_t block)
{
    const Block *k = &b->nest.blocks[block];
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_items; i++) n += b->nest.stmts[k->items[i]].kind == ST_STORE;
    return n > 1 && b->target->vector_bytes < LINE_BYTES;
}

static bool are_neighbours(const Stmt *x, const Stmt *y, int64_t lanes)
{
    return x->kind == ST_LOAD && y->kind == ST_LOAD && x->buffer == y->buffer &&
           x->address.offset != y->address.offset && llabs(x->address.offset - y->address.offset) < lanes &&
           address_moves_alike(x->address, y->address);
}

/* Does a block load neighbours that the back end shuffles out of a tile's vectors (taps.c)? */
static bool has_neighbours(const Build *b, uint32_t block)
{
    const Block *k = &b->nest.blocks[block];
    if (b->target->vector_bytes != LINE_BYTES / 2) return false;
    for (uint32_t i = 0; i < k->n_items; i++) {
        const Stmt *s = &b->nest.stmts[k->items[i]];
        if (s->kind != ST_LOAD || dtype_bytes((DType)s->dtype) != sizeof(double)) continue;
        if (k->loop == VAL_NONE || address_coefficient(s->address, k->loop) != 1) continue;
        for (uint32_t j = 0; j < i; j++)
            if (are_neighbours(s, &b->nest.stmts[k->items[j]], b->schedule.lanes)) return true;
    }
    return false;
}

uint32_t schedule_values(const Build *b, uint32_t block)
{
    const Block *k = &b->nest.blocks[block];
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_items; i++) n += registers(&b->nest.stmts[k->items[i]]);
    return n;
}

static uint32_t uses(const Stmt *s) { return 3 + s->address.n_terms; }
static Val use(const Stmt *s, uint32_t i) { return i < 3 ? s->args[i] : s->address.terms[i - 3].of; }

/* Most values alive at once in a block that vary, statements in the order they were made. */
static uint32_t pressure(const Build *b, const bool *varies, uint32_t block, uint32_t *ops)
{
    const Block *k = &b->nest.blocks[block];
    uint32_t *last = arena_alloc(b->arena, (b->nest.n_stmts + 1) * sizeof *last), alive = 0, most = 1;
    *ops = schedule_values(b, block);
    for (uint32_t i = 0; i < k->n_items; i++) {
        const Stmt *s = &b->nest.stmts[k->items[i]];
        for (uint32_t a = 0; a < uses(s); a++)
            if (use(s, a) != VAL_NONE) last[use(s, a)] = i;
    }
    for (uint32_t i = 0; i < k->n_items; i++) {
        const Stmt *s = &b->nest.stmts[k->items[i]];
        uint32_t needed = varies[k->items[i]] ? registers(s) : 0;
        if (alive + needed > most) most = alive + needed;
        alive += needed > 0;
        for (uint32_t a = 0; a < uses(s); a++) {
            Val v = use(s, a);
            if (v == VAL_NONE || !varies[v] || b->nest.placed[v].block != block || last[v] != i) continue;
            last[v] = UINT32_MAX;
            if (alive) alive--;
        }
    }
    return most;
}

/* Values from outside that vary and that the block uses: they stay alive throughout its loop. */
static uint32_t taken_in(const Build *b, const bool *varies, uint32_t block)
{
    const Block *k = &b->nest.blocks[block];
    bool *seen = arena_alloc(b->arena, b->nest.n_stmts + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->n_items; i++)
        for (int a = 0; a < 3; a++) {
            Val v = b->nest.stmts[k->items[i]].args[a];
            if (v == VAL_NONE || seen[v] || !varies[v] || b->nest.placed[v].block == block) continue;
            seen[v] = true;
            n++;
        }
    return n;
}

/* Registers for what a block computes; spilling: where that costs less than waiting. */
static uint32_t room_for(const Build *b, uint32_t block, bool spilling)
{
    uint32_t n = b->target->vector_registers;
    if (spilling) return n * 3 / 2;
    return (n < MANY_REGISTERS && count_recipes(b, block) ? MANY_REGISTERS : n) - 4u;
}

/* The longest chain of a block's values that wait for each other, in units of schedule_values. */
static uint32_t longest_chain(const Build *b, uint32_t block)
{
    const Block *k = &b->nest.blocks[block];
    uint32_t *chain = arena_alloc(b->arena, (b->nest.n_stmts + 1) * sizeof *chain), longest = 0;
    for (uint32_t i = 0; i < k->n_items; i++) {
        const Stmt *s = &b->nest.stmts[k->items[i]];
        uint32_t before = 0;
        for (uint32_t a = 0; a < uses(s); a++)
            if (use(s, a) != VAL_NONE && chain[use(s, a)] > before) before = chain[use(s, a)];
        chain[k->items[i]] = before + registers(s);
        if (chain[k->items[i]] > longest) longest = chain[k->items[i]];
    }
    return longest;
}

/* Does a body of so many values, beyond which the machine does not look, spend its time waiting? */
static bool waits(const Build *b, uint32_t values)
{
    return values >= LONG_CHAIN && longest_chain(b, b->root_block) * WAITS_OF_CHAIN >= values;
}

/* Is a body of so many ops, in loops within each other, run so often that it has two vectors? */
static bool is_long_in_all(const Build *b, uint32_t ops)
{
    return b->target->vector_registers <= FEW_REGISTERS && ops >= LONG_CHAIN &&
           b->nest.blocks[b->root_block].runs >= OFTEN_IN_ALL;
}

/* As many vectors at once as registers hold: one alone waits for each op's latency. A serial loop inside (the
 * steps of a scan, of a while) waits for the carries of the step before and holds what it takes in besides:
 * there a few spills cost less than waiting (escape times: 0.84 ms with 4 vectors, 1.03 ms with 2). So they
 * do in a long loop over math functions or a long chain of ops, whose larger code pays for the time to
 * compile it (AVX2, with 2 vectors and 4: black_scholes_1M 2.70, 2.05 ms, arc_distance 8.8, 6.9,
 * random_normal_1M 3.3, 2.6, chain320_1M 7.0, 5.8). A math function waits for each of its steps: in any loop
 * it has as many vectors as MANY_REGISTERS hold (pow of f64 with AVX2: 12.6 ns with one, 8.9 with 2, 5.8 with
 * 4; tanh of f32 with SSE2: 1.5 ns with 2, 1.2 with 4). A short loop over a long chain has one: the machine
 * looks ahead into the next iteration itself, and the code is a third (a permutation of 1,437: 27 -> 18 ms to
 * compile, as fast). For the same reason a still shorter one with one math function on 16 lanes has two
 * (1,000 tanh of f32: 6.0 -> 3.9 ms to compile, and 4 % faster; of f64, or with AVX2, it would be 6 %
 * slower). A gather waits as long as a math function's step: in a long loop it has two (a histogram of 256
 * bins, AVX2, f64: 2.7 -> 2.3 ms; with four, AVX-512 is 8 % slower among 128). So has
 * one that stores several arrays, in vectors of less than a line: it fills more of a line before it turns to
 * the next array's, which pays most where arrays lie a multiple of 4096 bytes apart (adam_1M, AVX2, Sapphire
 * Rapids: 2.8 -> 1.95 ms, of f64 6.6 -> 4.5). Neighbours that are shuffled out of a tile's vectors have four:
 * else each vector reads across what the one before has stored at the same place of a page, and waits for it
 * (AVX2, Sapphire Rapids: heat_3d 55 -> 24 ms, fdtd_2d 43 -> 28). */
uint16_t schedule_tile(const Build *b)
{
    Val inner_root = b->nest.blocks[b->root_block].loop;
    double work = 0, once = 0;
    uint32_t ops, all = 0, body = 0, recipes = 0, tile = 4, straight = 4, outer = b->root_block;
    bool is_long = inner_root != VAL_NONE && b->nest.stmts[inner_root].extent >= LONG_LOOP;
    const bool *varies = lane_values(b, inner_root);
    for (uint32_t block = 0; block < b->nest.n_blocks; block++) {
        if (!nest_encloses(&b->nest, outer, block)) continue;
        bool serial = block != outer;
        uint32_t most = pressure(b, varies, block, &ops) + (serial ? taken_in(b, varies, block) : 0),
                 room = room_for(b, block, serial), here = count_recipes(b, block);
        uint32_t *limit = serial ? &tile : &straight;
        bool spills = is_long && !serial && (here || ops >= SHORT_CHAIN);
        if (!serial && ops < SHORT_CHAIN && 2 * most <= b->target->vector_registers)
            spills |= has_neighbours(b, block);
        bool by_turns = stores_by_turns(b, block) && room_for(b, block, true) >= 2 * most;
        uint32_t least = is_long && !serial && (by_turns || has_gather(b, block)) ? 2 : 0;
        if (!spills && room / most < *limit) *limit = room / most > least ? room / most : least;
        all += ops;
        recipes += here;
        work += ops * b->nest.blocks[block].runs;
        if (!serial) once = work, body = all;
    }
    if (straight < tile && work < once * SERIAL_WORK) tile = straight;
    while (tile > 2 && tile * all > (is_long ? LONG_CODE : MOST_CODE)) tile--;
    if (tile < 2 && (is_long_in_all(b, body) || waits(b, body))) tile = 2;
    if (all >= SHORT_CHAIN && work < (double)SHORT_WORK * b->schedule.lanes) return 1;
    if (recipes == 1 && work < (double)SHORT_MATH * b->schedule.lanes && b->schedule.lanes >= 16 && tile > 2)
        return 2;
    return tile >= 4 ? 4 : tile >= 2 ? 2 : 1;
}

/* By value: is it loaded, or computed of what is? */
static bool *loaded_values(const Build *b)
{
    bool *loaded = arena_alloc(b->arena, b->nest.n_stmts + 1);
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        loaded[v] = s->kind == ST_LOAD;
        for (int a = 0; a < 3 && s->kind == ST_OP; a++)
            loaded[v] |= s->args[a] != VAL_NONE && loaded[s->args[a]];
    }
    return loaded;
}

/* Does this load gather in places that data says, and that do not vary? Elements shorter than i32 are put
 * into their vectors one by one, in each row, and that takes all the time (i16, AVX2: 6.9 us a row at a time,
 * 7.9 four). */
static bool has_same_places(const Build *b, const Access *x, const bool *varies, const bool *loaded)
{
    bool is_data = false;
    Address a = b->nest.stmts[x->load].address;
    if (dtype_bytes((DType)b->nest.stmts[x->load].dtype) < sizeof(int32_t)) return false;
    if (b->nest.placed[x->load].block != b->root_block || !nest_gathers(&b->nest, a)) return false;
    for (uint32_t i = 0; i < a.n_terms; i++) {
        if (b->nest.stmts[a.terms[i].of].kind != ST_LOOP && varies[a.terms[i].of]) return false;
        is_data |= loaded[a.terms[i].of];
    }
    return is_data;
}

/* The places are looked at, and taken out of their vectors, once for all rows of the tile. There are as many
 * rows as registers hold, a few spills included, and as stay in the L1 cache while they are read (AVX2, f32,
 * with 1 row, 2 and 4: rows of 4 KB 203, 163, 142 us, of 16 KB 257, 217, 279, of 80 KB 516, 572, 603).
 * AVX-512 looks up short rows in registers, and a tile would load them for each vector (70 columns: 22 -> 30
 * us). */
uint16_t schedule_rows(const Build *b)
{
    uint32_t ops;
    Val loop = b->nest.blocks[b->nest.blocks[b->root_block].parent].loop;
    int64_t bytes = 0, rows = MOST_ROWS_GATHERED, extent = b->nest.stmts[loop].extent;
    bool same = false;
    if (b->target->vector_bytes >= 64) return 1;
    for (uint32_t inner = 0; inner < b->nest.n_blocks; inner++)
        if (inner != b->root_block && nest_encloses(&b->nest, b->root_block, inner)) return 1;
    const bool *varies = lane_values(b, loop), *loaded = loaded_values(b);
    for (uint32_t i = 0; i < b->n_accesses; i++) {
        const Access *x = &b->accesses[i];
        const Stmt *load = &b->nest.stmts[x->load];
        if (!has_same_places(b, x, varies, loaded)) continue;
        int64_t row =
            llabs(address_coefficient(load->address, loop)) * (int64_t)dtype_bytes((DType)load->dtype);
        if (row > bytes) bytes = row;
        same = true;
    }
    if (!same) return 1;
    int64_t room = room_for(b, b->root_block, true) / pressure(b, varies, b->root_block, &ops);
    if (rows > room) rows = room;
    if (rows > extent) rows = extent;
    while (rows > 1 && (rows * ops > MOST_CODE || rows * bytes > b->target->l1_bytes)) rows /= 2;
    return rows > 1 ? (uint16_t)rows : 1;
}

/* How many sums share a loop in lanes, and its registers, at most; 0: some fold is no sum. An extreme waits
 * longer for the one before than it takes to spill it. */
static uint32_t sums_together(const Build *b)
{
    uint32_t *sums = arena_alloc(b->arena, (b->nest.n_blocks + 1) * sizeof *sums), most = 0;
    for (Val v = 0; v < b->nest.n_stmts; v++) {
        const Stmt *s = &b->nest.stmts[v];
        uint32_t block = b->nest.placed[v].block;
        Val loop = b->nest.blocks[block].loop;
        if (s->kind != ST_FOLD || loop == VAL_NONE || b->nest.stmts[loop].lanes <= 1) continue;
        if (b->nest.stmts[s->args[0]].op != OP_ADD) return 0;
        if (++sums[block] > most) most = sums[block];
    }
    return most;
}

/* Math functions hide their latency with few vectors; more is code. (Softmax of 128 x 128, us: AVX2, f64 16
 * vectors 22.7, 4 21.5, 2 24.0, f32 8 vectors 8.5, 4 8.1, 2 8.5; AVX-512, f64 8 vectors 16.7, 4 16.5, 2 15.9,
 * but logsumexp of f32 is 8 % slower with two. Softmax of f64 is 520 lines of LLVM's instead of 924.) Sums
 * that share a loop share the registers, too; the rest of these holds operands (sums of x and of x^2, 500 x
 * 1000, AVX2: 30 -> 20 us, f64 56 -> 40; masked_mean_grad_1M 230 -> 207). */
uint16_t schedule_few_sums(const Build *b)
{
    enum { SUMS_OF_MATH = 4 };
    uint32_t sums = sums_together(b), room = b->target->vector_registers * 3u / 4, few = UINT16_MAX;
    if (b->program->mode == MODE_STRICT) return UINT16_MAX;
    if (sums > 1)
        for (few = ACCUMULATORS; few > 1 && few * sums > room;) few /= 2;
    for (uint32_t block = 0; block < b->nest.n_blocks; block++) {
        Val loop = b->nest.blocks[block].loop;
        bool math = loop != VAL_NONE && b->nest.stmts[loop].lanes > 1 && count_recipes(b, block);
        if (math && few > SUMS_OF_MATH) few = SUMS_OF_MATH;
    }
    return (uint16_t)few;
}
