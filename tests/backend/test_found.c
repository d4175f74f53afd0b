/* test_found.c: programs that once went wrong, with the inputs that showed it, run every way that random
 * programs are (graphs.h), for every target that runs here. `weft-fuzz --keep tests/found` adds what it
 * finds; the first line of a file says what was wrong. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdlib.h>
#include "tests/graphs/graphs.h"

static bool is_compiled(Against a)
{
    return a != AGAINST_SIMPLIFIED && a != AGAINST_FUSED && a != AGAINST_TEXT && a != AGAINST_LOOP &&
           a != AGAINST_DERIVED && a != AGAINST_GRADIENT_LOOP;
}

static void try_file(const char *path, bool compiled)
{
    char why[600];
    const char *name = getenv("WEFT_TARGET");
    for (int way = 0; way < AGAINST_COUNT; way++)
        if (is_compiled((Against)way) == compiled)
            cr_expect(graph_case_agrees(path, (Against)way, why, sizeof why), "%s, %s, %s: %s", path,
                      against_text[way], compiled ? name ? name : "host" : "eager", why);
}

static void try_all(bool compiled)
{
    glob_t files;
    cr_assert(glob(WEFT_SOURCE_DIR "/tests/found/*.mlir", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; i++) try_file(files.gl_pathv[i], compiled);
    globfree(&files);
}

Test(found, eager) { try_all(false); }

Test(found, compiled)
{
    for (int i = 0; i < TARGETS; i++) {
        if (!target_runs_here(target_names[i])) continue;
        setenv("WEFT_TARGET", target_names[i], 1);
        try_all(true);
    }
}

/* With a cache so small and pieces so cheap that what can be cut into bands and pieces is. */
Test(found, in_pieces)
{
    unsetenv("WEFT_TARGET");
    random_graphs_cache = 512;
    random_graphs_parallel = 1;
    try_all(true);
}
