/* loader.c: loads what the back end makes: relocatable ELF objects, one after the other, that refer to
 * nothing but themselves and each other.
 *
 * Sections that occupy memory are laid out in one mapping: code first, then, from a page boundary on,
 * constants. The mapping is filled and relocated while it is writable, then code becomes executable and
 * constants read-only; no page is ever both. Every offset in the file is checked before it is followed, so a
 * damaged object is refused and never read or written past its end.
 */
#include "loader.h"
#include "closure.h"
#include "compiler/backend.h"
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined __x86_64__
enum { MACHINE = EM_X86_64 };
#elif defined __aarch64__
enum { MACHINE = EM_AARCH64 };
#else
#error "weft runs on x86-64 and aarch64"
#endif

/* Clang's check of function types (-fsanitize=function) reads the 8 bytes before a function. */
enum { MAX_OBJECTS = 64, MAX_SECTIONS = 4096, BEFORE_CODE = 16 };
#define NOT_PLACED SIZE_MAX

/* A symbol that objects see of each other. */
typedef struct SharedSymbol {
    const char *name;
    uint64_t address;
} SharedSymbol;

/* What all objects have in common. */
typedef struct Mapping {
    size_t place[MAX_SECTIONS]; /* of all objects' sections, from the mapping's begin, or NOT_PLACED */
    uint32_t n_sections;
    size_t code_bytes, bytes; /* code, in whole pages; all */
    uint8_t *base;
    SharedSymbol *shared; /* by name; of more than one object */
    size_t n_shared;
} Mapping;

typedef struct ElfImage {
    const uint8_t *file;
    size_t file_bytes;
    const Elf64_Shdr *section;
    uint32_t n_sections;
    const Elf64_Sym *symbol;
    size_t n_symbols;
    const char *names;
    size_t names_bytes; /* of symbols */
    size_t *place;      /* of each section in the mapping */
    Mapping *all;
    Failure *failure;
} ElfImage;

/* The objects of one program. */
typedef struct ElfImages {
    Mapping all;
    uint32_t n;
    ElfImage image[MAX_OBJECTS];
    Failure *failure;
} ElfImages;

static bool refuse(ElfImage *im, const char *what, unsigned long long number)
{
    return fail(im->failure, WEFT_COMPILER, "the compiled object is malformed: %s (%llu)", what, number);
}

static bool is_inside(const ElfImage *im, uint64_t offset, uint64_t bytes)
{
    return offset <= im->file_bytes && bytes <= im->file_bytes - offset;
}

static bool read_header(ElfImage *im)
{
    const Elf64_Ehdr *h = (const void *)im->file;
    if (im->file_bytes < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG))
        return refuse(im, "no ELF header", im->file_bytes);
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse(im, "not 64-bit little-endian", 0);
    if (h->e_type != ET_REL || h->e_machine != MACHINE)
        return refuse(im, "not a relocatable object for this machine", h->e_machine);
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shnum > MAX_SECTIONS)
        return refuse(im, "section table", h->e_shnum);
    if (h->e_shoff % 8 || !is_inside(im, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return refuse(im, "section table", h->e_shoff);
    if (h->e_shnum > MAX_SECTIONS - im->all->n_sections) return refuse(im, "too many sections", h->e_shnum);
    im->section = (const void *)(im->file + h->e_shoff);
    im->n_sections = h->e_shnum;
    im->place = im->all->place + im->all->n_sections;
    im->all->n_sections += h->e_shnum;
    return true;
}

static bool read_symbols(ElfImage *im, const Elf64_Shdr *s)
{
    if (im->symbol) return refuse(im, "two symbol tables", 2);
    if (s->sh_entsize != sizeof(Elf64_Sym) || s->sh_offset % 8 || s->sh_link >= im->n_sections)
        return refuse(im, "symbol table", s->sh_entsize);
    const Elf64_Shdr *names = &im->section[s->sh_link];
    if (names->sh_type != SHT_STRTAB || !is_inside(im, names->sh_offset, names->sh_size) || !names->sh_size ||
        im->file[names->sh_offset + names->sh_size - 1])
        return refuse(im, "symbol names", names->sh_size);
    im->symbol = (const void *)(im->file + s->sh_offset);
    im->n_symbols = s->sh_size / sizeof(Elf64_Sym);
    im->names = (const char *)im->file + names->sh_offset;
    im->names_bytes = names->sh_size;
    return true;
}

static bool check_section(ElfImage *im, const Elf64_Shdr *s)
{
    bool has_bytes = s->sh_type != SHT_NOBITS && s->sh_type != SHT_NULL;
    if (has_bytes && !is_inside(im, s->sh_offset, s->sh_size))
        return refuse(im, "a section past the end", s->sh_offset);
    if (s->sh_addralign & (s->sh_addralign - 1) || s->sh_addralign > 4096)
        return refuse(im, "alignment", s->sh_addralign);
    if (s->sh_type == SHT_SYMTAB) return read_symbols(im, s);
    if (!(s->sh_flags & SHF_ALLOC) || !s->sh_size) return true;
    if (s->sh_flags & (SHF_WRITE | SHF_TLS)) return refuse(im, "writable data", s->sh_size);
    if (s->sh_size > (size_t)1 << 30) return refuse(im, "size", s->sh_size);
    return true;
}

static size_t round_up(size_t n, size_t to) { return (n + to - 1) & ~(to - 1); }

/* Gives every section of one kind its place, from `at` on; returns the end. */
static size_t lay_out(ElfImage *im, bool executable, size_t at)
{
    for (uint32_t i = 0; i < im->n_sections; i++) {
        const Elf64_Shdr *s = &im->section[i];
        if (!(s->sh_flags & SHF_ALLOC) || !!(s->sh_flags & SHF_EXECINSTR) != executable) continue;
        if (s->sh_type != SHT_PROGBITS && s->sh_type != SHT_NOBITS) continue;
        at = round_up(at, s->sh_addralign ? s->sh_addralign : 1);
        im->place[i] = at;
        at += s->sh_size;
    }
    return at;
}

static bool place_sections(ElfImages *o)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), at = BEFORE_CODE;
    for (size_t i = 0; i < o->all.n_sections; i++) o->all.place[i] = NOT_PLACED;
    for (uint32_t k = 0; k < o->n; k++)
        for (uint32_t i = 0; i < o->image[k].n_sections; i++)
            if (!check_section(&o->image[k], &o->image[k].section[i])) return false;
    for (uint32_t k = 0; k < o->n; k++) at = lay_out(&o->image[k], true, at);
    if (at == BEFORE_CODE) return refuse(o->image, "no code", 0);
    at = o->all.code_bytes = round_up(at, page);
    for (uint32_t k = 0; k < o->n; k++) at = lay_out(&o->image[k], false, at);
    o->all.bytes = round_up(at, page);
    if (o->all.bytes > (size_t)1 << 30) return refuse(o->image, "size", o->all.bytes);
    return true;
}

static bool map_sections(ElfImages *o)
{
    void *pages = mmap(NULL, o->all.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return fail(o->failure, WEFT_MEMORY, "no memory for %zu bytes of compiled code", o->all.bytes);
    o->all.base = pages;
    for (uint32_t k = 0; k < o->n; k++) {
        const ElfImage *im = &o->image[k];
        for (uint32_t i = 0; i < im->n_sections; i++)
            if (im->place[i] != NOT_PLACED && im->section[i].sh_type == SHT_PROGBITS)
                memcpy(o->all.base + im->place[i], im->file + im->section[i].sh_offset,
                       im->section[i].sh_size);
    }
    return true;
}

static const char *symbol_name(const ElfImage *im, const Elf64_Sym *s)
{
    return s->st_name < im->names_bytes ? im->names + s->st_name : "?";
}

static bool needs_outside(ElfImage *im, const Elf64_Sym *s)
{
    return fail(im->failure, WEFT_COMPILER, "the compiled object needs a symbol from outside: %s",
                symbol_name(im, s));
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const SharedSymbol *)a)->name, ((const SharedSymbol *)b)->name);
}

/* Where a symbol is in this process. */
static bool symbol_address(ElfImage *im, const Elf64_Sym *s, uint64_t *address)
{
    if (s->st_shndx == SHN_UNDEF) {
        const SharedSymbol wanted = { symbol_name(im, s), 0 }, *found = NULL;
        if (im->all->n_shared)
            found = bsearch(&wanted, im->all->shared, im->all->n_shared, sizeof wanted, by_name);
        if (!found) return needs_outside(im, s);
        *address = found->address;
        return true;
    }
    if (s->st_shndx >= im->n_sections || im->place[s->st_shndx] == NOT_PLACED)
        return refuse(im, "a symbol's section", s->st_shndx);
    if (s->st_value > im->section[s->st_shndx].sh_size) return refuse(im, "a symbol's value", s->st_value);
    *address = (uint64_t)(uintptr_t)im->all->base + im->place[s->st_shndx] + s->st_value;
    return true;
}

static bool is_shared(const Elf64_Sym *s)
{
    return ELF64_ST_BIND(s->st_info) == STB_GLOBAL && s->st_shndx != SHN_UNDEF;
}

/* One name means one thing. */
static bool collect_shared(ElfImages *o)
{
    size_t n = 0;
    for (uint32_t k = 0; k < o->n; k++)
        for (size_t i = 1; i < o->image[k].n_symbols; i++) n += is_shared(&o->image[k].symbol[i]);
    if (o->n == 1 || !n) return true;
    SharedSymbol *shared = o->all.shared = calloc(n, sizeof *shared);
    if (!shared) return fail(o->failure, WEFT_MEMORY, "no memory for %zu symbols", n);
    n = 0;
    for (uint32_t k = 0; k < o->n; k++)
        for (size_t i = 1; i < o->image[k].n_symbols; i++) {
            ElfImage *im = &o->image[k];
            if (!is_shared(&im->symbol[i])) continue;
            shared[n].name = symbol_name(im, &im->symbol[i]);
            if (!symbol_address(im, &im->symbol[i], &shared[n++].address)) return false;
        }
    qsort(shared, n, sizeof *shared, by_name);
    for (size_t i = 1; i < n; i++)
        if (!by_name(&shared[i - 1], &shared[i])) return refuse(o->image, "two symbols of one name", i);
    o->all.n_shared = n;
    return true;
}

static bool fits(int64_t v, int bits)
{
    return v >= -((int64_t)1 << (bits - 1)) && v < (int64_t)1 << (bits - 1);
}

static void put(void *at, uint64_t v, size_t bytes) { memcpy(at, &v, bytes); }

#if defined __x86_64__
static size_t relocation_bytes(uint32_t type) { return type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4; }

/* s: symbol, a: addend, p: the place that is patched. */
static bool relocate(ElfImage *im, uint32_t type, uint8_t *at, uint64_t s, int64_t a)
{
    uint64_t p = (uint64_t)(uintptr_t)at;
    int64_t v = (int64_t)(s + (uint64_t)a), relative = (int64_t)(s + (uint64_t)a - p);
    switch (type) {
    case R_X86_64_64:   put(at, (uint64_t)v, 8); return true;
    case R_X86_64_PC64: put(at, (uint64_t)relative, 8); return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        if (!fits(relative, 32)) return refuse(im, "a relocation out of reach", type);
        put(at, (uint64_t)relative, 4);
        return true;
    default: return refuse(im, "a relocation of unknown type", type);
    }
}
#else
static size_t relocation_bytes(uint32_t type)
{
    return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64 ? 8 : 4;
}

static void patch_bits(uint8_t *at, uint32_t keep, uint32_t bits)
{
    uint32_t word;
    memcpy(&word, at, 4);
    word = (word & keep) | bits;
    memcpy(at, &word, 4);
}

/* The low 12 bits of an address, scaled by the access's size, into an instruction's bits 10 to 21. */
static bool patch_low12(ElfImage *im, uint8_t *at, int64_t v, int scale)
{
    if (v & ((1 << scale) - 1)) return refuse(im, "an unaligned access", (unsigned long long)v);
    patch_bits(at, ~(0xfffu << 10), (uint32_t)((v & 0xfff) >> scale) << 10);
    return true;
}

static bool relocate(ElfImage *im, uint32_t type, uint8_t *at, uint64_t s, int64_t a)
{
    uint64_t p = (uint64_t)(uintptr_t)at;
    int64_t v = (int64_t)(s + (uint64_t)a), relative = (int64_t)(s + (uint64_t)a - p);
    int64_t pages = ((v & ~(int64_t)0xfff) - (int64_t)(p & ~(uint64_t)0xfff)) >> 12;
    switch (type) {
    case R_AARCH64_ABS64:  put(at, (uint64_t)v, 8); return true;
    case R_AARCH64_PREL64: put(at, (uint64_t)relative, 8); return true;
    case R_AARCH64_PREL32:
        if (!fits(relative, 32)) return refuse(im, "a relocation out of reach", type);
        put(at, (uint64_t)relative, 4);
        return true;
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
        if (relative & 3 || !fits(relative, 28)) return refuse(im, "a relocation out of reach", type);
        patch_bits(at, ~0x3ffffffu, (uint32_t)(relative >> 2) & 0x3ffffff);
        return true;
    case R_AARCH64_ADR_PREL_PG_HI21:
        if (!fits(pages, 21)) return refuse(im, "a relocation out of reach", type);
        patch_bits(at, 0x9f00001f, (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5);
        return true;
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC:   return patch_low12(im, at, v, 0);
    case R_AARCH64_LDST16_ABS_LO12_NC:  return patch_low12(im, at, v, 1);
    case R_AARCH64_LDST32_ABS_LO12_NC:  return patch_low12(im, at, v, 2);
    case R_AARCH64_LDST64_ABS_LO12_NC:  return patch_low12(im, at, v, 3);
    case R_AARCH64_LDST128_ABS_LO12_NC: return patch_low12(im, at, v, 4);
    default:                            return refuse(im, "a relocation of unknown type", type);
    }
}
#endif

static bool apply_one(ElfImage *im, const Elf64_Rela *r, uint32_t target)
{
    uint64_t symbol = ELF64_R_SYM(r->r_info), address, room = im->section[target].sh_size;
    uint32_t type = (uint32_t)ELF64_R_TYPE(r->r_info);
    if (symbol >= im->n_symbols) return refuse(im, "a relocation's symbol", symbol);
    if (r->r_offset > room || relocation_bytes(type) > room - r->r_offset)
        return refuse(im, "a relocation past its section", r->r_offset);
    return symbol_address(im, &im->symbol[symbol], &address) &&
           relocate(im, type, im->all->base + im->place[target] + r->r_offset, address, r->r_addend);
}

static bool apply_section(ElfImage *im, const Elf64_Shdr *s)
{
    if (s->sh_info >= im->n_sections) return refuse(im, "a relocation's section", s->sh_info);
    if (im->place[s->sh_info] == NOT_PLACED) return true;
    if (s->sh_type == SHT_REL) return refuse(im, "relocations without addends", s->sh_info);
    if (im->section[s->sh_info].sh_type != SHT_PROGBITS)
        return refuse(im, "relocations of no data", s->sh_info);
    if (s->sh_entsize != sizeof(Elf64_Rela) || s->sh_offset % 8)
        return refuse(im, "relocation table", s->sh_entsize);
    const Elf64_Rela *r = (const void *)(im->file + s->sh_offset);
    for (size_t i = 0; i < s->sh_size / sizeof *r; i++)
        if (!apply_one(im, &r[i], s->sh_info)) return false;
    return true;
}

/* Undefined symbols are refused even where nothing refers to them. */
static bool relocate_one(ElfImage *im)
{
    uint64_t address;
    if (!im->symbol) return refuse(im, "no symbols", 0);
    for (size_t i = 1; i < im->n_symbols; i++)
        if (im->symbol[i].st_shndx == SHN_UNDEF && !symbol_address(im, &im->symbol[i], &address))
            return false;
    for (uint32_t i = 0; i < im->n_sections; i++) {
        uint32_t type = im->section[i].sh_type;
        if ((type == SHT_RELA || type == SHT_REL) && !apply_section(im, &im->section[i])) return false;
    }
    return true;
}

static bool relocate_all(ElfImages *o)
{
    bool good = collect_shared(o);
    for (uint32_t k = 0; good && k < o->n; k++) good = relocate_one(&o->image[k]);
    free(o->all.shared);
    o->all.shared = NULL;
    o->all.n_shared = 0;
    return good;
}

static bool protect(const ElfImages *o)
{
    uint8_t *base = o->all.base;
    __builtin___clear_cache((char *)base, (char *)base + o->all.code_bytes);
    size_t data = o->all.bytes - o->all.code_bytes;
    if (data && mprotect(base + o->all.code_bytes, data, PROT_READ))
        return fail(o->failure, WEFT_MEMORY, "no memory for pages of constants");
    return closure_executable(base, o->all.code_bytes, o->failure);
}

/* In the first object. */
static bool find_entry(ElfImages *o, const char *name, void **entry)
{
    uint64_t address;
    ElfImage *im = o->image;
    for (size_t i = 1; i < im->n_symbols; i++) {
        const Elf64_Sym *s = &im->symbol[i];
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || strcmp(symbol_name(im, s), name)) continue;
        if (s->st_shndx == SHN_UNDEF) return needs_outside(im, s);
        if (!symbol_address(im, s, &address)) return false;
        if (im->place[s->st_shndx] >= o->all.code_bytes)
            return refuse(im, "an entry outside the code", s->st_shndx);
        *entry = (void *)(uintptr_t)address;
        return true;
    }
    return fail(im->failure, WEFT_COMPILER, "the compiled object has no %s", name);
}

/* An object ends where its section table does: that is what the back end writes last. */
static bool read_objects(ElfImages *o, const uint8_t *file, size_t bytes, Failure *f)
{
    o->n = o->all.n_sections = 0;
    o->all.shared = NULL;
    o->all.n_shared = 0;
    o->failure = f;
    for (size_t at = 0; at < bytes || !o->n;) {
        ElfImage *im = &o->image[o->n];
        *im =
            (ElfImage){ .file = file + at, .file_bytes = bytes - at, .all = &o->all, .failure = o->failure };
        if (!read_header(im)) return false;
        if (++o->n == MAX_OBJECTS) return refuse(im, "too many objects", o->n);
        const Elf64_Ehdr *h = (const void *)im->file;
        im->file_bytes = h->e_shoff + h->e_shnum * sizeof(Elf64_Shdr);
        at += round_up(im->file_bytes, OBJECT_ALIGN);
    }
    return place_sections(o);
}

bool loader_load(const void *object, size_t bytes, const char *entry, Loaded *out, Failure *f)
{
    ElfImages o;
    *out = (Loaded){ 0 };
    if (!read_objects(&o, object, bytes, f) || !map_sections(&o)) return false;
    if (!relocate_all(&o) || !find_entry(&o, entry, &out->entry) || !protect(&o)) {
        munmap(o.all.base, o.all.bytes);
        out->entry = NULL;
        return false;
    }
    out->pages = o.all.base;
    out->bytes = o.all.bytes;
    return true;
}

/* The objects were checked as they were loaded; sections are laid out as they were. */
void loader_functions(const void *object, size_t bytes, const Loaded *l, LoadedFunction *each, void *user)
{
    Failure f = { .code = WEFT_OK };
    ElfImages o;
    if (!read_objects(&o, object, bytes, &f)) return;
    o.all.base = l->pages;
    for (uint32_t k = 0; k < o.n; k++)
        for (size_t i = 1; i < o.image[k].n_symbols; i++) {
            ElfImage *im = &o.image[k];
            const Elf64_Sym *s = &im->symbol[i];
            uint64_t at;
            if (ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_shndx != SHN_UNDEF && s->st_size &&
                symbol_address(im, s, &at) && s->st_size <= im->section[s->st_shndx].sh_size - s->st_value)
                each(user, symbol_name(im, s), (const void *)(uintptr_t)at, s->st_size);
        }
}

void loader_unload(Loaded *l)
{
    if (l->pages) munmap(l->pages, l->bytes);
    *l = (Loaded){ 0 };
}
