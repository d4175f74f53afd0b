/* compat.h: LLVM's C interface, and the few places where LLVM 19 to 22 differ. Nothing else tests
 * LLVM_VERSION_MAJOR. */
#ifndef WEFT_LLVM_COMPAT_H
#define WEFT_LLVM_COMPAT_H
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm/Config/llvm-config.h>

/* Up to LLVM 21 masked loads, stores, gathers and scatters take their alignment as an operand, from 22 on as
 * an attribute of the pointer. */
enum { MASKED_HAS_ALIGN_OPERAND = LLVM_VERSION_MAJOR < 22 };
#endif
