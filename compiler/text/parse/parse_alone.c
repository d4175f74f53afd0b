/* parse_alone.c: what devices say to each other, where there is one: all-reduce and its like give back what
 * they are given, and the device is number 0. Groups that name others are not supported. */
#include "parse_build.h"

/* The numbers of devices that an attribute lists are all 0, and so many of them, or none. */
static bool names_one_device(TextBuild *b, const OpSyntax *op, const char *key, uint32_t n, bool *none)
{
    const AttrSyntax *a = attr_find(op, key, NULL);
    Ints devices = { 0 };
    if (a && !attr_ints(b->p, a, &devices.at, &devices.n)) return false;
    *none = devices.n == 0;
    bool ok = *none || devices.n == n;
    for (uint32_t i = 0; ok && i < devices.n; i++) ok = devices.at[i] == 0;
    return ok || parse_unsupported(b->p, op->at, "collectives over several devices (%s)", op->rule->name);
}

/* The group of all is this device, too. An operand more says who sends. */
bool rule_collective(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    bool all;
    OpSyntax told = *op;
    if (attr_find(op, "has_dynamic_root", NULL) && op->n_operands > op->n_results) told.n_operands--;
    return names_one_device(b, op, "replica_groups", 1, &all) && rule_identity(b, &told, args, out);
}

/* From device 0 to device 0, or from nobody: zeros. */
bool rule_permute_devices(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    bool none;
    if (!names_one_device(b, op, "source_target_pairs", 2, &none)) return false;
    out[0] = none ? build_zeros(b->g, graph_type(b->g, args[0])) : args[0];
    return true;
}

bool rule_device_number(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    (void)op;
    (void)args;
    out[0] = build_splat(b->g, type_scalar(WEFT_U32), 0);
    return true;
}
