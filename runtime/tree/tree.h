/* tree.h: descriptions of C structs (weft/tree.h), checked and compared; and their static numbers.
 *
 * A call is a tree too: signature.h makes a description of the parameters (and one of the results), whose
 * memory is a list of 8-byte slots: an array's handle, a number's bits, a struct's address. So all that is
 * said here, in walk.h and in flat.h of structs holds for calls.
 */
#ifndef WEFT_TREE_TREE_H
#define WEFT_TREE_TREE_H
#include "runtime/memory/array.h"
#include "weft/tree.h"

enum { FIELD_ARGUMENT = WEFT_FIELD_KINDS_ }; /* of a signature: a slot with a struct's address, never NULL */

/* Is the description sound, with the structs that lie inside it, but not those that pointers lead to? */
bool tree_check(const weft_tree *, Failure *);
bool tree_sound(const weft_tree *, Failure *);            /* the part of it that every call can afford */
bool tree_equal(const weft_tree *, const weft_tree *);    /* the same by content, or both NULL? */
bool field_equal(const weft_field *, const weft_field *); /* do two parameters take the same? */
bool field_is_list(const weft_field *);                   /* with a count at run time? */
int64_t field_elements(const weft_field *);               /* how many lie in the struct itself */
char *number_text(char *buf, size_t size, DType, uint64_t bits);
#endif
