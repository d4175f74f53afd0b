/* backend.c: opens the compiler back end. The file is the environment's WEFT_BACKEND; or else the one whose path was compiled in; or else, where that is no file,
 * weft/libweft-llvm.so beside the file that this code was loaded from, so that an installed tree can be moved. Never is it looked for by the program's name
 * (argv[0]) or in the current folder, and it is opened only if nobody but root and the user can have changed it (trusted.h).
 * It stays open: code that it made does not need it, but LLVM does not like to be unloaded. */
#define _GNU_SOURCE                 /* getline, fopen's "e" */
#include "backend.h"
#include "compile.h"
#include "environment.h"
#include "trusted.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const Backend *backend;
static Failure why_not;

/* Of the file that the kernel has mapped where this code is. The loader's names will not do: they may be relative, and a static program's is argv[0]. */
static bool path_beside(char *path, size_t size)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (maps && !found && getline(&line, &room, maps) > 0) {
        uintptr_t from, to, here = (uintptr_t)backend_get;
        char *name = strchr(line, '/'), *slash = strrchr(line, '/');
        if (!name || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &to) != 2 || here < from || here >= to) continue;
        int n = snprintf(path, size, "%.*s/weft/libweft-llvm.so", (int)(slash - name), name);
        found = n > 0 && (size_t)n < size && access(path, F_OK) == 0;
    }
    free(line);
    if (maps) fclose(maps);
    return found;
}

static const char *library_path(char *buffer, size_t size)
{
    const char *path = environment_text("WEFT_BACKEND");
    if (path) return path;
    return access(WEFT_BACKEND_PATH, F_OK) != 0 && path_beside(buffer, size) ? buffer : WEFT_BACKEND_PATH;
}

static void open_once(void)
{
    char buffer[PATH_MAX], path[PATH_MAX];
    const char *wanted = library_path(buffer, sizeof buffer);
    BackendDoor *door = NULL;
    Failure wrong = { 0 };
    void *library = trusted_path(wanted, path, &wrong) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fail(&why_not, WEFT_COMPILER, "the compiler back end cannot be opened: %s (it needs LLVM; WEFT_BACKEND may name another file than %s; "
             "eager mode works without)", wrong.code ? wrong.text : dlerror(), wanted);
        return;
    }
    void *symbol = dlsym(library, BACKEND_DOOR_NAME);
    memcpy(&door, &symbol, sizeof door);
    if (!door) {
        fail(&why_not, WEFT_COMPILER, "%s is no back end of weft: it has no %s", path, BACKEND_DOOR_NAME);
        return;
    }
    const Backend *found = door();
    if (strcmp(found->build_id, WEFT_BUILD_ID))
        fail(&why_not, WEFT_COMPILER, "%s is of another build of weft: %s, but this library is %s; install both from one build", path,
             found->build_id, WEFT_BUILD_ID);
    else backend = found;
}

const Backend *backend_get(Failure *f)
{
    pthread_once(&opened, open_once);
    if (!backend) fail(f, why_not.code, "%s", why_not.text);
    return backend;
}

bool backend_open(Failure *f)
{
    return backend_get(f) != NULL;
}

bool compile_target(const char *text, Target *t, Failure *f)
{
    const Backend *b = backend_get(f);
    if (!b) return false;
    if (b->target(text, t)) return true;
    return fail(f, WEFT_ARGUMENT, "no target \"%s\": there are host, avx512, avx2, sse2 and aarch64", text);
}
