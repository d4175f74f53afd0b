/* target.c: the machines that code is made for, and what the emitter needs to know of each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif
#include "emit.h"

/* where the machine does not say */
enum { L1_BYTES = 32 << 10, L2_BYTES = 512 << 10, L3_BYTES = 32 << 20, PARALLEL_NS = 20000 };
#define X86_64 "x86_64-unknown-linux-gnu"
#define ARM_64 "aarch64-unknown-linux-gnu"

static const struct {
    const char *name;
    Target target;
} machines[] = {
    { "avx512",
      { X86_64, "x86-64-v4", "", 64, 32, L1_BYTES, L2_BYTES, L3_BYTES, PARALLEL_NS, true, true, 0 } },
    { "avx2", { X86_64, "x86-64-v3", "", 32, 16, L1_BYTES, L2_BYTES, L3_BYTES, PARALLEL_NS, true, true, 0 } },
    { "sse2", { X86_64, "x86-64", "", 16, 16, L1_BYTES, L2_BYTES, L3_BYTES, PARALLEL_NS, false, false, 0 } },
    { "aarch64",
      { ARM_64, "generic", "", 16, 32, L1_BYTES, L2_BYTES, L3_BYTES, PARALLEL_NS, true, true, 0 } },
};

static bool has_feature(const char *features, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = features; (at = strstr(at, name)); at += n)
        if (at > features && at[-1] == '+' && (at[n] == ',' || !at[n])) return true;
    return false;
}

static bool starts_with_one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (!strncmp(text, *words, strlen(*words))) return true;
    return false;
}

bool target_has(const Target *t, const char *feature) { return has_feature(t->features, feature); }

/* A CPU's name implies its features; each one said besides costs 1 % of a small compile. So: those that the
 * emitter counts on, those that the name implies but the machine lacks and code could use (virtual machines
 * hide some), and all that matter if the name says little. */
static bool is_worth_saying(const char *cpu, const char *feature)
{
    static const char *const counted_on[] = { "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "avx2",
                                              "fma",      "f16c",     "sse4.1",   NULL };
    static const char *const vital[] = { "avx",    "evex",    "sse",   "ssse",     "fma", "f16c", "bmi",
                                         "popcnt", "lzcnt",   "movbe", "gfni",     "xop", "neon", "fp",
                                         "sve",    "dotprod", "lse",   "fullfp16", NULL };
    static const char *const vague[] = { "x86-64", "generic", NULL };
    bool is_had = feature[0] == '+' && !starts_with_one_of(cpu, vague);
    return starts_with_one_of(feature + 1, is_had ? counted_on : vital);
}

static bool copy_features(const char *cpu, char *to, size_t room, const char *from)
{
    size_t used = 0;
    while (*from) {
        size_t n = strcspn(from, ",");
        if (is_worth_saying(cpu, from)) {
            if (used + n + 2 > room) return false;
            if (used) to[used++] = ',';
            memcpy(to + used, from, n);
            used += n;
        }
        from += n + (from[n] == ',');
    }
    to[used] = '\0';
    return true;
}

static uint32_t cache_size(int name, uint32_t otherwise)
{
    long bytes = sysconf(name);
    return bytes > 0 && bytes < INT32_MAX ? (uint32_t)bytes : otherwise;
}

/* The last cache as the core itself describes it: sysconf gives, on AMD's, the sum of all in the package. */
static uint32_t last_cache_size(void)
{
    uint32_t bytes = 0;
#ifdef __x86_64__
    unsigned a, b, c, d, most = __get_cpuid_max(0x80000000, NULL), leaf = 4;
    if (most >= 0x8000001d && __get_cpuid(0x80000001, &a, &b, &c, &d) && c >> 22 & 1) leaf = 0x8000001d;
    for (unsigned i = 0; i < 8 && __get_cpuid_count(leaf, i, &a, &b, &c, &d) && (a & 31); i++) {
        uint64_t size = (uint64_t)((b >> 22) + 1) * ((b >> 12 & 1023) + 1) * ((b & 4095) + 1) * (c + 1ull);
        if ((a >> 5 & 7) == 3 && size < INT32_MAX) bytes = (uint32_t)size;
    }
#endif
    return bytes ? bytes : cache_size(_SC_LEVEL3_CACHE_SIZE, L3_BYTES);
}

static bool is_x86(const Target *t) { return !strncmp(t->triple, "x86_64", 6); }

static bool fill_host(Target *t, const char *triple, const char *cpu, const char *features)
{
    if (strlen(triple) >= sizeof t->triple || strlen(cpu) >= sizeof t->cpu) return false;
    strcpy(t->triple, triple);
    strcpy(t->cpu, cpu);
    if (!copy_features(cpu, t->features, sizeof t->features, features)) return false;
    bool x86 = is_x86(t), fma = has_feature(features, "fma"), f16c = has_feature(features, "f16c"),
         avx2 = has_feature(features, "avx2");
    bool avx512 = avx2 && fma && f16c && has_feature(features, "avx512bw") &&
                  has_feature(features, "avx512dq") && has_feature(features, "avx512vl");
    t->vector_bytes = avx512 ? 64 : avx2 ? 32 : 16;
    t->vector_registers = avx512 || !x86 ? 32 : 16;
    t->fma = !x86 || fma;
    t->f16c = !x86 || f16c;
    t->l1_bytes = cache_size(_SC_LEVEL1_DCACHE_SIZE, L1_BYTES);
    t->l2_bytes = cache_size(_SC_LEVEL2_CACHE_SIZE, L2_BYTES);
    t->l3_bytes = last_cache_size();
    t->parallel_ns = PARALLEL_NS;
    t->threads = 0; /* its host says */
    return true;
}

bool target_host(Target *t)
{
    char *triple = LLVMGetDefaultTargetTriple(), *cpu = LLVMGetHostCPUName(),
         *features = LLVMGetHostCPUFeatures();
    memset(t, 0, sizeof *t);
    bool ok = fill_host(t, triple, cpu, features);
    LLVMDisposeMessage(triple);
    LLVMDisposeMessage(cpu);
    LLVMDisposeMessage(features);
    return ok;
}

bool target_named(const char *text, Target *t)
{
    if (!strcmp(text, "host")) return target_host(t);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        if (strcmp(text, machines[i].name)) continue;
        *t = machines[i].target;
        return true;
    }
    return false;
}

/* "Less" gives the code of "Default" for what is emitted here, in less time; "None" takes a third of that,
 * but its loops are 1.5 to 4 times as slow. */
LLVMTargetMachineRef target_machine(const Target *t, char **error)
{
    LLVMTargetRef llvm;
    if (LLVMGetTargetFromTriple(t->triple, &llvm, error)) return NULL;
    return LLVMCreateTargetMachine(llvm, t->triple, t->cpu, t->features, LLVMCodeGenLevelLess, LLVMRelocPIC,
                                   LLVMCodeModelSmall);
}
