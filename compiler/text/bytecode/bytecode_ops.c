/* bytecode_ops.c: the ops of a file as OpSyntax records, and their regions. */
#include <string.h>
#include "bytecode.h"

/* Versions of the format from which on: */
enum { ISOLATED_IN_SECTIONS = 2, HAS_USE_ORDERS = 3, MARKS_LOCATIONS = 4 };
/* What an op has. */
enum {
    HAS_ATTRS = 1,
    HAS_RESULTS = 2,
    HAS_OPERANDS = 4,
    HAS_SUCCESSORS = 8,
    HAS_REGIONS = 16,
    HAS_ORDERS = 32,
    HAS_PROPERTIES = 64
};

/* Values. */

static void define(Bytecode *f, Bytes r, ValueId first, uint32_t n)
{
    if (n > f->scope.end - f->scope.next)
        parse_error(f->p, bytes_place(f, r), "more values than the region says that it has");
    for (uint32_t i = 0; i < n && !f->p->failed; i++) f->ids[f->scope.next++] = first + i + 1;
}

static void read_operands(Bytecode *f, Bytes *r, OpSyntax *op)
{
    uint32_t n = bytes_count(f, r), numbers = f->scope.end - f->scope.origin;
    for (uint32_t i = 0; i < n && !f->p->failed; i++) {
        uint32_t at = bytes_place(f, *r);
        uint64_t number = bytes_number(f, r);
        ValueId id = number < numbers ? f->ids[f->scope.origin + number] : 0;
        if (!id) parse_error(f->p, at, "value %llu is not defined here", (unsigned long long)number);
        else parse_add_operand(f->p, op, id - 1);
    }
}

/* In which order a value's uses stand, which means nothing here. */
static void skip_use_orders(Bytecode *f, Bytes *r, uint32_t n_values)
{
    bool pairs;
    uint64_t n = n_values > 1 ? bytes_number(f, r) : 1;
    for (; n > 0 && !f->p->failed; n--) {
        if (n_values > 1) bytes_number(f, r);
        for (uint64_t k = bytes_flagged(f, r, &pairs); k > 0 && !f->p->failed; k--) bytes_number(f, r);
    }
}

/* Attributes. */

enum { MOST_NUMBERS = 16 };

static AttrSyntax *add_attr(Bytecode *f, OpSyntax *op, const char *key, const AttrSyntax *a)
{
    AttrSyntax *to = parse_add_attr(f->p, op, key);
    *to = *a;
    to->key = key;
    to->at = op->at;
    return to;
}

/* The dictionary of numbers of axes. */
static AttrSyntax *numbers_of(Bytecode *f, OpSyntax *op, const char *key)
{
    for (uint32_t i = 0; i < op->n_attrs; i++)
        if (strcmp(op->attrs[i].key, key) == 0) return &op->attrs[i];
    AttrSyntax dict = { .kind = ATTR_DICT,
                        .items = arena_alloc(f->p->arena, MOST_NUMBERS * sizeof *dict.items) };
    return add_attr(f, op, key, &dict);
}

/* An attribute of the op; of VHLO's numbers of axes: of the dictionary of them. */
static void adopt(Bytecode *f, OpSyntax *op, const OpName *o, const char *key, const AttrSyntax *a)
{
    if (!parse_spend(f->p, op->at, sizeof *a)) return;
    if (!o->numbers || parse_has_key(op->rule, key)) {
        add_attr(f, op, key, a);
        return;
    }
    AttrSyntax *numbers = numbers_of(f, op, o->numbers);
    if (numbers->kind != ATTR_DICT || numbers->n_items >= MOST_NUMBERS || attr_field(numbers, key)) {
        parse_error(f->p, op->at, "attribute %s is given twice", key);
        return;
    }
    AttrSyntax *to = &numbers->items[numbers->n_items++];
    *to = *a;
    to->key = key;
}

static void adopt_dictionary(Bytecode *f, OpSyntax *op, const OpName *o, const AttrSyntax *dict)
{
    if (dict->kind != ATTR_DICT)
        parse_error(f->p, op->at, "%s: its attributes are no dictionary", op->rule->name);
    for (uint32_t i = 0; i < dict->n_items && !f->p->failed; i++)
        adopt(f, op, o, dict->items[i].key, &dict->items[i]);
}

/* The attributes that `keys` names, in its order. */
static void adopt_properties(Bytecode *f, OpSyntax *op, const OpName *o, Bytes r)
{
    if (o->has_dictionary) {
        if (r.at < r.end) adopt_dictionary(f, op, o, bytecode_attr(f, &r));
        return;
    }
    if (!o->keys) return;
    for (const char *key = o->keys; *key && r.at < r.end && !f->p->failed; key += *key == ' ') {
        size_t n = strcspn(key, "? ");
        bool optional = key[n] == '?', there = true;
        uint64_t i = optional ? bytes_flagged(f, &r, &there) : bytes_number(f, &r);
        if (there && i >= f->n_attrs)
            parse_error(f->p, op->at, "attribute number %llu", (unsigned long long)i);
        if (there && !f->p->failed)
            adopt(f, op, o, arena_printf(f->p->arena, "%.*s", (int)n, key), bytecode_attr_at(f, (uint32_t)i));
        key += n + optional;
    }
    if (r.at < r.end)
        parse_unsupported(f->p, op->at, "the attributes of this version of %s.%s", o->dialect, o->name);
}

/* Regions. */

static void read_op(Bytecode *, Bytes *, RegionSyntax *);

static void read_args(Bytecode *f, Bytes *r, RegionSyntax *region)
{
    bool has_loc = true;
    region->n_args = bytes_count(f, r);
    Type *types = arena_alloc(f->p->arena, ((size_t)region->n_args + 1) * sizeof *types);
    for (uint32_t i = 0; i < region->n_args && !f->p->failed; i++) {
        uint32_t at = bytes_place(f, *r);
        uint64_t t = f->version >= MARKS_LOCATIONS ? bytes_flagged(f, r, &has_loc) : bytes_number(f, r);
        if (t >= f->n_types) parse_error(f->p, at, "type number %llu", (unsigned long long)t);
        else bytecode_type_at(f, (uint32_t)t, &types[i]);
        if (has_loc) bytes_number(f, r);
    }
    if (f->p->failed) return;
    region->first_arg = parse_new_values(f->p, types, region->n_args);
    define(f, *r, region->first_arg, region->n_args);
    if (f->version >= HAS_USE_ORDERS && bytes_byte(f, r)) skip_use_orders(f, r, region->n_args);
}

static void read_block(Bytecode *f, Bytes *r, RegionSyntax *region)
{
    bool has_args;
    uint64_t n = bytes_flagged(f, r, &has_args);
    if (has_args) read_args(f, r, region);
    for (; n > 0 && !f->p->failed; n--) read_op(f, r, region);
}

static void open_scope(Bytecode *f, bool isolated, uint32_t n)
{
    uint32_t from = f->scope.end, end = from + n;
    f->ids = arena_grow(f->p->arena, f->ids, f->cap_ids, &f->cap_ids, end, sizeof *f->ids);
    f->scope = (ValueScope){ isolated ? from : f->scope.origin, from, end };
}

/* What it has defined is no value any more. */
static void close_scope(Bytecode *f, ValueScope outer)
{
    uint32_t n = f->scope.next - outer.end;
    if (n) memset(f->ids + outer.end, 0, n * sizeof *f->ids);
    f->scope = outer;
}

static void read_region(Bytecode *f, Bytes *r, bool isolated, RegionSyntax *region)
{
    uint64_t n_blocks = bytes_number(f, r);
    if (n_blocks > 1) parse_unsupported(f->p, f->p->tok.at, "several blocks");
    if (n_blocks == 0 || f->p->failed) return;
    uint32_t n_values = bytes_count(f, r);
    if (f->p->failed) return;
    ValueScope outer = f->scope;
    open_scope(f, isolated, n_values);
    if (parse_enter(f->p)) read_block(f, r, region);
    parse_leave(f->p);
    close_scope(f, outer);
}

/* Regions that use nothing from outside have a section of their own. */
static void read_regions(Bytecode *f, Bytes *r, OpSyntax *op)
{
    bool isolated;
    uint8_t id;
    uint64_t n = bytes_flagged(f, r, &isolated);
    Bytes own = { 0 };
    if (isolated && f->version >= ISOLATED_IN_SECTIONS) {
        own = bytes_section(f, r, &id);
        r = &own;
    }
    for (; n > 0 && !f->p->failed; n--) read_region(f, r, isolated, parse_add_region(f->p, op));
}

/* Ops. */

/* The op's name and place. Where its regions are read, the current token stands for it. */
static OpName *begin_op(Bytecode *f, Bytes *r, OpSyntax *op)
{
    Parser *p = f->p;
    op->at = p->tok.at = bytes_place(f, *r);
    ARENA_PUSH(p->arena, f->places, f->n_places, f->cap_places) = (OpPlace){ op->at, NULL };
    op->line = f->n_places;
    uint32_t i = bytes_index(f, r, f->n_names, "op");
    if (p->failed) return NULL;
    OpName *o = &f->names[i];
    if (!bytecode_know(f, o) && !p->failed)
        parse_error(p, op->at, "no op is called `%.60s.%.60s`", o->dialect, o->name);
    op->rule = o->rule;
    return o;
}

static void read_place(Bytecode *f, Bytes *r, OpSyntax *op)
{
    const AttrSyntax *loc = bytecode_attr(f, r);
    if (loc->kind == ATTR_OPAQUE) op->place = f->places[op->line - 1].place = loc->text;
}

static void read_parts(Bytecode *f, Bytes *r, OpSyntax *op, const OpName *o, uint8_t has)
{
    if (has & HAS_ATTRS) adopt_dictionary(f, op, o, bytecode_attr(f, r));
    if (has & HAS_PROPERTIES) {
        uint32_t i = bytes_index(f, r, f->n_properties, "properties");
        if (!f->p->failed) adopt_properties(f, op, o, f->properties[i]);
    }
    if (has & HAS_RESULTS) bytecode_types(f, r, &op->results, &op->n_results);
    if (has & HAS_OPERANDS) read_operands(f, r, op);
    if (has & HAS_SUCCESSORS) parse_unsupported(f->p, op->at, "several blocks");
    if (has & HAS_ORDERS) skip_use_orders(f, r, op->n_results);
}

static void read_op(Bytecode *f, Bytes *r, RegionSyntax *into)
{
    Parser *p = f->p;
    OpSyntax *op = arena_alloc(p->arena, sizeof *op);
    const OpName *o = begin_op(f, r, op);
    uint8_t has = bytes_byte(f, r);
    if (!p->failed) read_place(f, r, op);
    if (!p->failed && !op->rule->build && op->rule->results != NOT_A_VALUE)
        parse_unsupported(p, op->at, "%s (%s)", op->rule->keys, op->rule->name);
    if (p->failed) return;
    read_parts(f, r, op, o, has);
    if (p->failed) return;
    op->first_result = parse_new_values(p, op->results, op->n_results);
    uint32_t first = f->scope.next;
    define(f, *r, 0, op->n_results); /* their numbers stand in front of those of the regions */
    for (uint32_t i = 0; i < op->n_results && !p->failed; i++) f->ids[first + i] = 0;
    if (has & HAS_REGIONS) read_regions(f, r, op);
    if (p->failed) return;
    for (uint32_t i = 0; i < op->n_results; i++) f->ids[first + i] = op->first_result + i + 1;
    p->tok.at = op->at;
    parse_check_keys(p, op);
    if (op->rule->syntax == syntax_func) parse_func_results(p, op);
    if (op->rule->syntax == syntax_func && op->n_regions == 1 && !op->regions[0].ops)
        parse_unsupported(p, op->at, "declarations without a body");
    if (into->last) into->last->next = op;
    else into->ops = op;
    into->last = op;
}

bool parse_is_bytecode(const char *chars, size_t n)
{
    return n >= PARSE_MAGIC_BYTES && memcmp(chars, "ML\xEFR", PARSE_MAGIC_BYTES) == 0;
}

bool parse_bytecode(Parser *p, RegionSyntax *top)
{
    Bytecode *f = arena_alloc(p->arena, sizeof *f);
    f->p = p;
    p->bytecode = f;
    p->spare = ((uint64_t)p->n << 8) + (1 << 20);
    if (bytecode_open(f)) read_block(f, &f->ops, top);
    return !p->failed;
}

const char *bytecode_where(Arena *arena, const Bytecode *f, uint32_t at)
{
    for (uint32_t i = f->n_places; i > 0; i--) {
        if (f->places[i - 1].at != at) continue;
        const char *place = f->places[i - 1].place;
        return arena_printf(arena, "op %u%s%.500s%s", i, place ? " (" : "", place ? place : "",
                            place ? ")" : "");
    }
    return arena_printf(arena, "byte %u", at);
}
