/* target.h: the machine code is made for, and the rules of arithmetic it is made under. Both are part of the
 * cache key. */
#ifndef WEFT_COMPILER_TARGET_H
#define WEFT_COMPILER_TARGET_H
#include <stdbool.h>
#include <stdint.h>

typedef struct Target {
    char triple[64], cpu[64];
    char features[1024];         /* LLVM's feature text: "+avx512f,+fma,..." */
    uint16_t vector_bytes;       /* 64: AVX-512, 32: AVX2, 16: SSE2, NEON */
    uint16_t vector_registers;   /* 32 or 16 */
    uint32_t l1_bytes, l2_bytes; /* data caches of one core */
    uint32_t l3_bytes;           /* the last cache, that cores share; 0: none that is known */
    /* What takes so long on one thread pays for several: to hand it over takes about 1 us, to wake a thread
     * 50. 0: nothing does */
    uint32_t parallel_ns;
    bool fma, f16c;   /* fused multiply-add; f16 <-> f32 instructions */
    uint32_t threads; /* at most; 0: one. What changes results must not depend on it */
} Target;

typedef enum {
    /* IEEE; a product is rounded once with the sum that alone takes it; reductions in a fixed blocked
     * order */
    MODE_DEFAULT,
    /* equal to eager mode bit for bit: no contraction, eager's order of reduction (runtime/eager/eager.h) */
    MODE_STRICT,
    MODE_FAST /* reassociation allowed as well: passes/expand/expand.h */
} NumericMode;
#endif
