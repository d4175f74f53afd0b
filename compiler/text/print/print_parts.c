/* print_parts.c: the growing text, types, constants, names of values. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "compiler/text/decimal.h"
#include "print.h"

static void reserve(Text *t, size_t n)
{
    t->chars = arena_grow(t->arena, t->chars, t->length, &t->capacity, t->length + (uint32_t)n + 1, 1);
}

void text_append(Text *t, const char *chars, size_t n)
{
    reserve(t, n);
    if (n) memcpy(t->chars + t->length, chars, n);
    t->length += (uint32_t)n;
    t->chars[t->length] = 0;
}

void text_printf(Text *t, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, list);
    va_end(list);
    if (n > 0) {
        reserve(t, (size_t)n);
        vsnprintf(t->chars + t->length, (size_t)n + 1, format, again);
        t->length += (uint32_t)n;
    }
    va_end(again);
}

void print_words(GraphPrinter *p, const char *words) { text_append(&p->text, words, strlen(words)); }

/* Types and constants. */

void print_type(GraphPrinter *p, Type t)
{
    print_words(p, "tensor<");
    for (int i = 0; i < t.rank; i++) text_printf(&p->text, "%lldx", (long long)t.dim[i]);
    text_printf(&p->text, "%s>", dtype_info[t.dtype].mlir);
}

static void put_element(GraphPrinter *p, DType t, const void *at)
{
    DType part = dtype_part(t);
    if (part != t) {
        print_words(p, "(");
        put_element(p, part, at);
        print_words(p, ",");
        put_element(p, part, (const char *)at + dtype_bytes(part));
        print_words(p, ")");
        return;
    }
    uint64_t bits = scalar_load(t, at);
    char number[DECIMAL_SIZE];
    if (t == WEFT_BOOL) print_words(p, bits ? "true" : "false");
    else if (dtype_kind(t) == KIND_UNSIGNED) text_printf(&p->text, "%llu", (unsigned long long)bits);
    else if (dtype_is_int(t)) text_printf(&p->text, "%lld", (long long)scalar_to_i64(t, bits));
    else {
        decimal_print(number, t, bits);
        print_words(p, number);
    }
}

/* Element i opens a list for each axis that begins with it, and closes one for each that ends. */
static void put_list(GraphPrinter *p, Type t, int64_t count, const char *data)
{
    for (int64_t i = 0; i < count; i++) {
        int64_t block = 1;
        int opened = 0, closed = 0;
        if (i) print_words(p, ", ");
        for (int axis = t.rank; axis-- > 0;) {
            block *= t.dim[axis];
            opened += i % block == 0;
            closed += (i + 1) % block == 0;
        }
        for (; opened > 0; opened--) print_words(p, "[");
        put_element(p, (DType)t.dtype, data + (size_t)i * dtype_bytes((DType)t.dtype));
        for (; closed > 0; closed--) print_words(p, "]");
    }
}

static void put_hex(GraphPrinter *p, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789ABCDEF";
    print_words(p, "\"0x");
    reserve(&p->text, 2 * n);
    for (size_t i = 0; i < n; i++)
        text_append(&p->text, (char[]){ digits[bytes[i] >> 4], digits[bytes[i] & 15] }, 2);
    print_words(p, "\"");
}

/* A list of equal elements would become a splat (build_constant makes one of it); hex is kept as it is. */
static bool reads_as_splat(Type t, int64_t count, const char *data)
{
    size_t item = dtype_bytes((DType)t.dtype);
    return t.rank == 0 || memcmp(data, data + item, ((size_t)count - 1) * item) == 0;
}

void print_dense(GraphPrinter *p, Type t, const void *data, bool splat)
{
    int64_t count = type_count(t);
    print_words(p, "dense<");
    if (splat) put_element(p, (DType)t.dtype, data);
    else if (count > 0 && (count > p->max_elements || reads_as_splat(t, count, data)))
        put_hex(p, data, (size_t)count * dtype_bytes((DType)t.dtype));
    else put_list(p, t, count, data);
    print_words(p, "> : ");
    print_type(p, t);
}

void print_ints(GraphPrinter *p, const int64_t *v, int64_t n)
{
    for (int64_t i = 0; i < n; i++) text_printf(&p->text, "%s%lld", i ? ", " : "", (long long)v[i]);
}

void print_list(GraphPrinter *p, const char *key, const int64_t *v, int64_t n)
{
    text_printf(&p->text, "%s = [", key);
    print_ints(p, v, n);
    print_words(p, "]");
}

void print_array(GraphPrinter *p, const char *key, const int64_t *v, int64_t n)
{
    text_printf(&p->text, "%s = array<i64%s", key, n ? ": " : "");
    print_ints(p, v, n);
    print_words(p, ">");
}

const int64_t *print_axis_lists(GraphPrinter *p, AxisListKeys keys, const int64_t *attr, int n_flags)
{
    const int64_t counts[N_AXIS_LISTS] = { attr[0], attr[1], attr[2], attr[2], attr[3] };
    const int64_t *v = attr + N_AXIS_LISTS + n_flags;
    for (int i = 0; i < N_AXIS_LISTS; v += counts[i++]) {
        if (counts[i] == 0) continue;
        print_list(p, keys[i], v, counts[i]);
        print_words(p, ", ");
    }
    text_printf(&p->text, "index_vector_dim = %lld", (long long)attr[4]);
    return v;
}

/* Names. */

/* %cst for floats, %c for the rest, as MLIR names constants */
const char *print_constant_name(GraphPrinter *p, DType t)
{
    bool is_float = dtype_is_inexact(t);
    uint32_t k = is_float ? p->floats++ : p->ints++;
    const char *stem = is_float ? "%cst" : "%c";
    return k == 0 ? stem : arena_printf(p->text.arena, "%s_%u", stem, k - 1);
}

const char *print_value_name(GraphPrinter *p) { return arena_printf(p->text.arena, "%%%u", p->values++); }

const char *print_name(GraphPrinter *p, const Names *n, Ref r)
{
    const Node *node = graph_node(n->g, r);
    if (node->op != OP_RESULT) return n->of[r];
    return arena_printf(p->text.arena, "%s#%lld", n->of[node->args[0]], (long long)node->attr[0]);
}

void print_values(GraphPrinter *p, const Names *n, const Ref *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) print_words(p, ", ");
        print_words(p, print_name(p, n, r[i]));
    }
}

void print_types(GraphPrinter *p, const Names *n, const Ref *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i) print_words(p, ", ");
        print_type(p, graph_type(n->g, r[i]));
    }
}

void print_typed_values(GraphPrinter *p, const Names *n, const Ref *r, uint32_t count)
{
    print_values(p, n, r, count);
    print_words(p, " : ");
    print_types(p, n, r, count);
}

void print_return(GraphPrinter *p, const Names *n, const char *op)
{
    print_words(p, op);
    if (n->g->n_outputs) print_words(p, " ");
    if (n->g->n_outputs) print_typed_values(p, n, n->g->outputs, n->g->n_outputs);
    print_words(p, "\n");
}

void print_indent(GraphPrinter *p, int depth) { text_printf(&p->text, "%*s", 2 * depth, ""); }

void print_function_type(GraphPrinter *p, const Names *n, const Ref *args, uint32_t count, const Node *node)
{
    print_words(p, " : (");
    print_types(p, n, args, count);
    print_words(p, node->n_results == 1 ? ") -> " : ") -> (");
    for (uint32_t i = 0; i < node->n_results; i++) {
        if (i) print_words(p, ", ");
        print_type(p, node_result(node, i));
    }
    if (node->n_results != 1) print_words(p, ")");
}

static bool plain_symbol(const char *s)
{
    if (!*s || (*s >= '0' && *s <= '9')) return false;
    for (; *s; s++)
        if (!(((*s | 32) >= 'a' && (*s | 32) <= 'z') || (*s >= '0' && *s <= '9') || *s == '_' || *s == '.' ||
              *s == '$'))
            return false;
    return true;
}

void print_symbol(GraphPrinter *p, const char *s)
{
    if (plain_symbol(s)) {
        print_words(p, s);
        return;
    }
    print_words(p, "\"");
    for (; *s; s++)
        if (*s == '"' || *s == '\\' || (unsigned char)*s < 32)
            text_printf(&p->text, "\\%02X", (unsigned char)*s);
        else text_append(&p->text, s, 1);
    print_words(p, "\"");
}
