/* alias.h: when two buffers may be one memory, because each element of one is read for the last time before
 * it is written to the other: outputs in the memory of inputs that the caller gives up, carries of a loop in
 * place, temporaries that follow one another. */
#ifndef WEFT_FUSE_ALIAS_H
#define WEFT_FUSE_ALIAS_H
#include "compiler/program/program.h"
/* Sets Buffer.alias of outputs; bit i of donated: input i may be overwritten. At most one output per
 * input. */
void alias_outputs(Program *, uint64_t donated);
/* In steps first .. end-1, may buffer `to` be the same memory as `from`? */
bool alias_allows(const Program *, uint32_t first, uint32_t end, uint32_t from, uint32_t to);
/* Within this one kernel, too? */
bool alias_in_kernel(const Program *, const Kernel *, uint32_t from, uint32_t to);
/* Where a kernel loads and stores what, for many such questions about it: listed for one after the other. */
typedef struct KernelUses KernelUses;
KernelUses *alias_new_uses(const Program *);
void alias_list_uses(const Program *, KernelUses *, const Kernel *);
bool alias_in_listed(const Program *, const KernelUses *, uint32_t from, uint32_t to);
/* The buffer whose element the STORE copies to the same place of its own; UINT32_MAX: none. */
uint32_t alias_copied(const Kernel *, const Stmt *store);
/* By buffer: memory[buffer], one number for what is swapped anywhere, too. */
const uint32_t *alias_swapped(const Program *, const uint32_t *memory);
/* Takes out of the kernel what stores an element where it already is, and what is only needed for that. */
void alias_drop_idle(Arena *, Kernel *);
#endif
