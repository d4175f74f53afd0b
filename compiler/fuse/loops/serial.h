/* serial.h: loops of steps that are a few statements. */
#ifndef WEFT_FUSE_SERIAL_H
#define WEFT_FUSE_SERIAL_H
#include "compiler/program/program.h"
/* Makes loops of kernels of them, in a program whose kernels and steps are complete. */
void serial_make(Program *);
#endif
