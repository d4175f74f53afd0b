/* target.h: a fuzz target is a file with LLVMFuzzerTestOneInput. Linked with libFuzzer (by clang,
 * -DWEFT_SANITIZE=fuzzer) it searches for inputs that break it; linked with drive.c it runs the files it is
 * given, and mutants of them from a fixed seed, so that every compiler's tests do. */
#ifndef WEFT_TESTS_TARGET_H
#define WEFT_TESTS_TARGET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The input does not come back as it must: says so on stderr and aborts. Whatever else is wrong, a sanitizer
 * tells. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A mutant of data in its place, at most max_size bytes; returns its size. The first is the target's own,
 * made of tokens; the second libFuzzer's or drive.c's, of bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* Ends the process with this message unless it holds. */
void target_require(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
