/* parse_names.c: tables of names: of values, which have scopes, and of what else a text names. */
#include <string.h>
#include "parse.h"

static uint32_t hash_name(const char *s, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ (uint8_t)s[i]) * 16777619u;
    return h;
}

/* Names and their numbers, by open addressing. */

/* Where the name is, or would be. */
static NameSlot *slot_of(const NameTable *t, const char *name)
{
    uint32_t i = hash_name(name, strlen(name)) & (t->size - 1);
    while (t->slots[i].name && strcmp(t->slots[i].name, name) != 0) i = (i + 1) & (t->size - 1);
    return &t->slots[i];
}

uint32_t names_get(const NameTable *t, const char *name) { return t->size ? slot_of(t, name)->number : 0; }

static void grow(Arena *arena, NameTable *t)
{
    NameTable old = *t;
    t->size = old.size ? 2 * old.size : 64;
    t->slots = arena_alloc(arena, t->size * sizeof *t->slots);
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].name) *slot_of(t, old.slots[i].name) = old.slots[i];
}

void names_add(Arena *arena, NameTable *t, const char *name, uint32_t number)
{
    if (2 * t->n >= t->size) grow(arena, t);
    NameSlot *s = slot_of(t, name);
    if (s->name) return;
    *s = (NameSlot){ name, number };
    t->n++;
}

/* Values: each bucket is a chain of the names in scope, the last one bound first. */

static void grow_buckets(Parser *p)
{
    p->n_buckets = p->n_buckets ? 2 * p->n_buckets : 256;
    p->buckets = arena_alloc(p->arena, p->n_buckets * sizeof *p->buckets);
    for (uint32_t i = 0; i < p->n_bindings; i++) {
        uint32_t *head = &p->buckets[p->bindings[i].hash & (p->n_buckets - 1)];
        p->bindings[i].next = *head;
        *head = i + 1;
    }
}

const ValueName *parse_lookup(const Parser *p, const Token *name)
{
    if (!p->n_buckets) return NULL;
    uint32_t h = hash_name(name->text, name->length);
    for (uint32_t i = p->buckets[h & (p->n_buckets - 1)]; i; i = p->bindings[i - 1].next) {
        const ValueName *b = &p->bindings[i - 1];
        if (b->hash == h && b->length == name->length && memcmp(b->text, name->text, b->length) == 0)
            return b;
    }
    return NULL;
}

ValueId parse_new_values(Parser *p, const Type *types, uint32_t count)
{
    ValueId first = p->n_values;
    uint32_t room = p->cap_values;
    p->narrow = arena_grow(p->arena, p->narrow, p->n_values, &room, p->n_values + count, sizeof *p->narrow);
    p->types =
        arena_grow(p->arena, p->types, p->n_values, &p->cap_values, p->n_values + count, sizeof *p->types);
    for (uint32_t i = 0; i < count; i++) {
        p->types[first + i] = type_held(types[i]);
        p->narrow[first + i] = (uint8_t)type_narrow(types[i]);
    }
    p->n_values += count;
    return first;
}

bool parse_bind(Parser *p, const Token *name, ValueId first, uint32_t count)
{
    if (p->failed) return false;
    if (parse_lookup(p, name))
        return parse_error(p, name->at, "%%%.*s is defined twice", name->length > 60 ? 60 : (int)name->length,
                           name->text);
    if (p->n_bindings == p->n_buckets) grow_buckets(p);
    ValueName *b = &ARENA_PUSH(p->arena, p->bindings, p->n_bindings, p->cap_bindings);
    *b = (ValueName){ name->text, name->length, hash_name(name->text, name->length), 0, first, count };
    uint32_t *head = &p->buckets[b->hash & (p->n_buckets - 1)];
    b->next = *head;
    *head = p->n_bindings;
    return true;
}

void parse_define(Parser *p, const Token *name, Type t)
{
    parse_bind(p, name, parse_new_values(p, &t, 1), 1);
}

uint32_t parse_open_scope(const Parser *p) { return p->n_bindings; }

/* The last name bound leaves first, so each is the head of its chain. */
void parse_close_scope(Parser *p, uint32_t scope)
{
    while (p->n_bindings > scope) {
        const ValueName *b = &p->bindings[--p->n_bindings];
        p->buckets[b->hash & (p->n_buckets - 1)] = b->next;
    }
}
