/* checks.h: what a program finds wrong while it runs. With .check of weft/linalg.h: an op over booleans,
 * which it gives on. Where one is true the running thread keeps the first complaint; who ran the program
 * makes it an error. Or a function of the host's failed, and says why. */
#ifndef WEFT_LIBRARY_CHECKS_H
#define WEFT_LIBRARY_CHECKS_H
#include "compiler/graph/foreign_op.h"

extern const ForeignOp check_op; /* one operand, bool of any shape, and such a result */
bool check_is_in(const Graph *); /* an op that complains, in its regions, too */
/* Its numbers: how many booleans, where the call stands ("" if the error says so itself), and what is wrong
 * with a matrix. Returns how many numbers. */
enum { CHECK_TEXT = 400, CHECK_NUMBERS = 1 + CHECK_TEXT / 8 };
int check_numbers(int64_t numbers[CHECK_NUMBERS], int64_t count, const char *where, const char *what);

/* The first complaint: the numbers of its op, NULL if there is none, and of which matrix. Whoever runs a
 * program with such ops clears it before, and asks for its words while the program is there. A thread's
 * memory is taken from its stack, so they are not kept here. */
typedef struct Complaint {
    const int64_t *numbers;
    int64_t which;
} Complaint;
extern _Thread_local Complaint check_complaint;
/* Where a function of the host's says why it failed: set by whoever runs a program; NULL: nobody asks. */
extern _Thread_local Failure *run_failure;
enum { CHECK_WORDS = CHECK_TEXT + 80 };
const char *check_words(char words[CHECK_WORDS]);
#endif
