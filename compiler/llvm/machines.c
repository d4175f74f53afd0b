/* machines.c: LLVM's target machines, kept from one compile to the next: what one knows of its CPU takes LLVM
 * 0.45 ms to find out, of the 2 that a small program takes.
 *
 * They are all that the back end keeps. A machine is taken out of its slot before it is used, and so has one
 * owner: calls from several threads do not meet.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "emit.h"

enum { MOST_IDLE = 8 };
static _Atomic(Machine *) idle[MOST_IDLE];

static bool serves(const Machine *m, const Target *t)
{
    const Target *of = &m->target;
    return !strcmp(of->triple, t->triple) && !strcmp(of->cpu, t->cpu) && !strcmp(of->features, t->features);
}

Machine *machine_take(const Target *t, char **error)
{
    for (int i = 0; i < MOST_IDLE; i++) {
        Machine *m = atomic_exchange(&idle[i], NULL);
        if (m && serves(m, t)) return m;
        machine_give(m);
    }
    LLVMTargetMachineRef llvm = target_machine(t, error);
    Machine *m = llvm ? malloc(sizeof *m) : NULL;
    if (m) *m = (Machine){ *t, llvm };
    else if (llvm) LLVMDisposeTargetMachine(llvm);
    return m;
}

void machine_give(Machine *m)
{
    if (!m) return;
    for (int i = 0; i < MOST_IDLE; i++) {
        Machine *none = NULL;
        if (atomic_compare_exchange_strong(&idle[i], &none, m)) return;
    }
    LLVMDisposeTargetMachine(m->llvm);
    free(m);
}
