/* parse_alone.c: what devices say to each other, where there is one: all-reduce and its like give back what
 * they are given, and the device is number 0. Groups that name others are not supported. */
#include <string.h>
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

/* ---- Shardy ---- */

/* Where the name behind an @ or in quotes ends. */
static const uint8_t *name_end(const uint8_t *at, const uint8_t *end, bool quoted)
{
    const char *const stops = "\",>]) \t\r\n";
    while (at < end && (quoted ? *at != '"' : !strchr(stops, *at))) at++;
    return at;
}

/* How many devices the text of a mesh or a sharding lies over, 2 standing for all that are more; 0 and an
 * error: a mesh that nobody defines. The sizes of axes are its only numbers behind a `=`. */
static uint32_t devices_of(Parser *p, uint32_t where, Bytes text)
{
    uint32_t most = 1;
    for (const uint8_t *at = text.at, *end = text.end; at < end; at++) {
        const uint8_t *from = at + 1;
        if (*at == '"') at = name_end(from, end, true);
        else if (*at == '@') {
            bool quoted = from < end && *from == '"';
            at = name_end(from += quoted, end, quoted);
            const char *name = arena_printf(p->arena, "%.*s", (int)(at - from), (const char *)from);
            uint32_t n = names_get(&p->meshes, name);
            if (!n) return parse_error(p, where, "there is no mesh @%.100s", name), 0;
            if (n > most) most = n;
        } else if (*at == '=') {
            while (from < end && *from == ' ') from++;
            bool number = from < end && *from >= '0' && *from <= '9';
            if (number && (*from != '1' || (from + 1 < end && from[1] >= '0' && from[1] <= '9'))) most = 2;
        }
    }
    return most;
}

void parse_add_mesh(Parser *p, const OpSyntax *op)
{
    const AttrSyntax *name = attr_find(op, "sym_name", NULL), *mesh = attr_find(op, "mesh", NULL);
    if (!name || !name->text) parse_error(p, op->at, "%s without a name", op->rule->name);
    else
        names_add(p->arena, &p->meshes, name->text,
                  mesh && mesh->bytes.at ? devices_of(p, op->at, mesh->bytes) : 2);
}

static bool lies_on_one(TextBuild *b, const OpSyntax *op)
{
    for (uint32_t i = 0; i < op->n_attrs; i++) {
        const AttrSyntax *a = &op->attrs[i];
        uint32_t n = a->kind == ATTR_DENSE ? 1 : devices_of(b->p, op->at, a->bytes);
        if (n > 1) parse_unsupported(b->p, op->at, "many devices (%s)", op->rule->name);
        if (n != 1) return false;
    }
    return true;
}

bool rule_nothing(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    (void)args;
    (void)out;
    return op->n_results == 0 || parse_error(b->p, op->at, "%s has no results", op->rule->name);
}

bool rule_sharded(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    return lies_on_one(b, op) && rule_identity(b, op, args, out);
}

/* The region stands for itself: its arguments are the operands. */
bool rule_sharded_region(TextBuild *b, const OpSyntax *op, const Ref *args, Ref *out)
{
    Ref *outputs;
    uint32_t n;
    const uint8_t *narrow = b->p->narrow;
    if (!lies_on_one(b, op)) return false;
    if (op->n_regions != 1 || op->regions[0].n_args != op->n_operands)
        return parse_error(b->p, op->at, "%s has one region that takes its %u operands", op->rule->name,
                           op->n_operands);
    const RegionSyntax *r = &op->regions[0];
    if (!r->last) return parse_error(b->p, op->at, "%s: its region must end with a return", op->rule->name);
    for (uint32_t i = 0; i < r->n_args; i++) {
        ValueId v = r->first_arg + i, is = op->operands[i];
        if (narrow[v] != narrow[is] || !type_equal(b->p->types[v], b->p->types[is]))
            return parse_error(b->p, op->at, "%s: argument %u is of another type than the operand",
                               op->rule->name, i);
        b->refs[v] = args[i];
        b->owner[v] = b->g;
    }
    if (!build_region(b, r, &outputs, &n)) return false;
    memcpy(out, outputs, n * sizeof *out);
    return true;
}
