/* mutate_text.c: mutants of StableHLO text by tokens, so that many still parse and reach what follows the
 * parser: an op, a type, a size or an operand becomes another one, in one place or wherever it stands; lines
 * go, move or come twice. Words come from the op table and the parser's own sources (words.inc, made by
 * cmake). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "target.h"

static const char *const words[] = {
#include "words.inc"
};
static const char *const numbers[] = {
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "16",
    "31",
    "32",
    "33",
    "64",
    "127",
    "128",
    "255",
    "256",
    "1000",
    "65536",
    "2147483647",
    "2147483648",
    "4294967296",
    "1099511627776",
    "9223372036854775807",
    "9223372036854775808",
    "0.5",
    "1e30",
    "1e-40",
    "1.0e+400",
    "0x7FC00000",
    "0xFF800000",
    "0x7FF0000000000000",
};
static const char *const elements[] = {
    "i1", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "bf16", "f32", "f64",
};
static const char *const types[] = {
    "tensor<f32>",   "tensor<i32>",   "tensor<i1>",      "tensor<4xf32>",
    "tensor<0xf32>", "tensor<1xi64>", "tensor<2x3xf32>", "tensor<1x1x1xi32>",
};

typedef enum { VALUE, SYMBOL, NUMBER, ELEMENT, OP_NAME, WORD, TYPE, MARK } Kind;
typedef struct Span {
    size_t at, n;
    Kind kind;
} Span;

static uint64_t state;

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

/* An element type, an op with its dialect, or any other. */
static Kind kind_of_word(const char *word, size_t n)
{
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++)
        if (strlen(elements[i]) == n && !memcmp(elements[i], word, n)) return ELEMENT;
    return memchr(word, '.', n) ? OP_NAME : WORD;
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$'; }

/* The token from `at` on; whole_types: `tensor<2x3xf32>` is one, else six. Comments are marks. */
static Span token_at(const char *text, size_t size, size_t at, bool whole_types)
{
    size_t end = at + 1;
    char c = text[at];
    bool cross = c == 'x' && at > 0 && (isdigit((unsigned char)text[at - 1]) || text[at - 1] == '?');
    if (isdigit((unsigned char)c)) {
        size_t hex = at + 2;
        while (hex < size && c == '0' && text[end] == 'x' && memchr("0123456789ABCDEF", text[hex], 16)) hex++;
        if (hex >= at + 6) return (Span){ at, hex - at, NUMBER };
        while (end < size && (isdigit((unsigned char)text[end]) || text[end] == '.' || text[end] == 'e'))
            end++;
        return (Span){ at, end - at, NUMBER };
    }
    if (c == '/' && end < size && text[end] == '/')
        while (end < size && text[end] != '\n') end++;
    if (cross || (!is_name(c) && c != '%' && c != '@')) return (Span){ at, end - at, MARK };
    while (end < size && is_name(text[end])) end++;
    if (whole_types && end - at == 6 && !memcmp(text + at, "tensor", 6)) {
        while (end < size && text[end - 1] != '>' && text[end] != '\n') end++;
        return (Span){ at, end - at, TYPE };
    }
    return (Span){ at, end - at, c == '%' ? VALUE : c == '@' ? SYMBOL : kind_of_word(text + at, end - at) };
}

/* A random token of this kind, of any but punctuation for MARK; n = 0: there is none. Reservoir sampling, in
 * one walk. */
static Span some_token(const char *text, size_t size, Kind kind, bool whole_types)
{
    Span found = { 0 };
    size_t seen = 0;
    for (size_t at = 0; at < size;) {
        Span s = token_at(text, size, at, whole_types);
        if (s.kind != MARK && (s.kind == kind || kind == MARK) && below(++seen) == 0) found = s;
        at += s.n;
    }
    return found;
}

/* n bytes at `at` become these; the size unchanged if there is no room. */
static size_t replace(char *text, size_t size, size_t max_size, size_t at, size_t n, const char *by,
                      size_t by_n)
{
    if (size - n + by_n > max_size) return size;
    memmove(text + at + by_n, text + at + n, size - at - n);
    memcpy(text + at, by, by_n);
    return size - n + by_n;
}

static size_t replace_tokens(char *text, size_t size, size_t max_size, Span old, const char *by, size_t by_n,
                             bool everywhere)
{
    enum { MOST = 200 };
    char was[MOST];
    if (!everywhere || old.n > MOST) return replace(text, size, max_size, old.at, old.n, by, by_n);
    memcpy(was, text + old.at, old.n);
    for (size_t at = 0; at < size;) {
        Span s = token_at(text, size, at, old.kind == TYPE);
        bool same = s.n == old.n && !memcmp(text + at, was, s.n);
        if (same) size = replace(text, size, max_size, at, s.n, by, by_n);
        at += same ? by_n ? by_n : 1 : s.n;
    }
    return size;
}

#define PICK(list) list[below(sizeof list / sizeof *list)]

static const char *made_up(Kind kind)
{
    const char *word = PICK(words);
    if (kind == NUMBER) return PICK(numbers);
    if (kind == ELEMENT) return PICK(elements);
    if (kind == TYPE) return PICK(types);
    for (int tries = 0; tries < 50 && kind_of_word(word, strlen(word)) != kind; tries++) word = PICK(words);
    return word;
}

/* It becomes another of its kind, from the text or made up; often wherever it stands, for then types still
 * fit each other. */
static size_t change_token(char *text, size_t size, size_t max_size)
{
    char by[256];
    Span old = some_token(text, size, MARK, below(2));
    bool is_name_of = old.kind <= SYMBOL, everywhere = !is_name_of && below(4);
    Span like = some_token(text, is_name_of ? old.at : size, old.kind, old.kind == TYPE);
    const char *made = made_up(old.kind);
    if (!is_name_of && below(2))
        return replace_tokens(text, size, max_size, old, made, strlen(made), everywhere);
    if (like.n == 0 || like.n > sizeof by) return size;
    memcpy(by, text + like.at, like.n);
    return replace_tokens(text, size, max_size, old, by, like.n, everywhere);
}

static size_t drop_or_repeat_token(char *text, size_t size, size_t max_size)
{
    char by[256];
    Span s = some_token(text, size, MARK, below(2));
    if (below(2) || s.n > sizeof by) return replace(text, size, max_size, s.at, s.n, "", 0);
    memcpy(by, text + s.at, s.n);
    return replace(text, size, max_size, s.at, 0, by, s.n);
}

static Span some_line(const char *text, size_t size)
{
    size_t at = below(size), end = at;
    while (at > 0 && text[at - 1] != '\n') at--;
    while (end < size && text[end++] != '\n') {}
    return (Span){ at, end - at, MARK };
}

/* A line goes, is copied to another place, or both. */
static size_t move_line(char *text, size_t size, size_t max_size)
{
    Span line = some_line(text, size);
    char *copy = malloc(line.n + 1);
    memcpy(copy, text + line.at, line.n);
    size_t how = below(3), to;
    if (how != 1) size = replace(text, size, max_size, line.at, line.n, "", 0);
    to = some_line(text, size).at;
    if (how != 0) size = replace(text, size, max_size, to, 0, copy, line.n);
    free(copy);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    char *text = (char *)data;
    state = seed;
    switch (below(16)) {
    case 0:  return LLVMFuzzerMutate(data, size, max_size);
    case 1:  return drop_or_repeat_token(text, size, max_size);
    case 2:  return move_line(text, size, max_size);
    default: return change_token(text, size, max_size);
    }
}
