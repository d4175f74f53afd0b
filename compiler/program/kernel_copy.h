/* kernel_copy.h: a kernel that is made of another one's statements, statement by statement, and of others. */
#ifndef WEFT_PROGRAM_KERNEL_COPY_H
#define WEFT_PROGRAM_KERNEL_COPY_H
#include "program.h"
typedef struct KernelCopy {
    Program *program;
    const Kernel *from;
    Val *map; /* by statement of it: where it is in the new one */
    Kernel out;
    uint32_t capacity;
} KernelCopy;
void copy_begin(KernelCopy *, Kernel empty); /* the next kernel: name, rows, counter */
Val copy_append(KernelCopy *, Stmt);
void copy_stmt(KernelCopy *, Val);
/* Element `at` of the buffer, a loop or a counter, or VAL_NONE: element 0; and `offset` behind it. */
Val copy_load(KernelCopy *, uint32_t buffer, Val at);
void copy_store(KernelCopy *, uint32_t buffer, Val at, int64_t offset, Val value);
#endif
