/* spell.c: see spell.h. */
#include "spell.h"

static const NumberAttr numbers[] = {
    { OP_IOTA, false, "dim", "iota_dimension" },
    { OP_BROADCAST, true, "dims", "broadcast_dimensions" },
    { OP_TRANSPOSE, true, "dims", "permutation" },
    { OP_REVERSE, true, "dims", "dimensions" },
    { OP_CONCATENATE, false, "dim", "dimension" },
    { OP_DYNAMIC_SLICE, true, "sizes", "slice_sizes" },
    { OP_PAD, true, "low", "edge_padding_low" },
    { OP_PAD, true, "high", "edge_padding_high" },
    { OP_PAD, true, "interior", "interior_padding" },
    { OP_SLICE, true, "start_indices", "start_indices" },
    { OP_SLICE, true, "limit_indices", "limit_indices" },
    { OP_SLICE, true, "strides", "strides" },
};

uint32_t spell_numbers(Op op, const NumberAttr **first)
{
    uint32_t i = 0, n = 0, count = sizeof numbers / sizeof *numbers;
    while (i < count && numbers[i].op != op) i++;
    *first = &numbers[i];
    while (i + n < count && numbers[i + n].op == op) n++;
    return n;
}

AxisListKeys spell_gather = { "offset_dims", "collapsed_slice_dims", "operand_batching_dims",
                              "start_indices_batching_dims", "start_index_map" };
AxisListKeys spell_scatter = { "update_window_dims", "inserted_window_dims", "input_batching_dims",
                               "scatter_indices_batching_dims", "scatter_dims_to_operand_dims" };

const char *const spell_window[] = { "window_dimensions", "window_strides", "base_dilations",
                                     "window_dilations" };

const char *const spell_conv[3][N_CONV_ROLES] = {
    { "input_batch_dimension", "input_feature_dimension", "input_spatial_dimensions" },
    { "kernel_input_feature_dimension", "kernel_output_feature_dimension", "kernel_spatial_dimensions" },
    { "output_batch_dimension", "output_feature_dimension", "output_spatial_dimensions" },
};
const char *const spell_conv_letters[3] = { "bf", "io", "bf" };

const char *const spell_directions[] = { "EQ", "NE", "LT", "LE", "GT", "GE" };
const char *const spell_orders[] = { "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED" };
const char *const spell_algorithms[] = { "DEFAULT", "THREE_FRY", "PHILOX" };
const char *const spell_transposes[] = { "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT" };

static const CompositeForm composites[] = {
    { "weft.map", OP_MAP, 1, { "body" }, { { 0 } } },
    { "weft.backward", OP_BACKWARD, 1, { "transpose" }, { { "known", 0, NUMBER_INT } } },
    { "weft.custom_jvp", OP_CUSTOM_JVP, 2, { NULL, "rule" }, { { 0 } } },
    { "weft.custom_vjp", OP_CUSTOM_VJP, 3, { NULL, "forward", "backward" }, { { 0 } } },
    { "weft.custom_vmap", OP_CUSTOM_VMAP, 1, { NULL }, { { "rule", 0, NUMBER_INT } } },
    { "weft.checkpoint", OP_CHECKPOINT, 1, { NULL }, { { 0 } } },
    { "weft.scan",
      OP_SCAN,
      1,
      { "body" },
      { { "carries", 4, NUMBER_INT },
        { "checkpoint", 6, NUMBER_OPTIONAL },
        { "invariants", 3, NUMBER_INT },
        { "length", 0, NUMBER_INT },
        { "reverse", 1, NUMBER_FLAG },
        { "unroll", 2, NUMBER_INT } } },
    { "weft.cumulative",
      OP_CUMULATIVE,
      0,
      { NULL },
      { { "applies", 0, NUMBER_MONOID }, { "dimension", 1, NUMBER_INT }, { "reverse", 2, NUMBER_FLAG } } },
};

const CompositeForm *spell_composite(Op op)
{
    for (size_t i = 0; i < sizeof composites / sizeof *composites; i++)
        if (composites[i].op == op) return &composites[i];
    return NULL;
}
