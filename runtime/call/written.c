/* written.c: see written.h. */
#include "written.h"
#include <string.h>
#include "cursor.h"

#define DIGITS  "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"

/* Behind the text or character that begins here. */
static const char *past_quoted(const char *s)
{
    char quote = *s++;
    while (*s && *s != quote) s += *s == '\\' && s[1] ? 2 : 1;
    return *s ? s + 1 : s;
}

/* The next comma that is in no parentheses, or the end. */
static const char *past_entry(const char *s)
{
    for (int depth = 0; *s && (depth > 0 || *s != ',');) {
        if (strchr("([{", *s)) depth++;
        if (strchr(")]}", *s)) depth--;
        s = *s == '"' || *s == '\'' ? past_quoted(s) : s + 1;
    }
    return s;
}

/* Behind ".name =", or NULL. */
static const char *value_of(const char *entry, const char *name)
{
    TextCursor c = { entry, NULL };
    if (!cursor_take(&c, '.') || !cursor_is(&c, cursor_word(&c), name)) return NULL;
    c.at += strlen(name);
    return cursor_take(&c, '=') ? c.at : NULL;
}

const char *written_option(const char *written, const char *name)
{
    for (const char *s = written; s; s = *s ? s + 1 : NULL) {
        const char *value = value_of(s, name);
        if (value) return value;
        s = past_entry(s);
    }
    return NULL;
}

/* One that a null pointer may be written with. */
static bool is_word_of_null(const char *word, size_t n)
{
    static const char *const words[] = { "NULL", "nullptr", "false", "void", "const", "char" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && !memcmp(word, words[i], n)) return true;
    return false;
}

bool written_null(const char *written, const char *name)
{
    const char *s = written_option(written, name), *end = s ? past_entry(s) : NULL;
    while (s && s < end) {
        size_t word = strspn(s, LETTERS DIGITS);
        if (*s == '"' || (word && !strchr(DIGITS, *s) && !is_word_of_null(s, word))) return false;
        s += word ? word : 1;
    }
    return s != NULL;
}

bool written_float(const char *written, const char *name)
{
    const char *s = written_option(written, name), *end = s ? past_entry(s) : NULL;
    if (!s) return false;
    s += strspn(s, " (+-");
    size_t n = strspn(s, LETTERS DIGITS ".");
    bool number = n && strchr(DIGITS ".", *s), hex = *s == '0' && n > 1 && (s[1] == 'x' || s[1] == 'X');
    size_t mark = strcspn(s, hex ? ".pP" : ".eE"); /* what an integer does not have */
    const char *rest = s + n;
    if (n && strchr(hex ? "pP" : "eE", s[n - 1])) rest += strspn(rest, "+-" DIGITS LETTERS);
    return number && mark < n && rest + strspn(rest, " )") == end;
}
