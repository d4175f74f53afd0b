/* drive.c: a target without libFuzzer: `target [--mutants N] [--seed S] FILE|FOLDER...` runs each file, each
 * section of it that a line `// -----` ends, and then N mutants of them. The same seed gives the same
 * mutants. What was running when the process dies is written to a file, and the file's name said. */
#include <fcntl.h>
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "target.h"

enum { MOST_FILES = 4096, MOST_BYTES = 1 << 16, MOST_SEED_BYTES = 1 << 13 };
static const char cut[] = "// -----", left_behind[] = "hostile-input";

typedef struct Input {
    uint8_t *bytes;
    size_t n;
} Input;
static Input inputs[MOST_FILES];
static size_t n_inputs;
static Input running;
static uint64_t state = 1;

#pragma GCC diagnostic ignored "-Wpedantic" /* weak: a target may have none, a process no sanitizer */
extern __attribute__((weak)) size_t LLVMFuzzerCustomMutator(uint8_t *, size_t, size_t, unsigned);
extern __attribute__((weak)) void __sanitizer_set_death_callback(void (*)(void));

static void keep_running(void)
{
    int fd = open(left_behind, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0 && write(fd, running.bytes, running.n) == (ssize_t)running.n)
        dprintf(2, "the input is kept in ./%s\n", left_behind);
    if (fd >= 0) close(fd);
}

static void on_signal(int number)
{
    signal(number, SIG_DFL);
    keep_running();
    raise(number);
}

static size_t below(size_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(state >> 33) % n : 0;
}

/* Bits, bytes and runs of bytes, as any fuzzer does. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size)
{
    size_t at = below(size + 1), from = below(size + 1), n = 1 + below(size > 16 ? 16 : size + 1);
    switch (below(4)) {
    case 0:
        if (at < size) data[at] ^= (uint8_t)(1 << below(8));
        return size;
    case 1:
        if (at < size) data[at] = (uint8_t)below(256);
        return size;
    case 2:
        if (n > size - at) n = size - at;
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    default:
        if (n > size - from) n = size - from;
        if (size + n > max_size) return size;
        memmove(data + at + n, data + at, size - at);
        memmove(data + at, data + (from < at ? from : from + n), n);
        return size + n;
    }
}

static void run(const uint8_t *bytes, size_t n)
{
    running = (Input){ (uint8_t *)bytes, n };
    LLVMFuzzerTestOneInput(bytes, n);
}

static void add_input(const char *bytes, size_t n)
{
    if (n_inputs == MOST_FILES) return;
    Input *to = &inputs[n_inputs++];
    *to = (Input){ malloc(n + 1), n };
    memcpy(to->bytes, bytes, n);
}

static void add_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = file && fseek(file, 0, SEEK_END) == 0 ? calloc((size_t)ftell(file) + 1, 1) : NULL;
    if (!text) {
        perror(path);
        exit(2);
    }
    size_t n = (size_t)ftell(file);
    rewind(file);
    n = fread(text, 1, n, file);
    fclose(file);
    for (char *start = text, *end;; start = end + strlen(cut)) {
        end = strstr(start, cut);
        add_input(start, (size_t)((end ? end : text + n) - start));
        if (!end) break;
    }
    free(text);
}

static int is_visible(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void add_path(const char *path)
{
    struct dirent **entries;
    int n = scandir(path, &entries, is_visible, alphasort);
    if (n < 0) add_file(path);
    for (int i = 0; i < n; i++) {
        char inside[4096];
        snprintf(inside, sizeof inside, "%s/%s", path, entries[i]->d_name);
        add_path(inside);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

static void run_mutant(void)
{
    static uint8_t mutant[MOST_BYTES];
    Input from = inputs[below(n_inputs)];
    size_t n = from.n;
    if (n > MOST_SEED_BYTES) return;
    memcpy(mutant, from.bytes, n);
    for (size_t times = 1 + below(3); times > 0; times--)
        n = LLVMFuzzerCustomMutator
                ? LLVMFuzzerCustomMutator(mutant, n, MOST_BYTES, (unsigned)below(UINT32_MAX))
                : LLVMFuzzerMutate(mutant, n, MOST_BYTES);
    uint8_t *exact = malloc(n + 1);
    memcpy(exact, mutant, n);
    run(exact, n);
    free(exact);
}

int main(int argc, char **argv)
{
    static const int deadly[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL };
    unsigned long mutants = 0;
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++) signal(deadly[i], on_signal);
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_running);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--mutants") && i + 1 < argc) mutants = strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc) state = strtoul(argv[++i], NULL, 10);
        else add_path(argv[i]);
    }
    for (size_t i = 0; i < n_inputs; i++) run(inputs[i].bytes, inputs[i].n);
    for (unsigned long i = 0; i < mutants && n_inputs > 0; i++) run_mutant();
    printf("%zu inputs, %lu mutants of them\n", n_inputs, mutants);
    for (size_t i = 0; i < n_inputs; i++) free(inputs[i].bytes);
    return n_inputs > 0 ? 0 : 2;
}
