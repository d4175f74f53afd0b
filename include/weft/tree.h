/* weft/tree.h: C structs as trees of arrays. Describe a struct once, at file scope; then functions take it,
 * results come in it, weft_vmap maps it.
 *
 *     typedef struct { weft_array *w, *b; } layer;
 *     typedef struct { layer l[2]; int uses; } net;
 *     WEFT_STRUCT(layer, WEFT_ARRAY(layer, w), WEFT_ARRAY(layer, b));
 *     WEFT_STRUCT(net, WEFT_TREE(net, l, layer), WEFT_HIDDEN(net, uses));        makes the constant net_tree
 *
 *     weft_describe(ctx, net);                                                    now signatures may say net
 *     WEFT_SIGNATURE(loss_fn, weft_array *, (const net *m, weft_array *x));
 *
 * The leaves of a tree are its arrays, in the order of the description; each has a path: l[0].w, l[0].b,
 * l[1].w, l[1].b. Its structure is what else a function may depend on: run-time counts, which pointers are
 * NULL, and static numbers. It never depends on what was read or filled in before.
 */
#ifndef WEFT_TREE_H
#define WEFT_TREE_H
#include "weft/array.h"
#ifdef __cplusplus
extern "C" {
#endif

/* ---- describing ---- */
typedef struct weft_tree weft_tree;
typedef struct {
    const char *name;
    size_t offset, bytes;
    int kind, number;               /* WEFT_FIELD_...; element type of a static number or of a count */
    const weft_tree *tree;
    size_t count_offset;            /* of the field that holds the run-time count */
    const char *count_name;
} weft_field;
struct weft_tree { const char *name; size_t bytes, fields; const weft_field *field; };
enum {
    WEFT_FIELD_ARRAY, WEFT_FIELD_TREE, WEFT_FIELD_ARRAYS, WEFT_FIELD_TREES,
    WEFT_FIELD_POINTER, WEFT_FIELD_STATIC, WEFT_FIELD_HIDDEN, WEFT_FIELD_LAZY,
    WEFT_FIELD_KINDS_
};

/* WEFT_STRUCT(T, fields...); makes the constants T_tree and T_fields. T is a name: of a typedef in C. A
 * field's type is checked as it is compiled. WEFT_STRUCT_LATER(T); before it lets two structs point to each
 * other (a struct that points to itself does not need it). Fields left out are hidden. */
/* weft_array *f, or f[N] */
#define WEFT_ARRAY(T, f) \
    WEFT_FIELD_(T, f, WEFT_IS_(T, f, weft_array *, WEFT_FIELD_ARRAY), 0, NULL, 0, NULL)
/* C f, or f[N]: a struct inside */
#define WEFT_TREE(T, f, C) \
    WEFT_FIELD_(T, f, WEFT_IS_(T, f, C, WEFT_FIELD_TREE), 0, &C##_tree, 0, NULL)
/* weft_array **f: n of them, an integer field */
#define WEFT_ARRAYS(T, f, n) \
    WEFT_COUNTED_(T, f, weft_array *, WEFT_FIELD_ARRAYS, NULL, n)
/* C *f: n of them */
#define WEFT_TREES(T, f, C, n) \
    WEFT_COUNTED_(T, f, C, WEFT_FIELD_TREES, &C##_tree, n)
/* C *f, or f[N]; NULL: an empty subtree */
#define WEFT_POINTER(T, f, C) \
    WEFT_FIELD_(T, f, WEFT_IS_(T, f, C *, WEFT_FIELD_POINTER), 0, &C##_tree, 0, NULL)
/* a C number, bool or enum, or f[N]: part of the structure */
#define WEFT_STATIC(T, f) \
    WEFT_FIELD_(T, f, WEFT_FIELD_STATIC, WEFT_NUMBER_OF_(T, f), NULL, 0, NULL)
/* not in the tree: left alone in results, zero where a function is traced */
#define WEFT_HIDDEN(T, f) \
    WEFT_FIELD_(T, f, WEFT_FIELD_HIDDEN, 0, NULL, 0, NULL)
/* weft_array *f, or f[N], computed when it is wanted, from the others: not in the tree, and NULL in results
 * and where a function is traced, so that it is never stale */
#define WEFT_LAZY(T, f) \
    WEFT_FIELD_(T, f, WEFT_IS_(T, f, weft_array *, WEFT_FIELD_LAZY), 0, NULL, 0, NULL)

/* Lets signatures of this context say T, and the structs in it. Again: fine; another description of the same
 * name: WEFT_ARGUMENT. */
weft_status weft_describe_(weft_context *, const weft_tree *, const char *at);
#define weft_describe(ctx, T)       weft_describe_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_HERE)

/* ---- leaves ---- */
/* -1 if it depends on counts and NULLs: ask weft_leaf_count_of */
int          weft_leaf_count(const weft_tree *);
/* -1: a count is negative, a pointer missing, too many (see weft_error) */
int          weft_leaf_count_of(const weft_tree *, const void *structure);
/* borrowed: where leaf i lives inside it; NULL: there is none */
weft_array **weft_leaf(const weft_tree *, void *structure, int i);
/* Its path, "l[0].w", as snprintf writes it; 0 and "" if there is none. */
size_t       weft_leaf_path(const weft_tree *, const void *structure, int i, char *text, size_t size);

/* ---- whole trees. out, to: written like results: hidden fields are left alone, lazy ones NULL; on an error
 * the tree is empty (NULLs and zeros). What a result's pointers point to is memory of the current scope, as
 * arrays are. Inside a traced function all of this works on traced arrays. ---- */
int         weft_flatten_(weft_context *, const weft_tree *, const void *from, weft_array **leaf, int room,
                          const char *at);
weft_status weft_unflatten_(weft_context *, const weft_tree *, const void *like, weft_array *const *leaf,
                            int n, void *out, const char *at);
weft_status weft_copy_tree_(weft_context *, const weft_tree *, const void *from, void *to, const char *at);
weft_status weft_check_structure_(weft_context *, const weft_tree *, const void *a, const void *b,
                                  const char *at);
weft_status weft_tree_map_(weft_context *, const weft_tree *, weft_fn, int n, void *out, const void *a,
                           const void *b, const void *c, const char *at);
weft_status weft_stack_(weft_context *, const weft_tree *, const void *from, int n, void *to, const char *at);
weft_status weft_stack_pointers_(weft_context *, const weft_tree *, const void *const *from, int n, void *to,
                                 const char *at);
weft_status weft_unstack_(weft_context *, const weft_tree *, const void *from, int n, void *to,
                          const char *at);
void       *weft_memory_(weft_context *, size_t bytes, const char *at);

/* The leaves of a T, as many as there is room for; how many it has, or -1: an error. */
#define weft_flatten(ctx, T, from, leaf, room) \
    weft_flatten_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_PTR_(T, from), (leaf), WEFT_AN_INT_(room), \
                  WEFT_HERE)
/* A T structured like another one, with these n leaves. */
#define weft_unflatten(ctx, T, like, leaf, n, out) \
    weft_unflatten_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_PTR_(T, like), (leaf), WEFT_AN_INT_(n), \
                    WEFT_PTR_(T, out), WEFT_HERE)
/* The same arrays in a struct of its own: lists and what pointers point to are new, so that changing one, as
 * in-outs are, leaves the other as it was. */
#define weft_copy_tree(ctx, T, from, to) \
    weft_copy_tree_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_PTR_(T, from), WEFT_PTR_(T, to), WEFT_HERE)
/* WEFT_OK if two Ts have one structure; else WEFT_TREE_MISMATCH, and the error says where they differ. */
#define weft_check_structure(ctx, T, a, b) \
    weft_check_structure_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_PTR_(T, a), WEFT_PTR_(T, b), WEFT_HERE)
/* f of each leaf of one, two or three trees of one structure: weft_tree_map2(ctx, net, weft_add, &sum, &a,
 * &b). f is weft_unary, _binary, _ternary. */
#define weft_tree_map(ctx, T, f, out, a) \
    weft_tree_map_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_IF_(f, weft_unary), 1, WEFT_PTR_(T, out), \
                   WEFT_PTR_(T, a), NULL, NULL, WEFT_HERE)
#define weft_tree_map2(ctx, T, f, out, a, b) \
    weft_tree_map_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_IF_(f, weft_binary), 2, WEFT_PTR_(T, out), \
                   WEFT_PTR_(T, a), WEFT_PTR_(T, b), NULL, WEFT_HERE)
#define weft_tree_map3(ctx, T, f, out, a, b, c) \
    weft_tree_map_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_IF_(f, weft_ternary), 3, WEFT_PTR_(T, out), \
                   WEFT_PTR_(T, a), WEFT_PTR_(T, b), WEFT_PTR_(T, c), WEFT_HERE)

/* An array of n structs becomes one struct whose leaves have a leading axis of n, as weft_vmap wants it.
 * Structures, shapes and element types must agree. */
#define weft_stack(ctx, T, from, n, to) \
    weft_stack_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_PTR_(T, from), WEFT_AN_INT_(n), WEFT_PTR_(T, to), \
                WEFT_HERE)
/* The same from an array of n pointers to structs: const void *list[]. */
#define weft_stack_pointers(ctx, T, from, n, to) \
    weft_stack_pointers_(WEFT_A_CONTEXT_(ctx), &T##_tree, (from), WEFT_AN_INT_(n), WEFT_PTR_(T, to), \
                         WEFT_HERE)
/* And back: each of to[n] gets one slice of every leaf along axis 0, which must be n long. */
#define weft_unstack(ctx, T, from, n, to) \
    weft_unstack_(WEFT_A_CONTEXT_(ctx), &T##_tree, WEFT_PTR_(T, from), WEFT_AN_INT_(n), WEFT_PTR_(T, to), \
                  WEFT_HERE)
/* Zeroed memory of the current scope, for what a result's pointers point to. NULL: an error. */
#define weft_memory(ctx, bytes)                     weft_memory_(WEFT_A_CONTEXT_(ctx), (bytes), WEFT_HERE)

/* ---- who owns the leaves (see weft/array.h), and what pointers in the struct point to if it is weft's
 * memory ---- */
weft_status weft_assign_(const weft_tree *, void *dst, const void *src, const char *at);
weft_status weft_keep_tree_(const weft_tree *, void *structure, const char *at);
weft_status weft_lift_tree_(const weft_tree *, void *structure, const char *at);
/* weft_assign(&net_tree, &m, &next): frees dst's leaves (those that are not src's too), and keeps src's in
 * dst. Their structures must be equal. Error: dst as before. If next was made of m by C's =, its lists and
 * pointers lead to m's own: use weft_copy_tree for structs that have such. */
#define weft_assign(tree, dst, src)                 weft_assign_((tree), (dst), (src), WEFT_HERE)
/* weft_keep of all of it */
#define weft_keep_tree(tree, structure)             weft_keep_tree_((tree), (structure), WEFT_HERE)
/* weft_lift of all of it */
#define weft_lift_tree(tree, structure)             weft_lift_tree_((tree), (structure), WEFT_HERE)
/* weft_free of all of it; then it is empty */
void        weft_free_tree(const weft_tree *, void *structure);

#ifdef __cplusplus
}
#endif
#endif
