/* matrix_call.h: how a factorization (an op of kind MATRIX) is told to runtime/library/library_matrix.c: by
 * eager mode, and by compiled code as a STEP_CALL of LIBRARY_MATRIX or LIBRARY_LAPACK.
 *
 * Complex matrices are pairs, [batch, rows, columns, 2], once planes.h parted numbers: then the node has one
 * attribute more, and arrays whose last axis is a number's two parts. The operand of EIG may be real all the
 * same, which that attribute says.
 *
 * Operands and results are dense row-major arrays [batch, rows, columns]. The buffers of a call: the
 * operands, the results, scratch. None of the results is an operand. */
#ifndef WEFT_GRAPH_MATRIX_CALL_H
#define WEFT_GRAPH_MATRIX_CALL_H
#include "compiler/graph/graph.h"

enum {
    MATRIX_OP,
    MATRIX_DTYPE,
    MATRIX_BATCH,
    MATRIX_ROWS, /* of the first operand */
    MATRIX_COLUMNS,
    /* TRIANGULAR_SOLVE: columns of b, or rows where it stands on the left; HOUSEHOLDER_PRODUCT: tau */
    MATRIX_OTHER,
    MATRIX_VECTOR_BYTES, /* vectors of at most so many bytes, if the processor has them */
    MATRIX_THREADS,      /* at most, for which there is scratch */
    MATRIX_ATTR,         /* the node's attributes */
    MATRIX_NUMBERS = MATRIX_ATTR + 4
};
/* Writes them, for vectors of any size. */
void matrix_numbers(Op, const int64_t *attr, uint32_t n_attr, const Type *args,
                    int64_t numbers[MATRIX_NUMBERS]);
/* The op's attributes, but for the one that says of pairs; does it stand there? */
uint32_t matrix_attributes(Op);
bool matrix_of_pairs(Op, uint32_t n_attr);
enum { MATRIX_OF_PAIRS = 1, MATRIX_OF_REAL }; /* what stands there */
/* EIG's attribute: which vectors are results, a sum of these; the right ones stand in front. */
enum { EIG_RIGHT = 1, EIG_LEFT = 2 };
Type matrix_pair_as_one(Type); /* f32[.., 2] is c64[..] */
/* How many arrays go in and come out. */
int matrix_operands(Op);
int matrix_results(Op, const int64_t *attr);
/* The results' types over operands that the op takes; returns how many. */
typedef struct MatrixTypes {
    Type type[3];
    int64_t dim[3][WEFT_MAX_RANK];
} MatrixTypes;
int matrix_types(Op, const int64_t *attr, uint32_t n_attr, const Type *args, MatrixTypes *);
/* Such a node; false, and REF_NONEs: it cannot be. */
bool build_matrix(Graph *, Op, const Ref *args, const int64_t *attr, uint32_t n_attr, Ref *out);
/* Bytes of scratch that a call with these numbers needs, whoever does it; and each of its threads. */
int64_t matrix_scratch_bytes(const int64_t *numbers);
int64_t matrix_thread_bytes(const int64_t *numbers);
/* Lets a call that takes long have several threads: sets MATRIX_THREADS, by all other numbers. */
void matrix_allow_threads(int64_t *numbers);
/* How long it takes on one thread, about. */
int64_t matrix_ns(const int64_t *numbers);
/* Matrices that are done side by side: pieces of a batch are multiples of it. */
int64_t matrix_side_by_side(const int64_t *numbers);
/* Bytes of one matrix of each buffer but scratch; returns how many there are. */
enum { MATRIX_BUFFERS = 5 };
int matrix_bytes(const int64_t *numbers, int64_t bytes[MATRIX_BUFFERS]);

/* Matrices of at most so many rows and columns are factored across the batch, one matrix a lane, by weft's
 * own code. Larger ones are LAPACK's, one after the other, except in strict mode. */
enum { MATRIX_LANES = 32 };
bool matrix_is_small(const int64_t *numbers);
/* EIGH and SVD rotate in lanes only the smallest matrices, and others up to so many rows, or columns where
 * they are fewer, where there are as many of them. Else it is one matrix after the other (matrix_one.h),
 * which is faster than LAPACK up to so many rows or columns. */
enum { ONE_SMALLEST = 4, EIGH_LANES = 20, EIGH_LANES_F64 = 12, SVD_LANES = 28, SVD_LANES_F64 = 16 };
enum {
    ONE_OWN = 160,
    ONE_OWN_VALUES = 256,
    ONE_OWN_LONGER = 2048
}; /* with vectors, without, the longer side */
bool matrix_rotates_in_lanes(const int64_t *numbers);
/* Is it never LAPACK's? Schur's form of a small matrix alone is: its signs and phases hang on each step, and
 * who compares forms has LAPACK's. */
bool matrix_is_own(const int64_t *numbers);
/* The widest vector's lanes over f32; scratch has room for as many matrices side by side. */
enum { MATRIX_MOST_LANES = 16, MATRIX_ALIGN = 64 };
/* Columns that LAPACK takes at once: scratch has room for so many. */
enum { LAPACK_BLOCK = 64, LAPACK_GEHRD = 4160 }; /* gehrd has a block of its own besides */
/* The leading dimension of LAPACK's matrices in scratch, of so many rows of its own: columns that lie a
 * multiple of 1 KiB apart share few sets of the caches, so they lie a line of 64 bytes further apart.
 * (OpenBLAS, 512 x 512, f64: qr 15.1 -> 10.0 ms, svd 71 -> 50, eig 286 -> 164, schur 274 -> 153.) */
int64_t matrix_leading(const int64_t *numbers, int64_t rows);
#endif
