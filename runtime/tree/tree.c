/* tree.c: see tree.h. */
#include "tree.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

uint64_t number_load(DType t, const void *from)
{
    uint64_t bits = 0;
    memcpy(&bits, from, dtype_bytes(t));
    return bits;
}

char *number_text(char *buf, size_t size, DType t, uint64_t bits)
{
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    switch ((int)t) {
    case WEFT_BOOL: snprintf(buf, size, "%s", bits ? "true" : "false"); break;
    case WEFT_I8:   snprintf(buf, size, "%d", (int8_t)bits); break;
    case WEFT_I16:  snprintf(buf, size, "%d", (int16_t)bits); break;
    case WEFT_I32:  snprintf(buf, size, "%" PRId32, (int32_t)bits); break;
    case WEFT_I64:  snprintf(buf, size, "%" PRId64, (int64_t)bits); break;
    case WEFT_F32:  snprintf(buf, size, "%.9g", (double)f); break;
    case WEFT_F64:  snprintf(buf, size, "%.17g", d); break;
    default:        snprintf(buf, size, "%" PRIu64, bits);
    }
    return buf;
}

/* ---- descriptions ---- */

static bool check_field(const weft_tree *t, const weft_field *f, Failure *failure)
{
    if (!f->name) return fail(failure, WEFT_ARGUMENT, "%s: a field has no name", t->name);
    if ((unsigned)f->kind >= WEFT_FIELD_KINDS_)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %d is no kind of field", t->name, f->name, f->kind);
    if (f->offset > t->bytes || f->bytes > t->bytes - f->offset)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: it lies outside the struct's %zu bytes", t->name, f->name,
                    t->bytes);
    bool tree = f->kind == WEFT_FIELD_TREE || f->kind == WEFT_FIELD_TREES || f->kind == WEFT_FIELD_POINTER;
    if (tree && !f->tree)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: the description of its struct is NULL", t->name, f->name);
    if (tree && (!f->tree->name || !f->tree->bytes || (f->tree->fields && !f->tree->field)))
        return fail(failure, WEFT_ARGUMENT,
                    "%s.%s: the description of its struct is empty: is WEFT_STRUCT missing?", t->name,
                    f->name);
    bool number = f->kind == WEFT_FIELD_STATIC || f->kind == WEFT_FIELD_ARRAYS || f->kind == WEFT_FIELD_TREES;
    if (number && ((unsigned)f->number > WEFT_F64 || f->number == WEFT_F16 || f->number == WEFT_BF16))
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %d is no type of C number", t->name, f->name, f->number);
    size_t unit = f->kind == WEFT_FIELD_TREE     ? f->tree->bytes
                  : f->kind == WEFT_FIELD_STATIC ? dtype_bytes((DType)f->number)
                  : f->kind == WEFT_FIELD_HIDDEN ? 1
                                                 : sizeof(void *);
    if (f->bytes == 0 || f->bytes % unit)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %zu bytes are not of its type", t->name, f->name,
                    f->bytes);
    if (f->kind == WEFT_FIELD_ARRAYS || f->kind == WEFT_FIELD_TREES) {
        if (!f->count_name)
            return fail(failure, WEFT_ARGUMENT, "%s.%s: its count has no name", t->name, f->name);
        if (f->number == WEFT_BOOL || f->number == WEFT_F32 || f->number == WEFT_F64)
            return fail(failure, WEFT_ARGUMENT, "%s.%s: its count is no integer", t->name, f->name);
        if (f->count_offset > t->bytes || dtype_bytes((DType)f->number) > t->bytes - f->count_offset)
            return fail(failure, WEFT_ARGUMENT, "%s.%s: its count lies outside the struct", t->name, f->name);
    }
    return true;
}

static bool check_overlap(const weft_tree *t, Failure *failure)
{
    for (size_t i = 0; i < t->fields; i++) {
        for (size_t k = 0; k < i; k++) {
            const weft_field *a = &t->field[k], *b = &t->field[i];
            if (!strcmp(a->name, b->name))
                return fail(failure, WEFT_ARGUMENT, "%s.%s is described twice", t->name, a->name);
            if (a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes)
                return fail(failure, WEFT_ARGUMENT, "%s: the fields %s and %s overlap", t->name, a->name,
                            b->name);
        }
    }
    return true;
}

static bool check_fields(const weft_tree *t, Failure *failure)
{
    if (!t->name || !t->bytes || (t->fields && !t->field))
        return fail(failure, WEFT_ARGUMENT, "a description without name or size");
    for (size_t i = 0; i < t->fields; i++)
        if (!check_field(t, &t->field[i], failure)) return false;
    return true;
}

/* Structs that lie inside each other nest as deep as C nests them: a description deeper than this goes in a
 * circle. */
enum { MAX_NESTING = 64, MAX_KNOWN = 4096 };
typedef struct Known {
    const weft_tree *tree[MAX_KNOWN];
    int n;
} Known;

static bool check_inside(const weft_tree *t, int depth, Failure *failure)
{
    if (depth > MAX_NESTING)
        return fail(failure, WEFT_ARGUMENT,
                    "%s contains itself: only WEFT_POINTER and WEFT_TREES may lead back", t->name);
    if (!check_fields(t, failure)) return false;
    for (size_t i = 0; i < t->fields; i++)
        if (t->field[i].kind == WEFT_FIELD_TREE && !check_inside(t->field[i].tree, depth + 1, failure))
            return false;
    return true;
}

/* t and all that it leads to, each once. */
static bool reach(const weft_tree *t, Known *known, Failure *failure)
{
    known->tree[known->n++] = t;
    for (int at = 0; at < known->n; at++) {
        t = known->tree[at];
        if (!check_inside(t, 0, failure) || !check_overlap(t, failure)) return false;
        for (size_t i = 0; i < t->fields; i++) {
            const weft_tree *to = t->field[i].tree;
            int k = 0;
            while (k < known->n && known->tree[k] != to) k++;
            if (!to || k < known->n) continue;
            if (known->n == MAX_KNOWN) return fail(failure, WEFT_ARGUMENT, "more than %d structs", MAX_KNOWN);
            known->tree[known->n++] = to;
        }
    }
    return true;
}

bool tree_sound(const weft_tree *t, Failure *failure)
{
    return t ? check_inside(t, 0, failure) : fail(failure, WEFT_ARGUMENT, "the description is NULL");
}

bool tree_check(const weft_tree *t, Memory *memory, Failure *failure)
{
    if (!t) return fail(failure, WEFT_ARGUMENT, "the description is NULL");
    Known *known = memory_alloc(memory, sizeof *known);
    if (!known) return fail(failure, WEFT_MEMORY, "out of memory");
    bool good = reach(t, known, failure);
    memory_free(memory, known, sizeof *known);
    return good;
}

/* Structs inside by name: each is compared when it is described itself. */
bool tree_equal(const weft_tree *a, const weft_tree *b)
{
    if (a == b) return true;
    if (!a || !b) return false;
    if (strcmp(a->name, b->name) || a->bytes != b->bytes || a->fields != b->fields) return false;
    for (size_t i = 0; i < a->fields; i++) {
        const weft_field *f = &a->field[i], *g = &b->field[i];
        if (strcmp(f->name, g->name) || f->kind != g->kind || f->offset != g->offset ||
            f->bytes != g->bytes || f->number != g->number)
            return false;
        if (!f->tree != !g->tree || (f->tree && strcmp(f->tree->name, g->tree->name)) ||
            f->count_offset != g->count_offset)
            return false;
    }
    return true;
}

bool field_equal(const weft_field *a, const weft_field *b)
{
    return a->kind == b->kind && a->number == b->number && tree_equal(a->tree, b->tree);
}
