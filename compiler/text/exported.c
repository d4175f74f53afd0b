/* exported.c: see exported.h. A flatbuffer begins with where its table lies. A table begins with where its
 * list of fields lies, backwards from here; that list says how long it is, how long the table, and where in
 * the table each field stands, 0 if nowhere. A field that is a list of things says where they lie, from
 * there on: their number and then they. Numbers are little-endian. */
#include "exported.h"
#include <string.h>
#include "compiler/text/parse/parse.h"

typedef struct Buffer {
    const char *chars;
    size_t n;
    size_t table, fields, fields_end; /* where they lie */
} Buffer;

/* The numbers of JAX's fields (serialization.fbs, Exported), as they stand in that list. */
enum {
    FIELD_INPUTS = 10, /* older files */
    FIELD_DEVICES_SHORT = 16,
    FIELD_PLATFORMS = 22,
    FIELD_MODULE = 30,
    FIELD_KEPT = 34,
    FIELD_DEVICES = 40,
    FIELD_INPUT_NUMBERS = 48
};

/* The number of so many bytes there; 0 beyond the end. */
static uint32_t number(const Buffer *b, size_t at, size_t bytes)
{
    uint32_t v = 0;
    if (at > b->n || b->n - at < bytes) return 0;
    for (size_t i = 0; i < bytes; i++) v |= (uint32_t)(unsigned char)b->chars[at + i] << 8 * i;
    return v;
}

static bool open_table(Buffer *b)
{
    b->table = number(b, 0, 4);
    if (b->n < 8 || b->table < 4 || b->table > b->n - 4) return false;
    int64_t fields = (int64_t)b->table - (int32_t)number(b, b->table, 4);
    if (fields < 4 || fields > (int64_t)b->n - 4) return false;
    b->fields = (size_t)fields;
    b->fields_end = b->fields + number(b, b->fields, 2);
    return b->fields_end <= b->n;
}

/* Where the field stands; 0: it is not there. */
static size_t field(const Buffer *b, size_t which)
{
    size_t at = b->fields + which < b->fields_end ? number(b, b->fields + which, 2) : 0;
    return at ? b->table + at : 0;
}

/* How many things of so many bytes the list has that `at` leads to, and where they lie. 0: there is none. */
static uint32_t list(const Buffer *b, size_t at, size_t bytes, size_t *first)
{
    size_t start = at ? at + number(b, at, 4) : 0;
    uint32_t n = start ? number(b, start, 4) : 0;
    *first = start + 4;
    return n && *first <= b->n && n <= (b->n - *first) / bytes ? n : 0;
}

static void find_platform(const Buffer *b, Exported *e)
{
    size_t first, text;
    uint32_t n = list(b, field(b, FIELD_PLATFORMS), 4, &first);
    e->has_platform = n > 1;
    for (uint32_t i = n; i-- > 0;) {
        uint32_t length = list(b, first + 4 * (size_t)i, 1, &text);
        if (length == 3 && !memcmp(b->chars + text, "cpu", 3)) e->platform = i;
    }
}

bool exported_open(const char *chars, size_t n, Exported *e)
{
    size_t at;
    Buffer b = { .chars = chars, .n = n };
    *e = (Exported){ .module = NULL };
    if (parse_is_bytecode(chars, n) || !open_table(&b)) return false;
    e->bytes = list(&b, field(&b, FIELD_MODULE), 1, &at);
    if (!e->bytes || !parse_is_bytecode(chars + at, e->bytes)) return false;
    e->module = chars + at;
    e->n_kept = list(&b, field(&b, FIELD_KEPT), 2, &at);
    e->kept = chars + at;
    e->n_inputs = list(&b, field(&b, FIELD_INPUT_NUMBERS), 4, &at);
    if (!e->n_inputs) e->n_inputs = list(&b, field(&b, FIELD_INPUTS), 4, &at);
    size_t devices = field(&b, FIELD_DEVICES), few = field(&b, FIELD_DEVICES_SHORT);
    e->devices = devices ? number(&b, devices, 4) : few ? number(&b, few, 2) : 0;
    find_platform(&b, e);
    return true;
}

uint32_t exported_kept(const Exported *e, uint32_t i)
{
    const unsigned char *at = (const unsigned char *)e->kept + 2 * (size_t)i;
    return at[0] | (uint32_t)at[1] << 8;
}
