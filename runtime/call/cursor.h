/* cursor.h: reading the small languages of signatures and options: "weft_array *(weft_array *x, int n)",
 * "0, {w: 1} -> none", "x, m.l[0].w", "x[n, 2 * m] -> out".
 *
 * A reader moves a cursor over the text. What is wrong is a WEFT_ARGUMENT in words of the reader's own.
 */
#ifndef WEFT_CALL_CURSOR_H
#define WEFT_CALL_CURSOR_H
#include "runtime/tree/tree.h"

typedef struct TextCursor {
    const char *at;
    Failure *failure;
} TextCursor;

/* Sets the failure and returns NULL, which is false, too. */
void *cursor_fail(TextCursor *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cursor_skip(TextCursor *); /* blanks */
/* Is this character next, behind blanks? Then it is taken, and blanks behind it. */
bool cursor_take(TextCursor *, char);
/* The same for an arrow, "->", which must be right here. */
bool cursor_take_arrow(TextCursor *);
bool cursor_at_arrow(const TextCursor *);
/* How many letters, digits and '_' stand here. */
size_t cursor_word(const TextCursor *);
bool cursor_is(const TextCursor *, size_t n, const char *word); /* are these n characters the word? */

/* ---- structs in texts: only fields that are arrays or hold them can be named ---- */

/* Which field the word of n characters here names; -1: none that is or holds arrays. It is not taken. */
int cursor_field(const TextCursor *, size_t n, const weft_tree *);
/* "w, b"; "none" */
const char *cursor_names(Arena *, const weft_tree *);
/* How many elements a list has; -1: that is known at run time only; 0: the field is no list. */
int64_t field_length(const weft_field *);
bool field_has_arrays(const weft_field *);
#endif
