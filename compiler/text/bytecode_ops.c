/* bytecode_ops.c: ops and regions of bytecode as the records that text has, too. */
#include <stdio.h>
#include <string.h>
#include "bytecode.h"

/* What an op has, by bits. */
enum {
    HAS_ATTRS = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16,
    HAS_USE_LISTS = 32,
    HAS_PROPERTIES = 64
};
/* Versions of the format from which on: */
enum { ISOLATES = 2, HAS_USES = 3, MAY_LEAVE_OUT_PLACES = 4 };

bool is_bytecode(const char *chars, size_t n) { return n > BYTECODE_MAGIC && !memcmp(chars, "ML\xEFR", 4); }

/* ---- values ---- */

static void define(Bytecode *f, uint32_t at, ValueId id)
{
    ValueScope *s = &f->scope;
    if (s->next >= s->end) {
        parse_error(f->p, at, "more values than the region's %u", s->end);
        return;
    }
    f->ids[s->origin + s->next++] = id + 1;
}

static ValueId value(Bytecode *f, Bytes *r)
{
    uint32_t at = bytes_place(f, *r);
    uint64_t i = bytes_number(f, r);
    if (!f->p->failed && i < f->scope.end && f->ids[f->scope.origin + i])
        return f->ids[f->scope.origin + i] - 1;
    return parse_error(f->p, at, "value %llu is not defined here", (unsigned long long)i);
}

/* Room for n values more; those that stood there are none. */
static void open_scope(Bytecode *f, uint32_t at, uint64_t n, bool isolated)
{
    ValueScope *s = &f->scope;
    uint32_t first = s->origin + s->end;
    if (n > (uint64_t)f->p->n) { /* each takes a byte or more */
        parse_error(f->p, at, "a region of %llu values", (unsigned long long)n);
        return;
    }
    uint32_t end = first + (uint32_t)n;
    if (end > f->cap_ids) f->ids = arena_grow(f->p->arena, f->ids, first, &f->cap_ids, end, sizeof *f->ids);
    if (n) memset(f->ids + first, 0, n * sizeof *f->ids);
    if (isolated) *s = (ValueScope){ .origin = first, .next = 0, .end = (uint32_t)n };
    else {
        s->next = s->end;
        s->end += (uint32_t)n;
    }
}

/* In which order values are used is of no use here. */
static void skip_uses(Bytecode *f, Bytes *r, uint32_t n_values)
{
    uint32_t n = n_values > 1 ? bytes_count(f, r) : 1;
    for (uint32_t i = 0; i < n && !f->p->failed; i++) {
        bool pairs;
        if (n_values > 1) bytes_number(f, r);
        uint64_t k = bytes_flagged(f, r, &pairs);
        for (; k > 0 && !f->p->failed; k--) bytes_number(f, r);
    }
}

static bool value_type(Bytecode *f, uint32_t at, uint64_t index, Type *t)
{
    if (index >= f->n_types)
        return parse_error(f->p, at, "type number %llu of %u", (unsigned long long)index, f->n_types);
    const TypeRead *read = bytecode_type_at(f, (uint32_t)index);
    if (!read) return false;
    if (read->reason) return parse_unsupported(f->p, at, "%s", read->reason);
    if (!read->is_tensor) return parse_unsupported(f->p, at, "values that are no tensors");
    *t = read->type;
    return true;
}

/* ---- ops ---- */

static void as_symbol(AttrSyntax *a)
{
    if (a->kind == ATTR_STRING) a->kind = ATTR_SYMBOL;
}

/* VHLO has the names of funcs as strings. */
static void add_attr(Bytecode *f, OpSyntax *op, const char *key, const AttrSyntax *a)
{
    AttrSyntax *to = &ARENA_PUSH(f->p->arena, op->attrs, op->n_attrs, op->cap_attrs);
    *to = *a;
    to->key = key;
    if (!strcmp(key, "callee") || !strcmp(key, "decomposition")) as_symbol(to);
    if (strcmp(key, "called_computations") || a->kind != ATTR_LIST) return;
    to->items = arena_copy(f->p->arena, a->items, a->n_items * sizeof *a->items);
    for (uint32_t i = 0; i < a->n_items; i++) as_symbol(&to->items[i]);
}

/* An op's name without the version behind it, as StableHLO has it. */
static bool find_rule(Bytecode *f, OpSyntax *op, const OpName *name)
{
    char text[160];
    const char *version = strrchr(name->name, '_');
    int length = (int)(version && version[1] == 'v' ? version - name->name : (int)strlen(name->name));
    if (name->home != HOME_VHLO) snprintf(text, sizeof text, "%.60s.%.80s", name->dialect, name->name);
    else if (length == 4 && !memcmp(name->name, "func", 4)) strcpy(text, "func.func");
    else if (length == 4 && !memcmp(name->name, "call", 4)) strcpy(text, "func.call");
    else snprintf(text, sizeof text, "stablehlo.%.*s", length > 100 ? 100 : length, name->name);
    if (name->home == HOME_OTHER && !rule_find(f->p, text, strlen(text)))
        return parse_unsupported(f->p, op->at, "%s", text);
    return parse_rule(f->p, op, text, strlen(text));
}

static const char *next_key(Bytecode *f, const char **keys)
{
    const char *key = *keys;
    size_t n = strcspn(key, " ");
    *keys = key + n + (key[n] == ' ');
    return arena_printf(f->p->arena, "%.*s", (int)n, key);
}

/* VHLO's stand in the order of their names. A module's may be left out. */
static void read_properties(Bytecode *f, OpSyntax *op, const OpName *name, Bytes r)
{
    uint32_t at = bytes_place(f, r);
    if (name->home == HOME_BUILTIN && !strcmp(name->name, "module")) {
        bool there;
        uint64_t i = bytes_flagged(f, &r, &there);
        if (!there || f->p->failed) return;
        if (i >= f->n_attrs) {
            parse_error(f->p, at, "attribute number %llu of %u", (unsigned long long)i, f->n_attrs);
            return;
        }
        r = (Bytes){ f->attrs[i].bytes.at, f->attrs[i].bytes.end };
        if (bytes_number(f, &r) == 2)
            add_attr(f, op, "sym_name", &(AttrSyntax){ .kind = ATTR_STRING, .text = bytes_string(f, &r) });
        return;
    }
    if (name->home != HOME_VHLO) return;
    const char *keys = bytecode_keys(name->name);
    while (*keys && !f->p->failed) {
        const char *key = next_key(f, &keys);
        const AttrSyntax *a = bytecode_attr(f, &r);
        if (a) add_attr(f, op, key, a);
    }
    if (r.at != r.end && !f->p->failed)
        parse_unsupported(f->p, at, "the properties of vhlo.%.60s", name->name);
}

/* Those that have the name of a property stand for it, in versions that have none. */
static void read_attrs(Bytecode *f, OpSyntax *op, Bytes *r)
{
    const AttrSyntax *dict = bytecode_attr(f, r);
    if (!dict) return;
    if (dict->kind != ATTR_DICT) parse_error(f->p, op->at, "an op's attributes that are no dictionary");
    for (uint32_t i = 0; i < dict->n_items && !f->p->failed; i++)
        add_attr(f, op, dict->items[i].key, &dict->items[i]);
}

static void read_region(Bytecode *f, Bytes *r, RegionSyntax *to, bool isolated);

static void read_regions(Bytecode *f, Bytes *r, OpSyntax *op)
{
    bool isolated;
    uint8_t id;
    uint64_t n = bytes_flagged(f, r, &isolated);
    Bytes own, *from = r;
    if (isolated && f->version >= ISOLATES) {
        own = bytes_section(f, r, &id);
        from = &own;
    }
    for (; n > 0 && !f->p->failed; n--) read_region(f, from, parse_add_region(f->p, op), isolated);
}

/* Is the op one that only hands its operands on? Its results are these then. */
static bool hands_on(const OpName *name)
{
    return !strcmp(name->name, "unrealized_conversion_cast") ||
           (!strcmp(name->dialect, "sdy") && !strcmp(name->name, "sharding_constraint"));
}

/* Results become values, or stand for the operands. */
static void define_results(Bytecode *f, OpSyntax *op, const OpName *name)
{
    if (hands_on(name)) {
        if (op->n_results != op->n_operands)
            parse_error(f->p, op->at, "%.60s has %u operands and %u results", name->name, op->n_operands,
                        op->n_results);
        for (uint32_t i = 0; i < op->n_results && !f->p->failed; i++) define(f, op->at, op->operands[i]);
        return;
    }
    op->first_result = parse_new_values(f->p, op->results, op->n_results);
    for (uint32_t i = 0; i < op->n_results && !f->p->failed; i++) define(f, op->at, op->first_result + i);
}

static void read_result_types(Bytecode *f, Bytes *r, OpSyntax *op, const OpName *name)
{
    op->n_results = bytes_count(f, r);
    op->results = arena_alloc(f->p->arena, (op->n_results + 1) * sizeof *op->results);
    for (uint32_t i = 0; i < op->n_results && !f->p->failed; i++)
        if (hands_on(name)) bytes_number(f, r);
        else value_type(f, bytes_place(f, *r), bytes_number(f, r), &op->results[i]);
}

static void read_op(Bytecode *f, Bytes *r, RegionSyntax *into)
{
    OpSyntax *op = arena_alloc(f->p->arena, sizeof *op);
    *op = (OpSyntax){ .at = bytes_place(f, *r), .line = ++f->count };
    uint32_t n = bytes_index(f, r, f->n_names, "op");
    if (f->p->failed) return;
    const OpName *name = &f->names[n];
    uint8_t has = bytes_byte(f, r);
    op->place = bytecode_place(f, r);
    if (!hands_on(name) && !find_rule(f, op, name)) return;
    if (has & HAS_ATTRS) read_attrs(f, op, r);
    if (has & HAS_PROPERTIES) {
        uint32_t i = bytes_index(f, r, f->n_properties, "properties");
        if (!f->p->failed) read_properties(f, op, name, f->properties[i]);
    }
    if (has & HAS_RESULTS) read_result_types(f, r, op, name);
    if (has & HAS_OPERANDS)
        for (uint32_t k = bytes_count(f, r); k > 0 && !f->p->failed; k--)
            parse_add_operand(f->p, op, value(f, r));
    if (has & HAS_SUCCESSORS) parse_unsupported(f->p, op->at, "several blocks");
    if (has & HAS_USE_LISTS) skip_uses(f, r, op->n_results);
    if (!f->p->failed) define_results(f, op, name);
    if (has & HAS_REGIONS && !f->p->failed) read_regions(f, r, op);
    if (f->p->failed || hands_on(name)) return;
    bytecode_gather_numbers(f->p, op);
    parse_push_op(into, op);
}

/* ---- regions ---- */

static void read_args(Bytecode *f, Bytes *r, RegionSyntax *to)
{
    uint32_t at = bytes_place(f, *r), n = bytes_count(f, r);
    Type *types = arena_alloc(f->p->arena, (n + 1) * sizeof *types);
    const char **names = arena_alloc(f->p->arena, (n + 1) * sizeof *names);
    for (uint32_t i = 0; i < n && !f->p->failed; i++) {
        bool has_place = true;
        names[i] = arena_printf(f->p->arena, "arg%u", i);
        uint64_t type =
            f->version < MAY_LEAVE_OUT_PLACES ? bytes_number(f, r) : bytes_flagged(f, r, &has_place);
        if (!f->p->failed) value_type(f, at, type, &types[i]);
        if (has_place) bytes_number(f, r);
    }
    if (f->p->failed) return;
    to->first_arg = parse_new_values(f->p, types, n);
    to->arg_names = names;
    to->n_args = n;
    for (uint32_t i = 0; i < n && !f->p->failed; i++) define(f, at, to->first_arg + i);
    if (f->version >= HAS_USES && bytes_byte(f, r)) skip_uses(f, r, n);
}

/* The ops of a block. */
static void read_block(Bytecode *f, Bytes *r, RegionSyntax *to)
{
    bool has_args;
    uint64_t n = bytes_flagged(f, r, &has_args);
    if (has_args) read_args(f, r, to);
    for (; n > 0 && !f->p->failed; n--) read_op(f, r, to);
}

static void read_region(Bytecode *f, Bytes *r, RegionSyntax *to, bool isolated)
{
    uint32_t at = bytes_place(f, *r);
    uint64_t blocks = bytes_number(f, r);
    if (blocks == 0 || f->p->failed) return;
    if (blocks > 1) {
        parse_unsupported(f->p, at, "several blocks");
        return;
    }
    ValueScope outer = f->scope;
    open_scope(f, at, bytes_number(f, r), isolated);
    if (!f->p->failed && parse_enter(f->p)) {
        read_block(f, r, to);
        parse_leave(f->p);
    }
    f->scope = outer;
}

void bytecode_read(Parser *p, RegionSyntax *top)
{
    Bytecode f = { .p = p };
    p->tok = (Token){ .kind = TOK_END, .at = p->n, .text = "", .result = -1 };
    if (bytecode_open(&f)) read_block(&f, &f.ops, top);
}
