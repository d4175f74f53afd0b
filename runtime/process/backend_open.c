/* backend_open.c: opens the compiler back end. The file is the environment's WEFT_BACKEND; or else the one
 * whose path was compiled in; or else weft/libweft-llvm.so beside the file that this code was loaded from, so
 * that an installed tree can be moved. It is never looked for by the program's name (argv[0]) or in the
 * current folder, and opened only if nobody but root and the user can have changed it (trusted.h). It stays
 * open: code that it made does not need it, but LLVM does not like to be unloaded. */
#define _GNU_SOURCE /* dl_iterate_phdr, getline, fopen's "e" */
#include "backend_open.h"
#include "runtime/memory/environment.h"
#include "runtime/memory/trusted.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const Backend *backend;
static Failure why_not;

/* The one beside the file that the kernel has mapped where this code is. The loader's names will not do:
 * they may be relative, and a static program's is argv[0]. */
static bool path_beside(char *path, size_t size)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (maps && !found && getline(&line, &room, maps) > 0) {
        uintptr_t from, to, here = (uintptr_t)backend_get;
        char *name = strchr(line, '/'), *slash = strrchr(line, '/');
        if (!name || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2) continue;
        if (here < from || here >= to) continue;
        int n = snprintf(path, size, "%.*s/weft/libweft-llvm.so", (int)(slash - name), name);
        found = n > 0 && (size_t)n < size && access(path, F_OK) == 0;
    }
    free(line);
    if (maps) fclose(maps);
    return found;
}

static bool find_neighbour(const char *file, const char *name, char real[PATH_MAX], Failure *f)
{
    char path[PATH_MAX];
    const char *slash = strrchr(file, '/');
    int n = snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - file) + 1 : 0, file, name);
    if (n < 0 || (size_t)n >= sizeof path) return fail(f, WEFT_COMPILER, "%s: the path is too long", file);
    return trusted_path(path, real, f);
}

bool backend_neighbour(const char *name, char real[PATH_MAX], Failure *f)
{
    char beside[PATH_MAX];
    Failure first = { 0 };
    const char *named = environment_text("WEFT_BACKEND");
    if (find_neighbour(named ? named : WEFT_BACKEND_PATH, name, real, &first)) return true;
    if (!named && path_beside(beside, sizeof beside) && find_neighbour(beside, name, real, NULL)) return true;
    return fail(f, first.code, "%s", first.text);
}

/* Sets `backend`, or `why_not`: it is not to be trusted, cannot be loaded, is no back end, or another
 * build's. */
static bool open_file(const char *wanted)
{
    char path[PATH_MAX];
    BackendDoor *door = NULL;
    Failure wrong = { 0 };
    why_not = wrong;
    void *library = trusted_path(wanted, path, &wrong) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library)
        return fail(
            &why_not, WEFT_COMPILER,
            "the compiler back end cannot be opened: %s (it needs LLVM; WEFT_BACKEND may name another "
            "file than %s; eager mode works without)",
            wrong.code ? wrong.text : dlerror(), wanted);
    void *symbol = dlsym(library, BACKEND_DOOR_NAME);
    memcpy(&door, &symbol, sizeof door);
    if (!door)
        return fail(&why_not, WEFT_COMPILER, "%s is no back end of weft: it has no %s", path,
                    BACKEND_DOOR_NAME);
    const Backend *found = door();
    if (strcmp(found->build_id, WEFT_BUILD_ID))
        return fail(&why_not, WEFT_COMPILER,
                    "%s is of another build of weft: %s, but this library is %s; install both from one build",
                    path, found->build_id, WEFT_BUILD_ID);
    backend = found;
    return true;
}

/* Of the program, which is the first that is listed. */
static int note_loader(struct dl_phdr_info *program, size_t size, void *has_loader)
{
    (void)size;
    for (int i = 0; i < program->dlpi_phnum; i++)
        if (program->dlpi_phdr[i].p_type == PT_INTERP) *(bool *)has_loader = true;
    return 1;
}

static void open_once(void)
{
    bool has_loader = false;
    dl_iterate_phdr(note_loader, &has_loader);
    if (!has_loader) { /* libLLVM would bring a second C library, and crash in its constructors */
        fail(&why_not, WEFT_COMPILER,
             "a program linked with -static cannot open the compiler back end: link "
             "libweft.a alone statically (eager mode works as it is)");
        return;
    }
    char beside[PATH_MAX];
    const char *named = environment_text("WEFT_BACKEND");
    if (!open_file(named ? named : WEFT_BACKEND_PATH) && !named && path_beside(beside, sizeof beside))
        open_file(beside);
}

const Backend *backend_get(Failure *f)
{
    pthread_once(&opened, open_once);
    if (!backend) fail(f, why_not.code, "%s", why_not.text);
    return backend;
}
