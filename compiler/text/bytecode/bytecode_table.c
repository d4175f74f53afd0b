/* bytecode_table.c: which attributes an op's properties are. Properties have no names in the file: they
 * stand in the order of the alphabet. `?`: one that may be missing is its index and whether it is there.
 * An op that is not listed has at most the accuracy of its result. A row of another version of an op of
 * VHLO is another row, so a version that is not known is refused. */
#include <string.h>
#include "bytecode.h"

/* numbers: StableHLO has the attributes that the op's rule does not know in one dictionary of this name; VHLO
 * has them apart. */
typedef struct PropertyRow {
    const char *name, *keys, *numbers;
} PropertyRow;

#define AXES_OF_CONV \
    "input_batch_dimension input_feature_dimension input_spatial_dimensions kernel_input_feature_dimension " \
    "kernel_output_feature_dimension kernel_spatial_dimensions "
#define RESULT_OF_CONV "output_batch_dimension output_feature_dimension output_spatial_dimensions "
#define WINDOW_OF_VHLO "base_dilations padding window_dilations window_dimensions window_strides"

static const PropertyRow rows[] = {
    { "builtin.module", "sym_name? sym_visibility?", NULL },
    { "func.func", "arg_attrs? function_type no_inline? res_attrs? sym_name sym_visibility?", NULL },
    { "func.call", "arg_attrs? callee no_inline? res_attrs?", NULL },

    { "stablehlo.all_gather", "all_gather_dim channel_handle? replica_groups use_global_device_ids?", NULL },
    { "stablehlo.all_reduce", "channel_handle? replica_groups use_global_device_ids?", NULL },
    { "stablehlo.all_to_all", "channel_handle? concat_dimension replica_groups split_count split_dimension",
      NULL },
    { "stablehlo.batch_norm_grad", "epsilon feature_index", NULL },
    { "stablehlo.batch_norm_inference", "epsilon feature_index", NULL },
    { "stablehlo.batch_norm_training", "epsilon feature_index", NULL },
    { "stablehlo.broadcast", "broadcast_sizes", NULL },
    { "stablehlo.broadcast_in_dim", "broadcast_dimensions", NULL },
    { "stablehlo.cholesky", "lower?", NULL },
    { "stablehlo.collective_broadcast", "channel_handle? replica_groups", NULL },
    { "stablehlo.collective_permute", "channel_handle? source_target_pairs", NULL },
    { "stablehlo.compare", "compare_type? comparison_direction", NULL },
    { "stablehlo.composite", "composite_attributes? decomposition name version?", NULL },
    { "stablehlo.concatenate", "dimension", NULL },
    { "stablehlo.constant", "value", NULL },
    { "stablehlo.convolution",
      "batch_group_count dimension_numbers feature_group_count lhs_dilation? padding? precision_config? "
      "rhs_dilation? window_reversal? window_strides?",
      NULL },
    { "stablehlo.custom_call",
      "api_version? backend_config? call_target_name called_computations? has_side_effect? operand_layouts? "
      "output_operand_aliases? result_layouts? result_tilings?",
      NULL },
    { "stablehlo.dot", "precision_config?", NULL },
    { "stablehlo.dot_general", "algorithm? dot_dimension_numbers precision_config?", NULL },
    { "stablehlo.dynamic_broadcast_in_dim",
      "broadcast_dimensions known_expanding_dimensions? known_nonexpanding_dimensions?", NULL },
    { "stablehlo.dynamic_conv",
      "batch_group_count dimension_numbers feature_group_count lhs_dilation? precision_config? rhs_dilation? "
      "window_reversal? window_strides?",
      NULL },
    { "stablehlo.dynamic_gather", "dimension_numbers indices_are_sorted?", NULL },
    { "stablehlo.dynamic_iota", "iota_dimension", NULL },
    { "stablehlo.dynamic_slice", "slice_sizes", NULL },
    { "stablehlo.einsum", "einsum_config", NULL },
    { "stablehlo.fft", "fft_length fft_type", NULL },
    { "stablehlo.gather", "dimension_numbers indices_are_sorted? slice_sizes", NULL },
    { "stablehlo.get_dimension_size", "dimension", NULL },
    { "stablehlo.get_tuple_element", "index", NULL },
    { "stablehlo.iota", "iota_dimension", NULL },
    { "stablehlo.map", "dimensions", NULL },
    { "stablehlo.pad", "edge_padding_high edge_padding_low interior_padding", NULL },
    { "stablehlo.reduce", "dimensions", NULL },
    { "stablehlo.reduce_precision", "exponent_bits mantissa_bits", NULL },
    { "stablehlo.reduce_window",
      "base_dilations? padding? window_dilations? window_dimensions window_strides?", NULL },
    { "stablehlo.reduce_scatter", "channel_handle? replica_groups scatter_dimension use_global_device_ids?",
      NULL },
    { "stablehlo.reverse", "dimensions", NULL },
    { "stablehlo.rng", "rng_distribution", NULL },
    { "stablehlo.rng_bit_generator", "rng_algorithm", NULL },
    { "stablehlo.scatter", "indices_are_sorted? scatter_dimension_numbers unique_indices?", NULL },
    { "stablehlo.select_and_scatter", "padding? window_dimensions? window_strides?", NULL },
    { "stablehlo.slice", "limit_indices start_indices strides", NULL },
    { "stablehlo.sort", "dimension? is_stable?", NULL },
    { "stablehlo.torch_index_select", "batch_dims dim", NULL },
    { "stablehlo.transpose", "permutation", NULL },
    { "stablehlo.triangular_solve", "left_side lower transpose_a unit_diagonal", NULL },
    { "stablehlo.unary_einsum", "einsum_config", NULL },

    { "chlo.broadcast_compare", "broadcast_dimensions? compare_type? comparison_direction", NULL },
    { "chlo.constant", "value", NULL },
    { "chlo.constant_like", "value", NULL },
    { "chlo.top_k", "k", NULL },

    { "sdy.all_gather", "gathering_axes out_sharding", NULL },
    { "sdy.all_reduce", "out_sharding reduction_axes", NULL },
    { "sdy.all_slice", "out_sharding slicing_axes", NULL },
    { "sdy.all_to_all", "out_sharding params", NULL },
    { "sdy.collective_permute", "out_sharding", NULL },
    { "sdy.constant", "value", NULL },
    { "sdy.data_flow_edge", "sharding?", NULL },
    { "sdy.manual_computation", "in_shardings manual_axes out_shardings", NULL },
    { "sdy.mesh", "mesh sym_name", NULL },
    { "sdy.named_computation", "in_shardings? name out_shardings?", NULL },
    { "sdy.reduce_scatter", "out_sharding reduce_scatter_axes", NULL },
    { "sdy.replicated_to_unreduced", "axes out_sharding", NULL },
    { "sdy.reshard", "sharding", NULL },
    { "sdy.sharded_to_unreduced", "axes out_sharding", NULL },

    { "vhlo.all_gather_v1", "all_gather_dim channel_id replica_groups use_global_device_ids", NULL },
    { "vhlo.all_gather_v2", "all_gather_dim channel_id replica_groups use_global_device_ids", NULL },
    { "vhlo.all_reduce_v1", "channel_id replica_groups use_global_device_ids", NULL },
    { "vhlo.all_reduce_v2", "channel_id replica_groups use_global_device_ids", NULL },
    { "vhlo.all_to_all_v1", "channel_id concat_dimension replica_groups split_count split_dimension", NULL },
    { "vhlo.all_to_all_v2", "channel_id concat_dimension replica_groups split_count split_dimension", NULL },
    { "vhlo.batch_norm_grad_v1", "epsilon feature_index", NULL },
    { "vhlo.batch_norm_inference_v1", "epsilon feature_index", NULL },
    { "vhlo.batch_norm_training_v1", "epsilon feature_index", NULL },
    { "vhlo.broadcast_in_dim_v1", "broadcast_dimensions", NULL },
    { "vhlo.broadcast_v1", "broadcast_sizes", NULL },
    { "vhlo.call_v1", "callee", NULL },
    { "vhlo.cholesky_v1", "lower", NULL },
    { "vhlo.collective_broadcast_v1", "channel_id replica_groups", NULL },
    { "vhlo.collective_broadcast_v2", "channel_id has_dynamic_root replica_groups", NULL },
    { "vhlo.collective_reduce_v1", "channel_id has_dynamic_root replica_groups use_global_device_ids", NULL },
    { "vhlo.collective_permute_v1", "channel_id source_target_pairs", NULL },
    { "vhlo.compare_v1", "compare_type comparison_direction", NULL },
    { "vhlo.composite_v1", "composite_attributes decomposition name version", NULL },
    { "vhlo.composite_v2", "composite_attributes decomposition name version", NULL },
    { "vhlo.concatenate_v1", "dimension", NULL },
    { "vhlo.constant_v1", "value", NULL },
    { "vhlo.convolution_v1",
      "batch_group_count feature_group_count " AXES_OF_CONV "lhs_dilation " RESULT_OF_CONV
      "padding precision_config rhs_dilation window_reversal window_strides",
      "dimension_numbers" },
    { "vhlo.custom_call_v1",
      "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
      "output_operand_aliases result_layouts",
      NULL },
    { "vhlo.custom_call_v2",
      "api_version backend_config call_target_name called_computations has_side_effect operand_layouts "
      "output_operand_aliases result_layouts result_tilings",
      NULL },
    { "vhlo.dot_general_v1",
      "lhs_batching_dimensions lhs_contracting_dimensions precision_config rhs_batching_dimensions "
      "rhs_contracting_dimensions",
      "dot_dimension_numbers" },
    { "vhlo.dot_general_v2",
      "accumulation_type allow_imprecise_accumulation lhs_batching_dimensions lhs_component_count "
      "lhs_contracting_dimensions lhs_precision_type num_primitive_operations precision_config "
      "rhs_batching_dimensions rhs_component_count rhs_contracting_dimensions rhs_precision_type",
      "dot_dimension_numbers" },
    { "vhlo.dot_v1", "precision_config", NULL },
    { "vhlo.dynamic_broadcast_in_dim_v1",
      "broadcast_dimensions known_expanding_dimensions known_nonexpanding_dimensions", NULL },
    { "vhlo.dynamic_conv_v2",
      "batch_group_count feature_group_count " AXES_OF_CONV "lhs_dilation " RESULT_OF_CONV
      "precision_config rhs_dilation window_reversal window_strides",
      "dimension_numbers" },
    { "vhlo.dynamic_gather_v1",
      "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims start_index_map",
      "dimension_numbers" },
    { "vhlo.dynamic_gather_v2",
      "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims "
      "start_index_map start_indices_batching_dims",
      "dimension_numbers" },
    { "vhlo.dynamic_iota_v1", "iota_dimension", NULL },
    { "vhlo.dynamic_slice_v1", "slice_sizes", NULL },
    { "vhlo.einsum_v1", "einsum_config", NULL },
    { "vhlo.fft_v1", "fft_length fft_type", NULL },
    { "vhlo.func_v1", "arg_attrs function_type res_attrs sym_name sym_visibility", NULL },
    { "vhlo.gather_v1",
      "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims slice_sizes start_index_map",
      "dimension_numbers" },
    { "vhlo.gather_v2",
      "collapsed_slice_dims index_vector_dim indices_are_sorted offset_dims operand_batching_dims "
      "slice_sizes start_index_map start_indices_batching_dims",
      "dimension_numbers" },
    { "vhlo.get_dimension_size_v1", "dimension", NULL },
    { "vhlo.get_tuple_element_v1", "index", NULL },
    { "vhlo.iota_v1", "iota_dimension", NULL },
    { "vhlo.map_v1", "dimensions", NULL },
    { "vhlo.pad_v1", "edge_padding_high edge_padding_low interior_padding", NULL },
    { "vhlo.reduce_precision_v1", "exponent_bits mantissa_bits", NULL },
    { "vhlo.reduce_scatter_v1", "channel_id replica_groups scatter_dimension use_global_device_ids", NULL },
    { "vhlo.reduce_v1", "dimensions", NULL },
    { "vhlo.reduce_window_v1", WINDOW_OF_VHLO, NULL },
    { "vhlo.reverse_v1", "dimensions", NULL },
    { "vhlo.rng_v1", "rng_distribution", NULL },
    { "vhlo.rng_bit_generator_v1", "rng_algorithm", NULL },
    { "vhlo.scatter_v1",
      "index_vector_dim indices_are_sorted inserted_window_dims scatter_dims_to_operand_dims unique_indices "
      "update_window_dims",
      "scatter_dimension_numbers" },
    { "vhlo.scatter_v2",
      "index_vector_dim indices_are_sorted input_batching_dims inserted_window_dims "
      "scatter_dims_to_operand_dims scatter_indices_batching_dims unique_indices update_window_dims",
      "scatter_dimension_numbers" },
    { "vhlo.select_and_scatter_v1", "padding window_dimensions window_strides", NULL },
    { "vhlo.slice_v1", "limit_indices start_indices strides", NULL },
    { "vhlo.sort_v1", "dimension is_stable", NULL },
    { "vhlo.torch_index_select_v1", "batch_dims dim", NULL },
    { "vhlo.transpose_v1", "permutation", NULL },
    { "vhlo.triangular_solve_v1", "left_side lower transpose_a unit_diagonal", NULL },
    { "vhlo.unary_einsum_v1", "einsum_config", NULL },
};

/* vhlo.add_v1: stablehlo.add. Its funcs are the func dialect's. */
static const char *name_in_text(Bytecode *f, const OpName *o)
{
    static const char *const other[][2] = { { "func_v1", "func.func" }, { "call_v1", "func.call" } };
    const char *version = strrchr(o->name, '_');
    for (int i = 0; i < 2 && o->home == HOME_VHLO; i++)
        if (strcmp(o->name, other[i][0]) == 0) return other[i][1];
    if (o->home != HOME_VHLO || !version) return arena_printf(f->p->arena, "%s.%s", o->dialect, o->name);
    return arena_printf(f->p->arena, "stablehlo.%.*s", (int)(version - o->name), o->name);
}

bool bytecode_know(Bytecode *f, OpName *o)
{
    if (o->known) return o->rule != NULL;
    const char *in_file = arena_printf(f->p->arena, "%s.%s", o->dialect, o->name), *text = name_in_text(f, o);
    o->known = true;
    o->rule = rule_find(f->p, text, strlen(text));
    /* those of other dialects that are not listed mean nothing on one device */
    bool other = o->home == HOME_OTHER || o->home == HOME_SDY;
    o->keys = other ? NULL : o->home == HOME_VHLO ? "result_accuracy" : "result_accuracy?";
    if (strncmp(in_file, "chlo.broadcast_", 15) == 0) o->keys = "broadcast_dimensions?";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, in_file) == 0) {
            o->keys = rows[i].keys;
            o->numbers = rows[i].numbers;
        }
    return o->rule != NULL;
}
