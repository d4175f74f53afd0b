/* backend.c: opens the compiler back end. The file is the environment's WEFT_BACKEND, or else the one that the build put beside this library.
 * It stays open: code that it made does not need it, but LLVM does not like to be unloaded. */
#include "backend.h"
#include "compile.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t opened = PTHREAD_ONCE_INIT;
static const Backend *backend;
static Failure why_not;

static const char *library_path(void)
{
    const char *path = getenv("WEFT_BACKEND");
    return path && *path ? path : WEFT_BACKEND_PATH;
}

static void open_once(void)
{
    const char *path = library_path();
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
