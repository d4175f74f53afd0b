/* backend.c: opens the compiler back end. The file is the environment's WEFT_BACKEND; or else weft/libweft-llvm.so beside the file that this code was loaded from,
 * so that an installed tree can be moved; or else, where that is no file, the path that was compiled in.
 * It stays open: code that it made does not need it, but LLVM does not like to be unloaded. */
#define _GNU_SOURCE                 /* dladdr */
#include "backend.h"
#include "compile.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const Backend *backend;
static Failure why_not;

/* Linked statically, this code was loaded from the program's own file. */
static bool path_beside(char *path, size_t size)
{
    Dl_info here;
    if (!dladdr(&opened, &here) || !here.dli_fname) return false;
    const char *slash = strrchr(here.dli_fname, '/');
    int folder = slash ? (int)(slash - here.dli_fname) + 1 : 0;
    int n = snprintf(path, size, "%.*sweft/libweft-llvm.so", folder, here.dli_fname);
    return slash && n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

static const char *library_path(char *buffer, size_t size)
{
    const char *path = getenv("WEFT_BACKEND");
    return path && *path ? path : path_beside(buffer, size) ? buffer : WEFT_BACKEND_PATH;
}

static void open_once(void)
{
    char buffer[PATH_MAX];
    const char *path = library_path(buffer, sizeof buffer);
    BackendDoor *door = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fail(&why_not, WEFT_COMPILER, "the compiler back end cannot be opened: %s (it needs LLVM; WEFT_BACKEND may name another file than %s; "
             "eager mode works without)", dlerror(), path);
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
