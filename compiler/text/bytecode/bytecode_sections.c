/* bytecode_sections.c: bytes, numbers, and the sections of a file but for that of the ops. */
#include <string.h>
#include "bytecode.h"

enum { NEWEST_VERSION = 6 };
/* Versions of the format from which on: */
enum { HAS_DIALECT_VERSIONS = 1, COUNTS_NAMES = 4, MARKS_REGISTERED = 5 };

typedef enum {
    SECTION_STRINGS,
    SECTION_DIALECTS,
    SECTION_ATTRS_AND_TYPES,
    SECTION_SIZES,
    SECTION_OPS,
    SECTION_RESOURCES,
    SECTION_RESOURCE_SIZES,
    SECTION_DIALECT_VERSIONS,
    SECTION_PROPERTIES,
    N_SECTIONS
} SectionId;

/* Bytes. */

uint32_t bytes_place(const Bytecode *f, Bytes r) { return (uint32_t)((const char *)r.at - f->p->chars); }

uint8_t bytes_byte(Bytecode *f, Bytes *r)
{
    if (r->at < r->end && !f->p->failed) return *r->at++;
    return parse_error(f->p, bytes_place(f, *r), "the bytes end early");
}

/* As many zeros as the first byte ends in, so many bytes follow it; what is left of it are the lowest
 * bits. */
uint64_t bytes_number(Bytecode *f, Bytes *r)
{
    uint8_t first = bytes_byte(f, r);
    int more = first ? __builtin_ctz(first) : 8, bits = more < 8 ? 7 - more : 0;
    uint64_t v = (uint64_t)first >> (more < 8 ? more + 1 : 8);
    for (int i = 0; i < more && !f->p->failed; i++) v |= (uint64_t)bytes_byte(f, r) << (bits + 8 * i);
    return v;
}

/* 0, -1, 1, -2, ... */
int64_t bytes_signed(Bytecode *f, Bytes *r)
{
    uint64_t v = bytes_number(f, r);
    return (int64_t)(v >> 1 ^ (0 - (v & 1)));
}

uint64_t bytes_flagged(Bytecode *f, Bytes *r, bool *flag)
{
    uint64_t v = bytes_number(f, r);
    *flag = v & 1;
    return v >> 1;
}

uint32_t bytes_count(Bytecode *f, Bytes *r)
{
    uint32_t at = bytes_place(f, *r);
    uint64_t n = bytes_number(f, r), left = (uint64_t)(r->end - r->at);
    if (n <= left) return (uint32_t)n;
    return parse_error(f->p, at, "counts %llu where %llu bytes are left", (unsigned long long)n,
                       (unsigned long long)left);
}

uint32_t bytes_index(Bytecode *f, Bytes *r, uint32_t n, const char *what)
{
    uint32_t at = bytes_place(f, *r);
    uint64_t i = bytes_number(f, r);
    if (i < n && !f->p->failed) return (uint32_t)i;
    return parse_error(f->p, at, "%s number %llu of %u", what, (unsigned long long)i, n);
}

Bytes bytes_take(Bytecode *f, Bytes *r, uint64_t n)
{
    Bytes part = { r->at, r->at };
    if (n > (uint64_t)(r->end - r->at))
        parse_error(f->p, bytes_place(f, *r), "%llu bytes where %llu are left", (unsigned long long)n,
                    (unsigned long long)(r->end - r->at));
    if (f->p->failed) return part;
    part.end = r->at += n;
    return part;
}

void bytes_align(Bytecode *f, Bytes *r, uint64_t alignment)
{
    if (alignment == 0) parse_error(f->p, bytes_place(f, *r), "what is aligned to 0 bytes");
    while (!f->p->failed && bytes_place(f, *r) % alignment != 0) bytes_byte(f, r);
}

const char *bytes_string(Bytecode *f, Bytes *r)
{
    uint32_t i = bytes_index(f, r, f->n_strings, "string");
    return f->p->failed ? "" : f->strings[i];
}

/* Sections. */

/* The number of the section, whether it is aligned, its length, the alignment, bytes up to there. */
Bytes bytes_section(Bytecode *f, Bytes *r, uint8_t *id)
{
    uint8_t head = bytes_byte(f, r);
    uint64_t n = bytes_number(f, r), alignment = head & 0x80 ? bytes_number(f, r) : 1;
    *id = head & 0x7F;
    bytes_align(f, r, alignment);
    return bytes_take(f, r, n);
}

static bool find_sections(Bytecode *f, Bytes r, Bytes *sections)
{
    static const char *const names[N_SECTIONS] = { [SECTION_STRINGS] = "strings",
                                                   [SECTION_DIALECTS] = "dialects",
                                                   [SECTION_ATTRS_AND_TYPES] = "attributes and types",
                                                   [SECTION_SIZES] = "sizes of attributes and types",
                                                   [SECTION_OPS] = "ops" };
    while (r.at < r.end && !f->p->failed) {
        uint32_t at = bytes_place(f, r);
        uint8_t id;
        Bytes section = bytes_section(f, &r, &id);
        if (id >= N_SECTIONS) return parse_unsupported(f->p, at, "section %d of MLIR's bytecode", id);
        if (sections[id].at) return parse_error(f->p, at, "section %d stands there twice", id);
        sections[id] = section;
    }
    for (int id = 0; id < N_SECTIONS; id++)
        if (names[id] && !sections[id].at) parse_error(f->p, f->p->n, "there is no section of %s", names[id]);
    return !f->p->failed;
}

/* Their lengths with the NUL behind each, the last one's first, and then they, the first one first. */
static void read_strings(Bytecode *f, Bytes r)
{
    f->n_strings = bytes_count(f, &r);
    f->strings = arena_alloc(f->p->arena, (f->n_strings + 1) * sizeof *f->strings);
    Bytes lengths = r;
    for (uint32_t i = 0; i < f->n_strings; i++) bytes_number(f, &r);
    size_t left = (size_t)(r.end - r.at);
    char *chars = arena_copy(f->p->arena, r.at, left);
    for (uint32_t i = f->n_strings; i > 0 && !f->p->failed; i--) {
        uint64_t n = bytes_number(f, &lengths);
        if (n == 0 || n > left || chars[left - 1] != 0)
            parse_error(f->p, bytes_place(f, lengths), "the strings have other lengths than they say");
        else f->strings[i - 1] = chars + (left -= n);
    }
}

static Home home_of(const char *dialect)
{
    static const char *const names[] = { [HOME_BUILTIN] = "builtin",
                                         [HOME_STABLEHLO] = "stablehlo",
                                         [HOME_CHLO] = "chlo",
                                         [HOME_VHLO] = "vhlo",
                                         [HOME_SDY] = "sdy" };
    for (int home = HOME_BUILTIN; home <= HOME_SDY; home++)
        if (strcmp(names[home], dialect) == 0) return (Home)home;
    return HOME_OTHER;
}

static void read_dialect(Bytecode *f, Bytes *r, DialectName *d)
{
    bool versioned = false;
    uint8_t id;
    Bytes as_flag = *r;
    if (f->version < HAS_DIALECT_VERSIONS) d->name = bytes_string(f, r);
    else {
        uint64_t i = bytes_flagged(f, r, &versioned);
        if (i >= f->n_strings) parse_error(f->p, bytes_place(f, as_flag), "a dialect without a name");
        d->name = f->p->failed ? "" : f->strings[i];
    }
    if (versioned) bytes_section(f, r, &id);
    d->home = home_of(d->name);
}

static OpName op_name(Bytecode *f, Bytes *r, DialectName d)
{
    bool registered = true;
    uint32_t at = bytes_place(f, *r);
    uint64_t i = f->version < MARKS_REGISTERED ? bytes_number(f, r) : bytes_flagged(f, r, &registered);
    if (i >= f->n_strings) parse_error(f->p, at, "an op without a name");
    return (OpName){ .dialect = d.name,
                     .name = f->p->failed ? "" : f->strings[i],
                     .home = d.home,
                     .has_dictionary = !registered };
}

/* The dialects, and then the names of ops in groups of one dialect. */
static void read_dialects(Bytecode *f, Bytes r)
{
    f->n_dialects = bytes_count(f, &r);
    f->dialects = arena_alloc(f->p->arena, (f->n_dialects + 1) * sizeof *f->dialects);
    for (uint32_t i = 0; i < f->n_dialects && !f->p->failed; i++) read_dialect(f, &r, &f->dialects[i]);
    if (f->version >= COUNTS_NAMES) bytes_number(f, &r);
    while (r.at < r.end && !f->p->failed) {
        uint32_t d = bytes_index(f, &r, f->n_dialects, "dialect");
        uint32_t n = bytes_count(f, &r);
        for (uint32_t i = 0; i < n && !f->p->failed; i++)
            ARENA_PUSH(f->p->arena, f->names, f->n_names, f->cap_names) = op_name(f, &r, f->dialects[d]);
    }
}

/* Groups of one dialect: sizes, and whether it is in the dialect's own form. */
static Entry *read_sizes(Bytecode *f, Bytes *r, Bytes *data, uint32_t n)
{
    Entry *all = arena_alloc(f->p->arena, ((size_t)n + 1) * sizeof *all);
    for (uint32_t done = 0; done < n && !f->p->failed;) {
        uint32_t d = bytes_index(f, r, f->n_dialects, "dialect");
        uint32_t group = bytes_count(f, r);
        if (group > n - done) parse_error(f->p, bytes_place(f, *r), "more than the %u counted", n);
        for (; group > 0 && !f->p->failed; group--) {
            bool own_form;
            uint64_t size = bytes_flagged(f, r, &own_form);
            all[done++] = (Entry){ .home = f->dialects[d].home,
                                   .is_text = !own_form,
                                   .bytes = bytes_take(f, data, size) };
        }
    }
    return all;
}

static void read_attrs_and_types(Bytecode *f, Bytes sizes, Bytes data)
{
    f->n_attrs = bytes_count(f, &sizes);
    f->n_types = bytes_count(f, &sizes);
    f->attrs = read_sizes(f, &sizes, &data, f->n_attrs);
    f->types = read_sizes(f, &sizes, &data, f->n_types);
}

static void read_properties(Bytecode *f, Bytes r)
{
    if (!r.at) return; /* of versions that have none */
    f->n_properties = bytes_count(f, &r);
    f->properties = arena_alloc(f->p->arena, (f->n_properties + 1) * sizeof *f->properties);
    for (uint32_t i = 0; i < f->n_properties && !f->p->failed; i++)
        f->properties[i] = bytes_take(f, &r, bytes_number(f, &r));
}

/* Groups of others and then of dialects: for each resource its name, size and kind. The bytes stand apart, in
 * the same order. */
static void read_resources(Bytecode *f, Bytes sizes, Bytes data)
{
    if (!sizes.at) return;
    if (!data.at) parse_error(f->p, f->p->n, "there is no section of resources");
    uint64_t others = bytes_number(f, &sizes);
    for (uint64_t group = 0; sizes.at < sizes.end && !f->p->failed; group++) {
        bool of_dialect = group >= others;
        bytes_index(f, &sizes, of_dialect ? f->n_dialects : f->n_strings, of_dialect ? "dialect" : "string");
        for (uint32_t n = bytes_count(f, &sizes); n > 0 && !f->p->failed; n--) {
            bytes_string(f, &sizes);
            uint64_t size = bytes_number(f, &sizes);
            Resource one = { bytes_byte(f, &sizes), bytes_take(f, &data, size) };
            if (of_dialect) ARENA_PUSH(f->p->arena, f->resources, f->n_resources, f->cap_resources) = one;
        }
    }
}

/* The magic number, the version, who wrote it, sections. */
bool bytecode_open(Bytecode *f)
{
    Parser *p = f->p;
    Bytes sections[N_SECTIONS] = { 0 };
    Bytes r = { (const uint8_t *)p->chars + PARSE_MAGIC_BYTES, (const uint8_t *)p->chars + p->n };
    f->version = bytes_number(f, &r);
    if (f->version > NEWEST_VERSION)
        return parse_unsupported(p, PARSE_MAGIC_BYTES, "MLIR's bytecode of version %llu, above %d",
                                 (unsigned long long)f->version, NEWEST_VERSION);
    while (bytes_byte(f, &r)) {}
    if (p->failed || !find_sections(f, r, sections)) return false;
    read_strings(f, sections[SECTION_STRINGS]);
    if (!p->failed) read_dialects(f, sections[SECTION_DIALECTS]);
    if (!p->failed) read_attrs_and_types(f, sections[SECTION_SIZES], sections[SECTION_ATTRS_AND_TYPES]);
    if (!p->failed) read_properties(f, sections[SECTION_PROPERTIES]);
    if (!p->failed) read_resources(f, sections[SECTION_RESOURCE_SIZES], sections[SECTION_RESOURCES]);
    f->ops = sections[SECTION_OPS];
    return !p->failed;
}
