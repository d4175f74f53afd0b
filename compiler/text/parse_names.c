/* parse_names.c: a hash table from names to numbers above 0, by open addressing. */
#include <string.h>
#include "parse.h"

static uint32_t hash_name(const char *s)
{
    uint32_t h = 2166136261u;
    for (; *s; s++) h = (h ^ (uint8_t)*s) * 16777619u;
    return h;
}

/* Where the name is, or would be. */
static NameSlot *slot_of(const NameTable *t, const char *name)
{
    uint32_t i = hash_name(name) & (t->size - 1);
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
