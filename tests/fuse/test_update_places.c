/* test_update_places.c: updates at places that data says: the places are known ahead of them, a block at a
 * time, and elements are what they are in eager mode. */
#include "tests/support/fuse_suite.h"
#include <stdio.h>
#include <string.h>

enum { SMALL = 16, LARGE = 1 << 20 }; /* bytes of L2 caches: no array fits, all do */

typedef struct Found {
    bool ahead, fetched;
} Found;

static Found found(const Graph *g)
{
    Arena a;
    Found f = { false, false };
    const Program *p = fused(&a, g);
    for (uint32_t k = 0; k < p->n_kernels; k++) {
        f.ahead |= strstr(p->kernels[k].name, "_places") != NULL;
        for (uint32_t i = 0; i < p->kernels[k].n_stmts; i++)
            f.fetched |= p->kernels[k].stmts[i].kind == ST_FETCH;
    }
    arena_free(&a);
    return f;
}

/* x [rows, columns], or [rows], updated at the places i (and j) of so many. */
typedef struct Update {
    const char *what, *type, *value, *body;
    int rows, columns, count;
} Update;

#define ADD(T) "%r = stablehlo.add %a, %b : tensor<" T ">\n"
#define MAX(T) "%r = stablehlo.maximum %a, %b : tensor<" T ">\n"
#define SET    "%r = stablehlo.convert %b : (tensor<f32>) -> tensor<f32>\n"
#define DOUBLED \
    "%d = stablehlo.add %a, %a : tensor<f32>\n %e = stablehlo.cosine %b : tensor<f32>\n" \
    "%r = stablehlo.subtract %d, %e : tensor<f32>\n"

static const char plain[] = "%w = stablehlo.negate %u : tensor<$nx$t>\n",
                  dear[] = "%v = stablehlo.exponential %u : tensor<$nx$t>\n"
                           "%w = stablehlo.add %v, %u : tensor<$nx$t>\n";

static const Update updates[] = {
    { "sums", "f32", plain, ADD("f32"), 9, 7, 3001 },
    { "sums, whole blocks", "f32", plain, ADD("f32"), 9, 7, 64 * 40 },
    { "dear values", "f32", dear, ADD("f32"), 9, 7, 2049 },
    { "set", "f32", plain, SET, 9, 7, 2500 },
    { "another body", "f32", plain, DOUBLED, 9, 7, 2100 },
    { "f64", "f64", dear, ADD("f64"), 10, 5, 2060 },
    { "i64", "i64", plain, ADD("i64"), 10, 5, 2060 },
    { "bf16", "bf16", plain, MAX("bf16"), 9, 7, 2048 },
    { "one axis", "f32", plain, ADD("f32"), 20, 0, 3000 },
    { "one axis, set", "f32", plain, SET, 20, 0, 3000 },
};

/* The text with $n, $r, $c, $t in it written out. */
static int fill(char *to, size_t room, const char *text, const Update *u)
{
    int n = 0;
    for (; *text; text++) {
        if (*text != '$') {
            to[n++] = *text;
            continue;
        }
        text++;
        int number = *text == 'n' ? u->count : *text == 'r' ? u->rows : u->columns;
        if (*text == 't') n += snprintf(to + n, room - (size_t)n, "%s", u->type);
        else n += snprintf(to + n, room - (size_t)n, "%d", number);
    }
    to[n] = '\0';
    return n;
}

static const Graph *update_graph(Arena *a, const Update *u)
{
    static const char
        one[] = "%k = stablehlo.reshape %i : (tensor<$nxi32>) -> tensor<$nx1xi32>\n",
        two[] =
            "%z = stablehlo.constant dense<0> : tensor<$nxi32>\n %s = stablehlo.constant dense<$r> : "
            "tensor<$nxi32>\n"
            "%l = stablehlo.compare LT, %i, %z, SIGNED : (tensor<$nxi32>, tensor<$nxi32>) -> tensor<$nxi1>\n"
            "%m = stablehlo.add %i, %s : tensor<$nxi32>\n"
            "%p = stablehlo.select %l, %m, %i : tensor<$nxi1>, tensor<$nxi32>\n"
            "%p1 = stablehlo.reshape %p : (tensor<$nxi32>) -> tensor<$nx1xi32>\n"
            "%j1 = stablehlo.reshape %j : (tensor<$nxi32>) -> tensor<$nx1xi32>\n"
            "%k = stablehlo.concatenate %p1, %j1, dim = 1 : "
            "(tensor<$nx1xi32>, tensor<$nx1xi32>) -> tensor<$nx2xi32>\n";
    char text[8192];
    int at = 0;
    bool both = u->columns;
#define PUT(t) (at += fill(text + at, sizeof text - (size_t)at, t, u))
    const char *array = both ? "tensor<$rx$cx$t>" : "tensor<$rx$t>",
               *places = both ? "tensor<$nx2xi32>" : "tensor<$nx1xi32>";
    PUT("func.func @main(%x: "), PUT(array);
    PUT(", %i: tensor<$nxi32>, %j: tensor<$nxi32>, %u: tensor<$nx$t>) -> "), PUT(array), PUT(" {\n");
    PUT(both ? two : one), PUT(u->value);
    PUT("%0 = \"stablehlo.scatter\"(%x, %k, %w) <{scatter_dimension_numbers = #stablehlo.scatter<");
    PUT(both ? "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1]"
             : "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]");
    PUT(", index_vector_dim = 1>}> ({\n^bb0(%a: tensor<$t>, %b: tensor<$t>):\n");
    PUT(u->body), PUT("stablehlo.return %r : tensor<$t>\n}) : ("), PUT(array), PUT(", "), PUT(places);
    PUT(", tensor<$nx$t>) -> "), PUT(array), PUT("\nreturn %0 : "), PUT(array), PUT("\n}\n");
    return fuse_parsed(a, text);
}

/* Of an array that is far, always; of one that is near, where much is computed for a place. */
Test(update_places, updates)
{
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++) {
        const Update *u = &updates[i];
        Arena a;
        arena_open(&a);
        const Graph *g = update_graph(&a, u);
        fuse_cache = LARGE;
        Found near = found(g);
        cr_expect(near.ahead == (u->columns > 0) && !near.fetched, "%s: near", u->what);
        fuse_compare(u->what, g);
        fuse_cache = SMALL;
        Found far = found(g);
        cr_expect(far.ahead && far.fetched, "%s: far", u->what);
        fuse_compare(u->what, g);
        arena_free(&a);
    }
}

Test(update_places, few_updates)
{
    static const Update few = { "few", "f32", plain, ADD("f32"), 9, 7, 500 };
    Arena a;
    arena_open(&a);
    fuse_cache = SMALL;
    const Graph *g = update_graph(&a, &few);
    cr_expect(!found(g).ahead);
    fuse_compare(few.what, g);
    arena_free(&a);
}

/* A machine loop does four updates at a time, one after the other; what is left over is done ahead of it or
 * behind. */
Test(update_places, every_count)
{
    for (int count = 15; count < 20; count++) {
        Update of[] = { { "sums", "f32", plain, ADD("f32"), 9, 7, count },
                        { "another body", "f32", plain, DOUBLED, 9, 7, count },
                        { "one axis, f64", "f64", plain, ADD("f64"), 9, 0, count },
                        { "one axis, set", "f32", plain, SET, 9, 0, count } };
        for (int far = 0; far < 2; far++)
            for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
                Arena a;
                arena_open(&a);
                fuse_cache = far ? SMALL : LARGE;
                fuse_compare(of[i].what, update_graph(&a, &of[i]));
                arena_free(&a);
            }
    }
}

/* A loop that changes x[place], place from the steps' own data or from x itself. */
static const Graph *loop_graph(Arena *a, const char *place)
{
    char text[4096];
    snprintf(
        text, sizeof text,
        "func.func @main(%%x: tensor<40xi32>, %%p: tensor<3000xi32>) -> tensor<40xi32> {\n"
        "%%z = stablehlo.constant dense<0> : tensor<i32>\n %%n = stablehlo.constant dense<3000> : "
        "tensor<i32>\n"
        "%%o = stablehlo.constant dense<1> : tensor<i32>\n %%m = stablehlo.constant dense<31> : tensor<i32>\n"
        "%%w:2 = stablehlo.while(%%k = %%z, %%y = %%x) : tensor<i32>, tensor<40xi32>\n cond {\n"
        "%%c = stablehlo.compare LT, %%k, %%n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
        "stablehlo.return %%c : tensor<i1>\n} do {\n"
        "%%q = %s\n %%r = stablehlo.reshape %%q : (tensor<1xi32>) -> tensor<i32>\n"
        "%%s = stablehlo.and %%r, %%m : tensor<i32>\n"
        "%%e = stablehlo.dynamic_slice %%y, %%s, sizes = [1] : (tensor<40xi32>, tensor<i32>) -> "
        "tensor<1xi32>\n"
        "%%f = stablehlo.reshape %%k : (tensor<i32>) -> tensor<1xi32>\n"
        "%%g = stablehlo.add %%e, %%f : tensor<1xi32>\n"
        "%%h = stablehlo.dynamic_update_slice %%y, %%g, %%s : "
        "(tensor<40xi32>, tensor<1xi32>, tensor<i32>) -> tensor<40xi32>\n"
        "%%i = stablehlo.add %%k, %%o : tensor<i32>\n"
        "stablehlo.return %%i, %%h : tensor<i32>, tensor<40xi32>\n}\n return %%w#1 : tensor<40xi32>\n}\n",
        place);
    return fuse_parsed(a, text);
}

Test(update_places, of_what_is_updated)
{
    static const char own[] =
        "stablehlo.dynamic_slice %p, %k, sizes = [1] : (tensor<3000xi32>, tensor<i32>) -> "
        "tensor<1xi32>",
                      updated[] =
                          "stablehlo.dynamic_slice %y, %m, sizes = [1] : (tensor<40xi32>, tensor<i32>) -> "
                          "tensor<1xi32>";
    Arena a;
    arena_open(&a);
    fuse_cache = SMALL;
    const Graph *of_steps = loop_graph(&a, own), *of_array = loop_graph(&a, updated);
    cr_expect(!found(of_array).ahead);
    fuse_compare("places of a loop's own", of_steps);
    fuse_compare("places that updates change", of_array);
    arena_free(&a);
}
