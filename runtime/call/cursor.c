/* cursor.c: see cursor.h. */
#include "cursor.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *cursor_fail(TextCursor *c, const char *format, ...)
{
    char text[sizeof c->failure->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fail(c->failure, WEFT_ARGUMENT, "%s", text);
    return NULL;
}

void cursor_skip(TextCursor *c)
{
    while (isspace((unsigned char)*c->at)) c->at++;
}

bool cursor_take(TextCursor *c, char wanted)
{
    cursor_skip(c);
    if (*c->at != wanted) return false;
    c->at++;
    cursor_skip(c);
    return true;
}

bool cursor_at_arrow(const TextCursor *c) { return c->at[0] == '-' && c->at[1] == '>'; }

bool cursor_take_arrow(TextCursor *c)
{
    if (!cursor_at_arrow(c)) return false;
    c->at += 2;
    cursor_skip(c);
    return true;
}

size_t cursor_word(const TextCursor *c)
{
    size_t n = 0;
    while (isalnum((unsigned char)c->at[n]) || c->at[n] == '_') n++;
    return n;
}

bool cursor_is(const TextCursor *c, size_t n, const char *word)
{
    return strlen(word) == n && !memcmp(c->at, word, n);
}

int cursor_field(const TextCursor *c, size_t n, const weft_tree *tree)
{
    for (size_t i = 0; i < tree->fields; i++)
        if (cursor_is(c, n, tree->field[i].name) && field_has_arrays(&tree->field[i])) return (int)i;
    return -1;
}

const char *cursor_names(Arena *a, const weft_tree *tree)
{
    const char *text = "";
    for (size_t i = 0; i < tree->fields; i++)
        if (field_has_arrays(&tree->field[i]))
            text = arena_printf(a, "%s%s%s", text, *text ? ", " : "", tree->field[i].name);
    return *text ? text : "none";
}

int64_t field_length(const weft_field *f)
{
    int64_t n = field_elements(f);
    return field_is_list(f) ? -1 : n == 1 ? 0 : n;
}

bool field_has_arrays(const weft_field *f)
{
    return f->kind != WEFT_FIELD_HIDDEN && f->kind != WEFT_FIELD_LAZY && f->kind != WEFT_FIELD_STATIC;
}
