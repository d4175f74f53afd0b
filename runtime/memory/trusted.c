/* trusted.c: see trusted.h.
 *
 * If nobody else may write a file or any folder above it, it stays what it was when it was looked at. So all
 * of them are looked at, from / downwards, and the path can be used afterwards without a race. Owners can
 * always write. A sticky folder may be open to all: only an entry's owner replaces it there. */
#include "trusted.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "environment.h"

/* A group with its user's number may have other members. Access lists show in the group's bits. */
static bool others_may_write(const struct stat *s)
{
    bool sticky = S_ISDIR(s->st_mode) && s->st_mode & S_ISVTX;
    return !sticky && s->st_mode & (S_IWGRP | S_IWOTH);
}

static bool is_trusted(const char *path, uid_t user, Failure *f)
{
    struct stat s;
    if (lstat(path, &s)) return fail(f, WEFT_COMPILER, "%s: %s", path, strerror(errno));
    if ((s.st_uid == 0 || s.st_uid == user) && !others_may_write(&s)) return true;
    char allowed[32] = "";
    if (user) snprintf(allowed, sizeof allowed, " or user %u", (unsigned)user);
    return fail(
        f, WEFT_COMPILER,
        "%s belongs to user %u, group %u, with mode %04o: a file whose code is "
        "run, and each folder above it, must belong to root%s and be writable by nobody else (chmod go-w)",
        path, (unsigned)s.st_uid, (unsigned)s.st_gid, (unsigned)s.st_mode & 07777, allowed);
}

bool trusted_path(const char *path, char real[PATH_MAX], Failure *f)
{
    uid_t user = environment_counts() ? geteuid() : 0;
    if (*path != '/') return fail(f, WEFT_COMPILER, "%s is no absolute path", path);
    if (!realpath(path, real)) return fail(f, WEFT_COMPILER, "%s: %s", path, strerror(errno));
    bool good = is_trusted("/", user, f);
    for (char *slash = real; good && slash;) {
        slash = strchr(slash + 1, '/');
        if (slash) *slash = '\0';
        good = is_trusted(real, user, f);
        if (slash) *slash = '/';
    }
    return good;
}
