/* parse_lex.c: tokens, positions and errors of the text parser. One token of look-ahead; types are read by
 * characters, for `2x3xf32` is no token. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "parse.h"

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_name(char c) { return is_letter(c) || is_digit(c) || c == '$' || c == '.'; }

static char char_at(const Parser *p, uint32_t i) { return i < p->n ? p->chars[i] : 0; }

uint32_t parse_line(Parser *p, uint32_t at)
{
    if (at < p->line_at) {
        p->line_at = 0;
        p->line = 1;
    }
    for (; p->line_at < at && p->line_at < p->n; p->line_at++) p->line += p->chars[p->line_at] == '\n';
    return p->line;
}

static uint32_t column(const Parser *p, uint32_t at)
{
    uint32_t start = at;
    while (start > 0 && p->chars[start - 1] != '\n') start--;
    return at - start + 1;
}

/* The first error is kept; after it there are no more tokens. */
static bool stop(Parser *p, uint32_t at, weft_status code, const char *words)
{
    if (p->failed) return false;
    if (at > p->n) at = p->n;
    if (p->bytecode) fail(p->failure, code, "%s: %s", bytecode_where(p->arena, p->bytecode, at), words);
    else fail(p->failure, code, "%u:%u: %s", parse_line(p, at), column(p, at), words);
    p->failed = true;
    p->pos = p->n;
    p->tok = (Token){ .kind = TOK_END, .at = p->n, .text = "", .result = -1 };
    return false;
}

bool parse_error(Parser *p, uint32_t at, const char *format, ...)
{
    char words[900];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    return stop(p, at, WEFT_IO, words);
}

bool parse_unsupported(Parser *p, uint32_t at, const char *reason, ...)
{
    if (p->failed) return false;
    char short_words[200], words[300];
    va_list list;
    va_start(list, reason);
    vsnprintf(short_words, sizeof short_words, reason, list);
    va_end(list);
    snprintf(words, sizeof words, "not supported: %s", short_words);
    p->unsupported = arena_copy(p->arena, short_words, strlen(short_words) + 1);
    return stop(p, at, WEFT_ARGUMENT, words);
}

bool parse_unexpected(Parser *p, const char *wanted)
{
    if (p->tok.kind == TOK_END) return parse_error(p, p->n, "the text ends where %s should be", wanted);
    uint32_t length = p->pos - p->tok.at;
    return parse_error(p, p->tok.at, "saw `%.*s`, wanted %s", length > 40 ? 40 : (int)length,
                       p->chars + p->tok.at, wanted);
}

static void skip_space(Parser *p)
{
    while (p->pos < p->n) {
        char c = p->chars[p->pos];
        if (c == '/' && char_at(p, p->pos + 1) == '/')
            while (p->pos < p->n && p->chars[p->pos] != '\n') p->pos++;
        else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') p->pos++;
        else break;
    }
}

static void token(Parser *p, int kind, uint32_t start, uint32_t end)
{
    p->tok.kind = kind;
    p->tok.text = p->chars + start;
    p->tok.length = end - start;
}

static bool lex_string(Parser *p, int kind)
{
    uint32_t start = ++p->pos;
    while (p->pos < p->n && p->chars[p->pos] != '"') {
        if (p->chars[p->pos] == '\\') p->pos++;
        p->pos++;
    }
    if (p->pos >= p->n) return parse_error(p, start - 1, "a string without its closing quote");
    token(p, kind, start, p->pos++);
    return true;
}

/* %name, @name, @"name", ^name, #name, !name; %name#2 too. */
static bool lex_sigil(Parser *p, int kind)
{
    p->pos++;
    if (kind == TOK_SYMBOL && char_at(p, p->pos) == '"') return lex_string(p, kind);
    uint32_t start = p->pos;
    while (p->pos < p->n &&
           (is_name(p->chars[p->pos]) || (p->chars[p->pos] == '-' && char_at(p, p->pos + 1) != '>')))
        p->pos++;
    token(p, kind, start, p->pos);
    if (p->pos == start) return parse_error(p, start - 1, "a name must follow `%c`", p->chars[start - 1]);
    if (kind != TOK_VALUE || char_at(p, p->pos) != '#') return true;
    int k = 0;
    for (p->pos++; is_digit(char_at(p, p->pos)) && k < 100000; p->pos++)
        k = 10 * k + (p->chars[p->pos] - '0');
    p->tok.result = k;
    return true;
}

/* 12, 0x1F, 1.5, 1.5e-3. A sign is a token of its own. */
static void lex_number(Parser *p)
{
    uint32_t start = p->pos;
    if (p->chars[start] == '0' && char_at(p, start + 1) == 'x') {
        p->pos += 2;
        while (is_digit(char_at(p, p->pos)) ||
               (is_letter(char_at(p, p->pos)) && (p->chars[p->pos] | 32) <= 'f'))
            p->pos++;
    } else {
        while (is_digit(char_at(p, p->pos))) p->pos++;
        if (char_at(p, p->pos) == '.')
            for (p->pos++; is_digit(char_at(p, p->pos));) p->pos++;
        uint32_t e = p->pos;
        if ((char_at(p, e) | 32) == 'e') {
            e++;
            if (char_at(p, e) == '+' || char_at(p, e) == '-') e++;
            if (is_digit(char_at(p, e)))
                for (p->pos = e; is_digit(char_at(p, p->pos));) p->pos++;
        }
    }
    token(p, TOK_NUMBER, start, p->pos);
}

static int sigil_kind(char c)
{
    switch (c) {
    case '%': return TOK_VALUE;
    case '@': return TOK_SYMBOL;
    case '^': return TOK_BLOCK;
    case '#': return TOK_HASH;
    case '!': return TOK_BANG;
    default:  return TOK_END;
    }
}

void parse_next(Parser *p)
{
    skip_space(p);
    p->tok = (Token){ .kind = TOK_END, .at = p->pos, .text = p->chars + p->pos, .result = -1 };
    if (p->failed || p->pos >= p->n) return;
    char c = p->chars[p->pos];
    if (is_letter(c)) {
        uint32_t start = p->pos;
        while (is_name(char_at(p, p->pos))) p->pos++;
        token(p, TOK_WORD, start, p->pos);
    } else if (is_digit(c)) lex_number(p);
    else if (c == '"') lex_string(p, TOK_STRING);
    else if (sigil_kind(c)) lex_sigil(p, sigil_kind(c));
    else if (c == '-' && char_at(p, p->pos + 1) == '>') {
        token(p, TOK_ARROW, p->pos, p->pos + 2);
        p->pos += 2;
    } else if (c == '{' && char_at(p, p->pos + 1) == '-' && char_at(p, p->pos + 2) == '#')
        p->pos = p->n; /* {-# resources #-} stand last */
    else if (c > 0 && strchr("()[]{}<>,=:+-*/|?", c)) {
        token(p, c, p->pos, p->pos + 1);
        p->pos++;
    } else parse_error(p, p->pos, "a character that means nothing here (code %d)", (unsigned char)c);
}

bool parse_is_word(const Parser *p, const char *word)
{
    return p->tok.kind == TOK_WORD && strlen(word) == p->tok.length &&
           memcmp(word, p->tok.text, p->tok.length) == 0;
}

bool parse_take(Parser *p, int kind)
{
    if (p->tok.kind != kind) return false;
    parse_next(p);
    return true;
}

bool parse_take_word(Parser *p, const char *word)
{
    if (!parse_is_word(p, word)) return false;
    parse_next(p);
    return true;
}

bool parse_expect(Parser *p, int kind, const char *wanted)
{
    if (parse_take(p, kind)) return !p->failed;
    return parse_unexpected(p, wanted);
}

bool parse_peek(const Parser *p, char c)
{
    uint32_t i = p->pos;
    while (i < p->n &&
           (p->chars[i] == ' ' || p->chars[i] == '\n' || p->chars[i] == '\t' || p->chars[i] == '\r'))
        i++;
    return char_at(p, i) == c;
}

int parse_hex_digit(char c)
{
    if (is_digit(c)) return c - '0';
    c |= 32;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *parse_token_text(Parser *p)
{
    const char *s = p->tok.text, *end = s + p->tok.length;
    char *text = arena_alloc(p->arena, p->tok.length + 1), *to = text;
    while (s < end) {
        if (*s != '\\' || end - s < 2) {
            *to++ = *s++;
            continue;
        }
        s++;
        if (*s == 'n' || *s == 't') *to++ = *s++ == 'n' ? '\n' : '\t';
        else if (end - s >= 2 && parse_hex_digit(s[0]) >= 0 && parse_hex_digit(s[1]) >= 0) {
            *to++ = (char)(16 * parse_hex_digit(s[0]) + parse_hex_digit(s[1]));
            s += 2;
        } else *to++ = *s++;
    }
    return text;
}

bool parse_skip_group(Parser *p)
{
    uint32_t start = p->tok.at, open = 0;
    do {
        int k = p->tok.kind;
        if (k == TOK_END) return parse_error(p, start, "`%c` is never closed", p->chars[start]);
        if (k == '(' || k == '[' || k == '{' || k == '<') open++;
        if (k == ')' || k == ']' || k == '}' || k == '>') open--;
        parse_next(p);
    } while (open > 0);
    return !p->failed;
}

bool parse_enter(Parser *p)
{
    if (++p->depth <= PARSE_MAX_DEPTH) return true;
    return parse_error(p, p->tok.at, "nested deeper than %d levels", PARSE_MAX_DEPTH);
}

void parse_leave(Parser *p) { p->depth--; }

bool parse_spend(Parser *p, uint32_t at, uint64_t bytes)
{
    if (p->failed) return false;
    if (bytes > p->spare)
        return parse_error(p, at, "attributes take more memory than a file of this size needs");
    p->spare -= bytes;
    return true;
}
