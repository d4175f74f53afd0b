/* test_perf.c: what WEFT_PERF shows of compiled code: the map's addresses lie in executable pages and have
 * the kernels' names, the dump holds the code that is there, neither file is written through a link. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "weft.h"

enum { MAX_SHOWN = 16 };
typedef struct Shown {
    size_t at, bytes;
    char name[256];
} Shown;
static char map_path[64], dump_path[64];

static void remove_files(void)
{
    unlink(map_path);
    unlink(dump_path);
}

static void set_up(void)
{
    snprintf(map_path, sizeof map_path, "/tmp/perf-%d.map", (int)getpid());
    snprintf(dump_path, sizeof dump_path, "/tmp/jit-%d.dump", (int)getpid());
    remove_files();
}

TestSuite(perf, .init = set_up, .fini = remove_files);

static weft_array *sinus_sum(weft_array *x)
{
    return weft_add(weft_sum(weft_sin(x), .axes = "0", .keep = true), x);
}

static weft_array *peaks(weft_array *x) { return weft_cummax(weft_cumsum(x, 0), 0); }

/* A context that is left open: its code stays where it is. */
static weft_context *context_with(const char *value)
{
    if (value) setenv("WEFT_PERF", value, 1);
    else unsetenv("WEFT_PERF");
    return weft_open(NULL);
}

static void compile_with(const char *value)
{
    weft_context *ctx = context_with(value);
    weft_declare(ctx, sinus_sum, weft_unary);
    weft_jit(ctx, sinus_sum)(weft_zeros(ctx, WEFT_F32, 5000));
    cr_assert_null(weft_error(ctx), "%s", weft_error(ctx));
}

static bool is_executable(size_t at, size_t bytes)
{
    char line[512], rights[5];
    size_t from, to;
    bool inside = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%zx-%zx %4s", &from, &to, rights) == 3 && from <= at && at + bytes <= to)
            inside = !strcmp(rights, "r-xp");
    fclose(maps);
    return inside;
}

static int read_map(Shown *shown)
{
    int n = 0;
    FILE *map = fopen(map_path, "r");
    cr_assert(map);
    while (n < MAX_SHOWN &&
           fscanf(map, "%zx %zx %255[^\n]", &shown[n].at, &shown[n].bytes, shown[n].name) == 3)
        n++;
    fclose(map);
    return n;
}

static int named(const Shown *shown, int n, const char *part)
{
    int found = 0;
    for (int i = 0; i < n; i++) found += strstr(shown[i].name, part) != NULL;
    return found;
}

static bool is_private(const char *path)
{
    struct stat is;
    return !lstat(path, &is) && S_ISREG(is.st_mode) && (is.st_mode & 0777) == 0600;
}

Test(perf, the_map_names_the_kernels)
{
    Shown shown[MAX_SHOWN];
    compile_with("1");
    int n = read_map(shown);
    cr_assert(n >= 2 && n < MAX_SHOWN, "%d", n);
    for (int i = 0; i < n; i++) {
        cr_assert(shown[i].bytes && is_executable(shown[i].at, shown[i].bytes), "%s", shown[i].name);
        cr_assert(strstr(shown[i].name, "jit(sinus_sum).") == shown[i].name, "%s", shown[i].name);
    }
    cr_assert_eq(named(shown, n, ":weft_entry"), 1);
    cr_assert_eq(named(shown, n, ":k0_"), 1);
    cr_assert(is_private(map_path) && is_private(dump_path));
    compile_with("1");
    cr_assert_eq(read_map(shown), 2 * n);
}

/* Small kernels that follow each other are one function. */
Test(perf, joined_kernels_are_named_by_the_first_and_the_last)
{
    Shown shown[MAX_SHOWN];
    weft_context *ctx = context_with("1");
    weft_declare(ctx, peaks, weft_unary);
    weft_jit(ctx, peaks)(weft_zeros(ctx, WEFT_F32, 5000));
    cr_assert_eq(named(shown, read_map(shown), ":k0_cumulative_5000..k1_cumulative_5000"), 1);
}

typedef struct Record {
    uint32_t kind, bytes;
    uint64_t time;
    uint32_t pid, thread;
    uint64_t address, code_address, code_bytes, number;
} Record;

Test(perf, the_dump_holds_the_code)
{
    Shown shown[MAX_SHOWN];
    uint32_t header[10];
    char rest[1 << 16];
    Record r;
    compile_with("1");
    compile_with("1");
    int n = read_map(shown), i = 0;
    FILE *dump = fopen(dump_path, "r");
    cr_assert(dump && fread(header, sizeof header, 1, dump));
    cr_assert(header[0] == 0x4a695444 && header[1] == 1 && header[2] == sizeof header);
    cr_assert_eq(header[5], (uint32_t)getpid());
    for (; fread(&r, sizeof r, 1, dump); i++) {
        size_t name = strlen(shown[i].name) + 1;
        cr_assert(i < n && r.kind == 0 && r.pid == (uint32_t)getpid() && r.number == (uint64_t)i);
        cr_assert(r.address == shown[i].at && r.code_bytes == shown[i].bytes);
        cr_assert(r.bytes == sizeof r + name + r.code_bytes && r.bytes - sizeof r <= sizeof rest);
        cr_assert(fread(rest, r.bytes - sizeof r, 1, dump));
        cr_assert_str_eq(rest, shown[i].name);
        cr_assert(!memcmp(rest + name, (const void *)(uintptr_t)r.address, r.code_bytes));
    }
    cr_assert_eq(i, n);
    fclose(dump);
    cr_assert(is_private(dump_path));
}

Test(perf, is_off_unless_asked_for)
{
    compile_with(NULL);
    compile_with("");
    compile_with("0");
    cr_assert(access(map_path, F_OK) && access(dump_path, F_OK));
}

Test(perf, writes_through_no_link)
{
    char target[64];
    struct stat is;
    snprintf(target, sizeof target, "/tmp/perf-target-%d", (int)getpid());
    int fd = open(target, O_CREAT | O_EXCL | O_WRONLY, 0600);
    cr_assert(fd >= 0 && !symlink(target, map_path) && !symlink(target, dump_path));
    close(fd);
    compile_with("1");
    cr_assert(!lstat(map_path, &is) && S_ISLNK(is.st_mode));
    cr_assert(is_private(dump_path));
    cr_assert(!stat(target, &is) && is.st_size == 0);
    unlink(map_path);
    cr_assert(!link(target, map_path));
    compile_with("1");
    cr_assert(!stat(target, &is) && is.st_size == 0);
    unlink(target);
}
