/* test_trusted.c: which files code is taken from, and when the environment counts. What belongs to whom is
 * tried as root and, rights given up, as another user. */
#define _GNU_SOURCE
#include "runtime/memory/environment.h"
#include "runtime/memory/trusted.h"
#include <criterion/criterion.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USER = 1000, OTHER = 1001 };

static void become(uid_t user, gid_t group)
{
    cr_assert(setgroups(0, NULL) == 0 && setresgid(group, group, group) == 0);
    cr_assert_eq(setresuid(user, user, user), 0);
    prctl(PR_SET_DUMPABLE, 1); /* for the leak checker */
}

/* DIR/folder/file: which of the two says no, to whom. */
typedef struct Owned {
    uid_t user;
    gid_t group;
    mode_t mode;
} Owned;
enum { NOBODY = 0, ROOT = 1, ANY_USER = 2, BOTH = 3 };
static const struct {
    Owned folder, file;
    int refused;
    const char *part;
} cases[] = {
    { { 0, 0, 0755 }, { 0, 0, 0644 }, NOBODY, NULL },
    { { 0, 0, 0700 }, { 0, 0, 0600 }, ANY_USER, "Permission denied" },
    { { 0, 0, 0755 }, { 0, 0, 0664 }, BOTH, "/file belongs to user 0, group 0, with mode 0664" },
    { { 0, 0, 0755 }, { 0, 0, 0646 }, BOTH, "/file belongs to user 0, group 0, with mode 0646" },
    { { 0, 0, 0775 }, { 0, 0, 0644 }, BOTH, "/folder belongs to user 0, group 0, with mode 0775" },
    { { 0, 0, 0757 }, { 0, 0, 0644 }, BOTH, "/folder belongs to user 0, group 0, with mode 0757" },
    { { 0, 0, 01777 }, { 0, 0, 0644 }, NOBODY, NULL }, /* sticky, as /tmp */
    { { 0, 0, 01777 }, { 0, 0, 0666 }, BOTH, "/file belongs to user 0" },
    { { 0, 0, 01777 }, { OTHER, OTHER, 0644 }, BOTH, "/file belongs to user 1001, group 1001, with" },
    { { OTHER, 0, 01777 }, { 0, 0, 0644 }, BOTH, "/folder belongs to user 1001" },
    { { OTHER, OTHER, 0755 }, { 0, 0, 0644 }, BOTH, "/folder belongs to user 1001, group 1001, with" },
    { { USER, USER, 0755 }, { USER, USER, 0644 }, ROOT, "/folder belongs to user 1000" },
    { { USER, USER, 0775 },
      { USER, USER, 0644 },
      BOTH,
      "/folder belongs to user 1000, group 1000, with mode 0775" },
    /* the user's own group: others may be in it */
    { { USER, USER, 0755 }, { USER, USER, 0664 }, BOTH, NULL },
    { { USER, OTHER, 0775 }, { USER, USER, 0644 }, BOTH, "/folder belongs to user 1000, group 1001, with" },
    { { USER, USER, 0755 }, { USER, 0, 0664 }, BOTH, NULL },
    { { USER, USER, 0755 }, { USER, USER, 0666 }, BOTH, NULL },
    { { 0, USER, 0775 }, { USER, USER, 0644 }, BOTH, "/folder belongs to user 0, group 1000, with" },
};

static void own(const char *path, Owned o)
{
    cr_assert(chown(path, o.user, o.group) == 0 && chmod(path, o.mode) == 0);
}

/* Says so if the answer is not as expected. In a process of its own, where Criterion does not listen. */
static bool try_path(const char *dir, size_t i, bool refused)
{
    char path[PATH_MAX], file[PATH_MAX], real[PATH_MAX];
    Failure f = { 0 };
    snprintf(path, sizeof path, "%s/link/../folder//file", dir);
    snprintf(file, sizeof file, "%s/folder/file", dir);
    bool trusted = trusted_path(path, real, &f), good = trusted != refused;
    if (trusted) good = good && !strcmp(real, file);
    else good = good && f.code == WEFT_COMPILER && (!cases[i].part || strstr(f.text, cases[i].part));
    const char *answer = trusted ? "trusted" : "refused";
    if (!good) fprintf(stderr, "case %zu as user %d: %s: %s\n", i, (int)getuid(), answer, f.text);
    return good;
}

static void try_all(uid_t user, int bit)
{
    char dir[] = "/tmp/weft-trusted-XXXXXX", folder[64], file[64], link[64];
    cr_assert_not_null(mkdtemp(dir));
    cr_assert_eq(chmod(dir, 0755), 0);
    snprintf(folder, sizeof folder, "%s/folder", dir);
    snprintf(file, sizeof file, "%s/folder/file", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    cr_assert(mkdir(folder, 0700) == 0 && symlink("folder", link) == 0);
    fclose(fopen(file, "w"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        own(folder, cases[i].folder);
        own(file, cases[i].file);
        pid_t child = fork();
        if (child == 0) {
            if (user) become(user, user);
            _exit(!try_path(dir, i, cases[i].refused & bit));
        }
        int status;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_expect_eq(status, 0, "case %zu", i);
    }
    unlink(file), unlink(link), rmdir(folder), rmdir(dir);
}

Test(trusted, by_owner_and_mode)
{
    if (getuid()) cr_skip_test("only root can give files away");
    try_all(0, ROOT);
    try_all(USER, ANY_USER);
}

Test(trusted, what_is_no_file)
{
    char real[PATH_MAX];
    static const char *const paths[][2] = {
        { "weft.so", "weft.so is no absolute path" },
        { "./weft", "./weft is no absolute path" },
        { "", "is no absolute path" },
        { "/nonexistent/x.so", "/nonexistent/x.so: No such file" },
        { "/etc/passwd/x.so", "/etc/passwd/x.so: Not a directory" },
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        Failure f = { 0 };
        cr_expect(!trusted_path(paths[i][0], real, &f));
        cr_expect(strstr(f.text, paths[i][1]), "%s", f.text);
    }
    cr_expect(trusted_path("/", real, NULL));
}

Test(trusted, the_environment)
{
    setenv("WEFT_TEST", "yes", 1);
    cr_expect_str_eq(environment_text("WEFT_TEST"), "yes");
    setenv("WEFT_TEST", "", 1);
    cr_expect_null(environment_text("WEFT_TEST"));
    unsetenv("WEFT_TEST");
    cr_expect_null(environment_text("WEFT_TEST"));
}

/* Rights that are given up for a while, and capabilities that are kept: the environment does not count, and
 * root's files alone are trusted. */
Test(trusted, a_user_who_may_more)
{
    if (getuid()) cr_skip_test("only root can give up rights");
    setenv("WEFT_TEST", "yes", 1);
    cr_assert_eq(seteuid(USER), 0);
    cr_expect_null(environment_text("WEFT_TEST"));
    cr_assert_eq(seteuid(0), 0);
    cr_expect_not_null(environment_text("WEFT_TEST"));
    cr_assert_eq(setegid(USER), 0);
    cr_expect_null(environment_text("WEFT_TEST"));
    cr_assert_eq(setegid(0), 0);

    char file[] = "/tmp/weft-trusted-XXXXXX", real[PATH_MAX];
    close(mkstemp(file));
    cr_assert(chown(file, USER, USER) == 0 && prctl(PR_SET_KEEPCAPS, 1) == 0);
    become(USER, USER);
    Failure f = { 0 };
    cr_expect_null(environment_text("WEFT_TEST"));
    cr_expect(!trusted_path(file, real, &f));
    cr_expect(strstr(f.text, "must belong to root and be writable by nobody else"), "%s", f.text);
    unlink(file);
}

Test(trusted, a_user_who_was_root)
{
    if (getuid()) cr_skip_test("only root can become another user");
    setenv("WEFT_TEST", "yes", 1);
    become(USER, USER);
    cr_expect_str_eq(environment_text("WEFT_TEST"), "yes");
}
