/* tree.c: see tree.h. */
#include "tree.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ---- */

char *number_text(char *buf, size_t size, DType t, uint64_t bits)
{
    switch (dtype_kind(t)) {
    case KIND_BOOL:     snprintf(buf, size, "%s", bits ? "true" : "false"); break;
    case KIND_SIGNED:   snprintf(buf, size, "%" PRId64, scalar_to_i64(t, bits)); break;
    case KIND_UNSIGNED: snprintf(buf, size, "%" PRIu64, bits); break;
    case KIND_COMPLEX:  /* no number of a struct is */
    case KIND_FLOAT:    snprintf(buf, size, "%.*g", t == WEFT_F32 ? 9 : 17, scalar_to_double(t, bits)); break;
    }
    return buf;
}

/* ---- fields ---- */

bool field_is_list(const weft_field *f)
{
    return f->kind == WEFT_FIELD_ARRAYS || f->kind == WEFT_FIELD_TREES;
}

/* The bytes of one element of those that lie in the struct itself. */
static size_t field_unit(const weft_field *f)
{
    return f->kind == WEFT_FIELD_TREE     ? f->tree->bytes
           : f->kind == WEFT_FIELD_STATIC ? dtype_bytes((DType)f->number)
           : f->kind == WEFT_FIELD_HIDDEN ? 1
                                          : sizeof(void *);
}

int64_t field_elements(const weft_field *f)
{
    return f->kind == WEFT_FIELD_HIDDEN ? 0 : (int64_t)(f->bytes / field_unit(f));
}

/* ---- descriptions ---- */

static bool is_empty(const weft_tree *t) { return !t->name || !t->bytes || (t->fields && !t->field); }

static bool check_field(const weft_tree *t, const weft_field *f, Failure *failure)
{
    if (!f->name) return fail(failure, WEFT_ARGUMENT, "%s: a field has no name", t->name);
    if ((unsigned)f->kind >= WEFT_FIELD_KINDS_)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %d is no kind of field", t->name, f->name, f->kind);
    if (f->offset > t->bytes || f->bytes > t->bytes - f->offset)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: it lies outside the struct's %zu bytes", t->name, f->name,
                    t->bytes);
    bool list = field_is_list(f), number = list || f->kind == WEFT_FIELD_STATIC;
    bool tree = f->kind == WEFT_FIELD_TREE || f->kind == WEFT_FIELD_TREES || f->kind == WEFT_FIELD_POINTER;
    if (tree && !f->tree)
        return fail(failure, WEFT_ARGUMENT, "%s.%s: the description of its struct is NULL", t->name, f->name);
    if (tree && is_empty(f->tree))
        return fail(failure, WEFT_ARGUMENT,
                    "%s.%s: the description of its struct is empty: is WEFT_STRUCT missing?", t->name,
                    f->name);
    if (number && ((unsigned)f->number > WEFT_F64 || f->number == WEFT_F16 || f->number == WEFT_BF16))
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %d is no type of C number", t->name, f->name, f->number);
    if (f->bytes == 0 || f->bytes % field_unit(f))
        return fail(failure, WEFT_ARGUMENT, "%s.%s: %zu bytes are not of its type", t->name, f->name,
                    f->bytes);
    if (list) {
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
    if (is_empty(t)) return fail(failure, WEFT_ARGUMENT, "a description without name or size");
    for (size_t i = 0; i < t->fields; i++)
        if (!check_field(t, &t->field[i], failure)) return false;
    return true;
}

/* C does not nest structs deeper: such a description goes in a circle. */
enum { MAX_NESTING = 64 };

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

bool tree_sound(const weft_tree *t, Failure *failure)
{
    return t ? check_inside(t, 0, failure) : fail(failure, WEFT_ARGUMENT, "the description is NULL");
}

bool tree_check(const weft_tree *t, Failure *failure)
{
    return tree_sound(t, failure) && check_overlap(t, failure);
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
