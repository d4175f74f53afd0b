/* exported.h: what jax.export's Exported.serialize() writes: a flatbuffer around a module in MLIR's bytecode.
 *
 * The module's main takes the function's inputs in order, without those that it does not use; and, if it was
 * exported for several platforms, the number of the one that it runs on in front of them. All else (the trees
 * that inputs and results were in Python, shardings, a derivative) is left alone. */
#ifndef WEFT_TEXT_EXPORTED_H
#define WEFT_TEXT_EXPORTED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Exported {
    const char *module; /* the bytecode */
    size_t bytes;
    uint32_t n_inputs, n_kept;
    const char *kept;  /* which inputs main takes, two bytes each */
    bool has_platform; /* main takes its number: */
    uint32_t platform; /* the CPU's, or the first's if it was not exported for CPUs */
    uint32_t devices;
} Exported;

/* False: the bytes are no such file. The bytes may be anyone's; what is given points into them. */
bool exported_open(const char *chars, size_t n, Exported *);
uint32_t exported_kept(const Exported *, uint32_t i); /* the input that main's i-th of inputs is */
#endif
