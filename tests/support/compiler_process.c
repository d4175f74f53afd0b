/* compiler_process.c: see compiler_process.h. */
#include "tests/support/compiler_process.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

weft_array *wave(weft_array *x)
{
    for (int i = 0; i < 6; i++) x = weft_add(weft_sin(x), weft_mul(x, 0.5));
    return x;
}

bool agrees(weft_context *ctx, int n)
{
    weft_scope *s = weft_scope_open(ctx);
    weft_array *x = weft_linspace(ctx, -3, 3, n), *a = weft_jit(ctx, wave)(x), *b = wave(x);
    bool same = a && !memcmp(weft_f32(a), weft_f32(b), (size_t)n * sizeof(float));
    weft_scope_close(s);
    return same;
}

weft_context *opened(weft_options o)
{
    o.compile_apart = true;
    o.mode = WEFT_MODE_STRICT;
    weft_context *ctx = weft_open(&o);
    cr_assert(ctx, "%s", weft_error(NULL));
    weft_declare(ctx, wave, weft_unary);
    return ctx;
}

/* The process's state and the ticks of processor time that it has had; false: there is none of this name. */
static bool stat_of(int pid, const char *name, char *state, unsigned long *ticks)
{
    char path[64], found[64];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    int n = fscanf(file, "%*d (%63[^)]) %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu", found, state, ticks);
    fclose(file);
    return n == 3 && !strcmp(found, name);
}

/* Whether it was started for that process. A process that is ending has no arguments any more, so nobody
 * can tell whose it was. */
static bool is_for(int pid, pid_t of, bool or_ending)
{
    char path[64], text[4096] = "";
    snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
    FILE *file = fopen(path, "r");
    if (!file) return false;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    size_t last = n ? n - 1 : 0;
    while (last && text[last - 1]) last--;
    return n ? atoi(text + last) == (int)of : or_ending;
}

pid_t process_for(pid_t of, const char *name, unsigned long *ticks, bool or_ending)
{
    DIR *folder = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *e; !found && (e = readdir(folder));) {
        int pid = atoi(e->d_name);
        char state;
        if (pid && stat_of(pid, name, &state, ticks) && state != 'Z' && is_for(pid, of, or_ending))
            found = pid;
    }
    closedir(folder);
    return found;
}

pid_t compiler(void)
{
    unsigned long ticks;
    return process_for(getpid(), "weft-compile", &ticks, false);
}

void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 }, NULL);
}

pid_t running(void)
{
    pid_t pid = compiler();
    /* the list of processes is read as it changes */
    for (int i = 0; !pid && i < 200; i++, sleep_ms(10)) pid = compiler();
    cr_assert(pid);
    return pid;
}

bool is_gone(pid_t pid)
{
    char state;
    unsigned long ticks;
    return !stat_of(pid, "weft-compile", &state, &ticks) || state == 'Z';
}

bool none_is_left(void)
{
    unsigned long ticks;
    bool any = true;
    for (int i = 0; i < 1000 && any; i++, sleep_ms(5))
        any = process_for(getpid(), "weft-compile", &ticks, true) ||
              process_for(getpid(), "weft-supervise", &ticks, true);
    return !any;
}

bool goes(pid_t pid)
{
    for (int i = 0; i < 1000 && !is_gone(pid); i++) sleep_ms(5);
    return is_gone(pid);
}
