/* constants.h: constants that one kernel reads stand beside one another. */
#ifndef WEFT_FUSE_CONSTANTS_H
#define WEFT_FUSE_CONSTANTS_H
#include "compiler/program/program.h"
/* Makes one buffer of several, in a program whose kernels and steps are complete: the kernel then has one
 * address, and distances from it, in place of one for each. A Fourier transform's factors would take more
 * registers than there are. */
void constants_gather(Program *);
#endif
