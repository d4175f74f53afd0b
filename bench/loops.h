/* loops.h: the cases as the best plain C we can write: what weft is measured against. Inputs and outputs as a
 * plan has them. */
#ifndef WEFT_BENCH_LOOPS_H
#define WEFT_BENCH_LOOPS_H
typedef void CLoop(const void *const *in, void *const *out);
CLoop c_chain20_1M, c_chain20_1k, c_sum_4M, c_exp_16k, c_log_16k, c_sin_16k, c_tanh_16k, c_exp_1M, c_log_1M,
    c_sin_1M, c_gelu_1M, c_black_scholes_1M, c_softmax_4096x1000, c_softmax_128x128, c_layernorm_4096x768,
    c_logsumexp_4096x1000, c_sum_axis0_2000, c_sum_axis1_2000, c_argmax_rows_4096x1000, c_transpose_add_2048,
    c_pairwise_dist, c_pairwise_argmin, c_matmul_512, c_matmul_64, c_matvec_1024, c_dense_relu,
    c_bmm_1000x16x16, c_nbody_1024, c_adam_1M, c_gelu_grad_1M, c_masked_mean_grad_1M, c_mlp_sgd_step,
    c_ensemble_sgd_step, c_mlp_epoch_scan, c_rnn16_1000_grad, c_rnn128_1000_grad, c_gather_rows, c_add_8,
    c_iir_100k, c_scan_1M, c_rnn16_1000, c_rnn128_1000, c_mandelbrot_512, c_jacobi2d_256_100, c_cumsum_1M,
    c_sort_1M, c_ensemble_mlp, c_roll2d_512, c_pad_stencil_512, c_slice_stencil_512, c_concat_rope,
    c_blur_sobel_512, c_fir_64k_64, c_eos, c_hdiff, c_jacobi_1d, c_heat_3d, c_fdtd_2d, c_vadv, c_adi,
    c_arc_distance, c_softmax_32x8x256x256, c_conv2d;
#endif
