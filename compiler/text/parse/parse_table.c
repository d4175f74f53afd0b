/* parse_table.c: all ops that the text may hold.
 *
 * Elementwise ops need no row: their names come from ops.def. A row is needed for attributes, for another
 * name, for a pretty form of its own, or to say that an op exists and is not supported.
 */
#include <string.h>
#include "parse_build.h"

#define CHLO_BROADCAST(name, OP, n) \
    { "chlo.broadcast_" name, NULL, rule_broadcast_ew, OP, n, RESULTS_TYPED, "broadcast_dimensions" }
/* An op of Shardy that moves shards: nothing, on one device. */
#define SHARDED(name) { "sdy." name, syntax_sharding, rule_sharded, OP_COUNT, 1, RESULTS_LIKE_OPERANDS, NULL }
/* One that says where an array may lie: nothing, on any number of them. */
#define PLACED(name) { "sdy." name, syntax_sharding, rule_identity, OP_COUNT, 1, RESULTS_LIKE_OPERANDS, NULL }
/* An op that exists and is not supported. */
#define NOT_YET(name, reason) { name, NULL, NULL, OP_COUNT, -1, RESULTS_TYPED, reason }

static const OpRule rules[] = {
    { "builtin.module", syntax_module, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "module", syntax_module, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "func.func", syntax_func, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "func", syntax_func, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "sdy.mesh", syntax_mesh, NULL, OP_COUNT, 0, NOT_A_VALUE, NULL },
    { "func.return", syntax_return, rule_return, OP_COUNT, -1, RESULTS_NONE, NULL },
    { "return", syntax_return, rule_return, OP_COUNT, -1, RESULTS_NONE, NULL },
    { "stablehlo.return", syntax_return, rule_return, OP_COUNT, -1, RESULTS_NONE, NULL },
    { "sdy.return", syntax_return, rule_return, OP_COUNT, -1, RESULTS_NONE, NULL },
    { "func.call", syntax_call, rule_call, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "call", syntax_call, rule_call, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "stablehlo.composite", syntax_composite, rule_call, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "stablehlo.custom_call", syntax_custom_call, rule_check, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "check.eq", NULL, rule_check, OP_COUNT, 2, RESULTS_NONE, "" },
    { "check.expect_eq", NULL, rule_check, OP_COUNT, 2, RESULTS_NONE, "" },
    { "check.expect_eq_const", NULL, rule_check, OP_COUNT, 1, RESULTS_NONE, "value" },
    { "check.expect_almost_eq", NULL, rule_check, OP_COUNT, 2, RESULTS_NONE, "tolerance" },
    { "check.expect_almost_eq_const", NULL, rule_check, OP_COUNT, 1, RESULTS_NONE, "value tolerance" },
    { "check.expect_close", NULL, rule_check, OP_COUNT, 2, RESULTS_NONE,
      "max_ulp_difference min_ulp_difference" },
    PLACED("sharding_constraint"),
    PLACED("propagation_barrier"),
    PLACED("data_flow_edge"),
    PLACED("func_data_flow_edge"),
    { "sdy.sharding_group", syntax_sharding, rule_nothing, OP_COUNT, 1, RESULTS_NONE, NULL },
    SHARDED("reshard"),
    SHARDED("all_gather"),
    SHARDED("all_slice"),
    SHARDED("all_to_all"),
    SHARDED("all_reduce"),
    SHARDED("collective_permute"),
    SHARDED("reduce_scatter"),
    SHARDED("replicated_to_unreduced"),
    SHARDED("sharded_to_unreduced"),
    { "sdy.manual_computation", syntax_sharding, rule_sharded_region, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "sdy.named_computation", syntax_sharding, rule_sharded_region, OP_COUNT, -1, RESULTS_TYPED, NULL },
    { "builtin.unrealized_conversion_cast", NULL, rule_identity, OP_COUNT, -1, RESULTS_LIKE_OPERANDS, NULL },
    { "stablehlo.optimization_barrier", NULL, rule_barrier, OP_COUNT, -1, RESULTS_LIKE_OPERANDS, NULL },

    { "stablehlo.constant", syntax_constant, rule_constant, OP_COUNT, 0, RESULTS_TYPED, "value" },
    { "sdy.constant", syntax_constant, rule_constant, OP_COUNT, 0, RESULTS_TYPED, "value" },
    { "chlo.constant", syntax_constant, rule_constant, OP_COUNT, 0, RESULTS_TYPED, "value" },
    { "chlo.constant_like", NULL, rule_constant_like, OP_COUNT, 1, RESULTS_TYPED, "value" },
    { "stablehlo.iota", NULL, rule_numbers, OP_IOTA, 0, RESULTS_TYPED, "dim iota_dimension" },
    { "stablehlo.compare", syntax_compare, rule_compare, OP_COUNT, 2, RESULTS_TYPED,
      "comparison_direction compare_type" },
    { "stablehlo.convert", NULL, rule_typed, OP_CONVERT, 1, RESULTS_TYPED, "" },
    { "stablehlo.bitcast_convert", NULL, rule_bitcast, OP_BITCAST, 1, RESULTS_TYPED, "" },
    { "stablehlo.reduce_precision", NULL, rule_reduce_precision, OP_COUNT, 1, RESULTS_TYPED,
      "format exponent_bits mantissa_bits" },
    { "chlo.conj", NULL, rule_conj, OP_COUNT, 1, RESULTS_TYPED, "" },
    { "chlo.tan", NULL, rule_plain, OP_TAN, 1, RESULTS_TYPED, "" },

    { "stablehlo.broadcast_in_dim", NULL, rule_numbers, OP_BROADCAST, 1, RESULTS_TYPED,
      "dims broadcast_dimensions" },
    { "stablehlo.broadcast", NULL, rule_broadcast, OP_COUNT, 1, RESULTS_TYPED, "sizes broadcast_sizes" },
    { "stablehlo.reshape", NULL, rule_typed, OP_RESHAPE, 1, RESULTS_TYPED, "" },
    { "stablehlo.transpose", NULL, rule_numbers, OP_TRANSPOSE, 1, RESULTS_TYPED, "dims permutation" },
    { "stablehlo.slice", syntax_slice, rule_numbers, OP_SLICE, 1, RESULTS_TYPED,
      "start_indices limit_indices strides" },
    { "stablehlo.reverse", NULL, rule_numbers, OP_REVERSE, 1, RESULTS_TYPED, "dims dimensions" },
    { "stablehlo.pad", NULL, rule_numbers, OP_PAD, 2, RESULTS_TYPED,
      "low high interior edge_padding_low edge_padding_high interior_padding" },
    { "stablehlo.concatenate", NULL, rule_numbers, OP_CONCATENATE, -1, RESULTS_TYPED, "dim dimension" },
    { "stablehlo.dynamic_broadcast_in_dim", NULL, rule_numbers, OP_BROADCAST, 2, RESULTS_TYPED,
      "dims broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions" },
    { "stablehlo.dynamic_iota", NULL, rule_numbers, OP_IOTA, 1, RESULTS_TYPED, "dim iota_dimension" },
    { "stablehlo.dynamic_reshape", NULL, rule_typed, OP_RESHAPE, 2, RESULTS_TYPED, "" },
    { "stablehlo.dynamic_pad", NULL, rule_constant_lists, OP_PAD, 5, RESULTS_TYPED, "" },
    { "stablehlo.real_dynamic_slice", NULL, rule_constant_lists, OP_SLICE, 4, RESULTS_TYPED, "" },
    { "stablehlo.get_dimension_size", NULL, rule_dimension_size, OP_COUNT, 1, RESULTS_TYPED,
      "dim dimension" },

    { "stablehlo.reduce", syntax_reduce, rule_reduce, OP_COUNT, -1, RESULTS_TYPED, "applies dimensions" },
    { "stablehlo.dot_general", NULL, rule_dot_general, OP_COUNT, 2, RESULTS_TYPED,
      "batching_dims contracting_dims precision algorithm dot_dimension_numbers precision_config" },
    { "stablehlo.dot", NULL, rule_dot, OP_COUNT, 2, RESULTS_TYPED, "precision precision_config" },
    { "stablehlo.einsum", NULL, rule_einsum, OP_COUNT, 2, RESULTS_TYPED, "config einsum_config" },
    { "stablehlo.unary_einsum", NULL, rule_einsum, OP_COUNT, 1, RESULTS_TYPED, "config einsum_config" },
    { "stablehlo.convolution", syntax_convolution, rule_convolution, OP_COUNT, 2, RESULTS_TYPED,
      "window_strides padding lhs_dilation rhs_dilation window_reversal dimension_numbers "
      "feature_group_count batch_group_count precision_config" },
    { "stablehlo.dynamic_conv", NULL, rule_convolution, OP_COUNT, 3, RESULTS_TYPED,
      "window_strides padding lhs_dilation rhs_dilation window_reversal dimension_numbers "
      "feature_group_count batch_group_count precision_config" },
    { "stablehlo.cholesky", NULL, rule_cholesky, OP_COUNT, 1, RESULTS_TYPED, "lower" },
    { "stablehlo.triangular_solve", NULL, rule_triangular_solve, OP_COUNT, 2, RESULTS_TYPED,
      "left_side lower unit_diagonal transpose_a" },
    { "stablehlo.gather", NULL, rule_gather, OP_GATHER, 2, RESULTS_TYPED,
      "dimension_numbers slice_sizes indices_are_sorted" },
    { "stablehlo.dynamic_gather", NULL, rule_gather, OP_GATHER, 3, RESULTS_TYPED,
      "dimension_numbers indices_are_sorted" },
    { "stablehlo.torch_index_select", NULL, rule_index_select, OP_COUNT, 2, RESULTS_TYPED, "dim batch_dims" },
    { "stablehlo.dynamic_slice", NULL, rule_numbers, OP_DYNAMIC_SLICE, -1, RESULTS_TYPED,
      "sizes slice_sizes" },
    { "stablehlo.dynamic_update_slice", NULL, rule_plain, OP_DYNAMIC_UPDATE_SLICE, -1, RESULTS_TYPED, "" },
    { "stablehlo.scatter", NULL, rule_scatter, OP_SCATTER, -1, RESULTS_TYPED,
      "scatter_dimension_numbers indices_are_sorted unique_indices" },

    { "stablehlo.reduce_window", NULL, rule_reduce_window, OP_COUNT, -1, RESULTS_TYPED,
      "window_dimensions window_strides base_dilations window_dilations padding" },
    { "stablehlo.select_and_scatter", NULL, rule_select_and_scatter, OP_COUNT, 3, RESULTS_TYPED,
      "window_dimensions window_strides padding" },
    { "stablehlo.sort", NULL, rule_sort, OP_COUNT, -1, RESULTS_TYPED, "dimension is_stable" },
    { "stablehlo.fft", NULL, rule_fft, OP_COUNT, 1, RESULTS_TYPED, "type length fft_type fft_length" },
    { "chlo.top_k", NULL, rule_top_k, OP_COUNT, 1, RESULTS_TYPED, "k" },
    { "stablehlo.rng_bit_generator", NULL, rule_rng_bits, OP_COUNT, 1, RESULTS_TYPED,
      "algorithm rng_algorithm" },

    { "stablehlo.while", syntax_while, rule_while, OP_COUNT, -1, RESULTS_LIKE_OPERANDS, "" },
    { "stablehlo.case", NULL, rule_case, OP_COUNT, 1, RESULTS_TYPED, "" },
    { "stablehlo.if", NULL, rule_if, OP_COUNT, 1, RESULTS_TYPED, "" },
    { "stablehlo.map", NULL, rule_map, OP_COUNT, -1, RESULTS_TYPED, "dimensions" },
    { "chlo.scan", syntax_scan, rule_scan, OP_COUNT, -1, RESULTS_TYPED,
      "dimension scan_dimension is_reverse is_associative operandSegmentSizes operand_segment_sizes "
      "resultSegmentSizes result_segment_sizes" },

    { "stablehlo.all_gather", NULL, rule_collective, OP_COUNT, -1, RESULTS_TYPED,
      "all_gather_dim replica_groups channel_handle channel_id use_global_device_ids" },
    { "stablehlo.all_reduce", NULL, rule_collective, OP_COUNT, -1, RESULTS_TYPED,
      "replica_groups channel_handle channel_id use_global_device_ids" },
    { "stablehlo.all_to_all", NULL, rule_collective, OP_COUNT, -1, RESULTS_TYPED,
      "split_dimension concat_dimension split_count replica_groups channel_handle channel_id" },
    { "stablehlo.collective_broadcast", NULL, rule_collective, OP_COUNT, -1, RESULTS_TYPED,
      "replica_groups channel_handle channel_id has_dynamic_root" },
    { "stablehlo.collective_reduce", NULL, rule_collective, OP_COUNT, -1, RESULTS_TYPED,
      "replica_groups channel_handle channel_id has_dynamic_root use_global_device_ids" },
    { "stablehlo.cross-replica-sum", NULL, rule_collective, OP_COUNT, 1, RESULTS_TYPED, "replica_groups" },
    { "stablehlo.reduce_scatter", NULL, rule_collective, OP_COUNT, 1, RESULTS_TYPED,
      "scatter_dimension replica_groups channel_handle channel_id use_global_device_ids" },
    { "stablehlo.collective_permute", NULL, rule_permute_devices, OP_COUNT, 1, RESULTS_TYPED,
      "source_target_pairs channel_handle channel_id" },
    { "stablehlo.partition_id", NULL, rule_device_number, OP_COUNT, 0, RESULTS_TYPED, "" },
    { "stablehlo.replica_id", NULL, rule_device_number, OP_COUNT, 0, RESULTS_TYPED, "" },

    { "stablehlo.batch_norm_inference", NULL, rule_norm_inference, OP_COUNT, 5, RESULTS_TYPED,
      "epsilon feature_index" },
    { "stablehlo.batch_norm_training", NULL, rule_norm_training, OP_COUNT, 3, RESULTS_TYPED,
      "epsilon feature_index" },
    { "stablehlo.batch_norm_grad", NULL, rule_norm_grad, OP_COUNT, 5, RESULTS_TYPED,
      "epsilon feature_index" },
    { "stablehlo.rng", NULL, rule_rng, OP_COUNT, 3, RESULTS_TYPED, "distribution rng_distribution" },
    { "chlo.ragged_dot", NULL, rule_ragged_dot, OP_COUNT, 3, RESULTS_TYPED,
      "ragged_dot_dimension_numbers precision_config" },
    { "stablehlo.create_token", NULL, rule_token, OP_COUNT, 0, RESULTS_TYPED, "" },
    { "stablehlo.after_all", NULL, rule_token, OP_COUNT, -1, RESULTS_TYPED, "" },
    { "stablehlo.tuple", syntax_tuple, rule_identity, OP_COUNT, -1, RESULTS_TYPED, "" },
    { "stablehlo.get_tuple_element", syntax_tuple_element, rule_identity, OP_COUNT, -1, RESULTS_TYPED,
      "index" },

    CHLO_BROADCAST("add", OP_ADD, 2),
    CHLO_BROADCAST("subtract", OP_SUB, 2),
    CHLO_BROADCAST("multiply", OP_MUL, 2),
    CHLO_BROADCAST("divide", OP_DIV, 2),
    CHLO_BROADCAST("remainder", OP_REM, 2),
    CHLO_BROADCAST("power", OP_POW, 2),
    CHLO_BROADCAST("maximum", OP_MAX, 2),
    CHLO_BROADCAST("minimum", OP_MIN, 2),
    CHLO_BROADCAST("atan2", OP_ATAN2, 2),
    CHLO_BROADCAST("and", OP_AND, 2),
    CHLO_BROADCAST("or", OP_OR, 2),
    CHLO_BROADCAST("xor", OP_XOR, 2),
    CHLO_BROADCAST("shift_left", OP_SHL, 2),
    CHLO_BROADCAST("shift_right_arithmetic", OP_SHR_ARITH, 2),
    CHLO_BROADCAST("shift_right_logical", OP_SHR_LOGIC, 2),
    CHLO_BROADCAST("next_after", OP_NEXT_AFTER, 2),
    CHLO_BROADCAST("polygamma", OP_POLYGAMMA, 2),
    CHLO_BROADCAST("zeta", OP_ZETA, 2),
    CHLO_BROADCAST("complex", OP_COMPLEX, 2),
    CHLO_BROADCAST("select", OP_SELECT, 3),
    { "chlo.broadcast_compare", NULL, rule_broadcast_ew, OP_COMPARE, 2, RESULTS_TYPED,
      "broadcast_dimensions comparison_direction compare_type" },

    NOT_YET("stablehlo.async_start", "asynchronous collectives"),
    NOT_YET("stablehlo.async_done", "asynchronous collectives"),
    NOT_YET("interpreter.run_parallel", "collectives over several devices"),
    NOT_YET("stablehlo.compute_reshape_shape", "dynamic shapes"),
    NOT_YET("stablehlo.cstr_reshapable", "dynamic shapes"),
    NOT_YET("stablehlo.set_dimension_size", "dynamic shapes"),
    NOT_YET("chlo.dynamic_reshape", "dynamic shapes"),
    NOT_YET("chlo.rank_specialization_cluster", "dynamic shapes"),
    NOT_YET("chlo.minimum_broadcast_shapes", "dynamic shapes"),
    NOT_YET("stablehlo.infeed", "infeed, outfeed, send, recv"),
    NOT_YET("stablehlo.outfeed", "infeed, outfeed, send, recv"),
    NOT_YET("stablehlo.recv", "infeed, outfeed, send, recv"),
    NOT_YET("stablehlo.send", "infeed, outfeed, send, recv"),
    NOT_YET("stablehlo.trace", "probes, printing and serialization"),
    NOT_YET("interpreter.probe", "probes, printing and serialization"),
    NOT_YET("interpreter.print", "probes, printing and serialization"),
    NOT_YET("check.expect_serialized_eq", "probes, printing and serialization"),
    NOT_YET("stablehlo.uniform_dequantize", "quantized types"),
    NOT_YET("stablehlo.uniform_quantize", "quantized types"),
};

/* One rule per elementwise op, without attributes; named by ops.def. */
static const OpRule elementwise[OP_COUNT] = {
#define EW(NAME, text_, args_, ...) \
    [OP_##NAME] = { text_, NULL, rule_plain, OP_##NAME, args_, RESULTS_TYPED, "" },
#define OP EW
#include "compiler/graph/ops.def"
};

static bool is_called(const char *name, const char *text, size_t length)
{
    return strncmp(name, text, length) == 0 && !name[length];
}

const OpRule *rule_find(Parser *p, const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (is_called(rules[i].name, text, length)) return &rules[i];
    for (size_t i = 0; p->more && i < p->more->n_rules; i++)
        if (is_called(p->more->rules[i].name, text, length)) return &p->more->rules[i];
    for (int op = 0; op < OP_COUNT; op++)
        if (op_is_ew((Op)op) && strncmp(op_info[op].text, "weft.", 5) != 0 &&
            is_called(op_info[op].text, text, length))
            return &elementwise[op];
    const char *dot = memchr(text, '.', length);
    static const char *const ours[] = { "stablehlo", "chlo", "func", "check", "builtin" };
    for (size_t i = 0; dot && i < sizeof ours / sizeof *ours; i++)
        if (is_called(ours[i], text, (size_t)(dot - text))) return NULL;
    if (dot)
        return parse_unsupported(p, p->tok.at, "ops of the dialect %.*s (%.*s)",
                                 dot - text > 40 ? 40 : (int)(dot - text), text,
                                 length > 60 ? 60 : (int)length, text),
               NULL;
    return NULL;
}
