/* whole_file.c: a new file beside the one named gets its name, so that readers see the old one or the new
 * one, whole. Links are followed by ourselves, so that none of a stranger's is. */
#define _GNU_SOURCE /* O_PATH */
#include "whole_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where a file lies: a folder, held open so that it stays the same one, and a name in it. text has both. */
typedef struct FilePlace {
    int folder;
    const char *name;
    char text[PATH_MAX];
} FilePlace;

static bool enter(FilePlace *p)
{
    char *slash = strrchr(p->text, '/');
    if (slash) *slash = '\0';
    const char *folder = slash == p->text ? "/" : slash ? p->text : ".";
    int next = openat(p->folder, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (p->folder >= 0) close(p->folder);
    p->folder = next;
    p->name = slash ? slash + 1 : p->text;
    return next >= 0;
}

static bool is_sticky(const FilePlace *p)
{
    struct stat s;
    return fstat(p->folder, &s) || s.st_mode & S_ISVTX;
}

/* May this link be followed? Not one that a stranger made where all may make files, as in /tmp; Linux has
 * this rule too (fs.protected_symlinks), but only for links that it follows itself. */
static bool is_trusted(const FilePlace *p, const struct stat *link)
{
    struct stat s;
    if (fstat(p->folder, &s)) return false;
    bool shared = s.st_mode & S_ISVTX && s.st_mode & S_IWOTH;
    if (!shared || link->st_uid == geteuid() || link->st_uid == s.st_uid) return true;
    errno = EACCES;
    return false;
}

/* If a link lies there, its text becomes p's: 1. No link, or nothing: 0. Else -1, and errno says why. */
static int read_link(FilePlace *p)
{
    struct stat s;
    char name[NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", NAME_MAX, p->name);
    if (fstatat(p->folder, p->name, &s, AT_SYMLINK_NOFOLLOW)) return errno == ENOENT ? 0 : -1;
    if (!S_ISLNK(s.st_mode)) return 0;
    ssize_t n = is_trusted(p, &s) ? readlinkat(p->folder, name, p->text, sizeof p->text - 1) : -1;
    if (n < 0) return -1;
    p->text[n] = '\0';
    return 1;
}

/* Finds the place that all links lead to, even if there is no file yet. The caller closes p->folder if it
 * is not negative. False: errno says why. */
static bool follow(FilePlace *p, const char *path)
{
    p->folder = AT_FDCWD;
    errno = ENAMETOOLONG;
    if ((size_t)snprintf(p->text, sizeof p->text, "%s", path) >= sizeof p->text) return false;
    for (int links = 0; links <= 40; links++) {
        int more = enter(p) ? read_link(p) : -1;
        if (more <= 0) return more == 0;
    }
    errno = ELOOP;
    return false;
}

/* A new file beside that one; its name goes to name. Negative: errno says why. */
static int open_beside(const FilePlace *p, mode_t mode, char *name, size_t size)
{
    for (unsigned i = 0; i < 1000; i++) {
        if ((size_t)snprintf(name, size, "%s.%u.tmp", p->name, i) >= size) return errno = ENAMETOOLONG, -1;
        int fd = openat(p->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

/* Gives the new file the owner, group and permissions of the old one, without the set-user-id and
 * set-group-id bits. False: the system does not allow it. */
static bool take_after(int fd, const struct stat *old)
{
    struct stat s;
    if (fstat(fd, &s)) return false;
    bool same = s.st_uid == old->st_uid && s.st_gid == old->st_gid;
    if (!same && fchown(fd, old->st_uid, old->st_gid)) return false;
    return !fchmod(fd, old->st_mode & 0777);
}

/* May another file get the name of this one? Not if the path is no name in a folder (/proc/self/fd/3). In a
 * folder that strangers share, only if the file is ours. */
static bool is_replaceable(const FilePlace *p, const struct stat *old)
{
    struct stat s;
    if (!S_ISREG(old->st_mode) || fstatat(p->folder, p->name, &s, AT_SYMLINK_NOFOLLOW)) return false;
    if (s.st_dev != old->st_dev || s.st_ino != old->st_ino) return false;
    return s.st_uid == geteuid() || !is_sticky(p);
}

static bool write_and_close(FILE *file, FileWriter *write, const void *what)
{
    bool good = file && write(file, what);
    return (!file || !fclose(file)) && good;
}

/* Writes a new file beside the old one, then gives it the name: a reader sees the old one or the new one,
 * whole. The new file is ours alone until it has the rights of the old one (NULL: there is none).
 * *in_place: it cannot have them, and nothing is done. */
static bool replace(const FilePlace *p, const struct stat *old, FileWriter *write, const void *what,
                    bool *in_place)
{
    char name[NAME_MAX + 1];
    int fd = open_beside(p, old ? 0600 : 0666, name, sizeof name);
    if (fd < 0) return false;
    *in_place = old && !take_after(fd, old);
    FILE *file = *in_place ? NULL : fdopen(fd, "wb");
    if (!file) close(fd);
    bool good = file && write_and_close(file, write, what) && !renameat(p->folder, name, p->folder, p->name);
    int why = errno;
    if (!good) unlinkat(p->folder, name, 0);
    errno = why;
    return good;
}

/* The same by the file's path. Not inlined: its place takes half of what a small stack has, which a file that
 * is written in place needs no more. */
__attribute__((noinline)) static bool replace_at(const char *path, const struct stat *old, FileWriter *write,
                                                 const void *what, bool *in_place)
{
    FilePlace p;
    bool good = follow(&p, path);
    *in_place = old && !(good && is_replaceable(&p, old));
    if (good && !*in_place) good = replace(&p, old, write, what, in_place);
    int why = errno;
    if (p.folder >= 0) close(p.folder);
    errno = why;
    return good;
}

/* A file that the user could not open for writing is not replaced either. What is no plain file
 * (/dev/stdout, a pipe), or could not keep its owner, is written in place. */
bool file_write(const char *path, FileWriter *write, const void *what)
{
    struct stat s;
    bool there = !stat(path, &s), in_place;
    if (!there && errno != ENOENT) return false; /* a link that the system does not follow, too */
    if (there && S_ISREG(s.st_mode) && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS)) return false;
    bool good = replace_at(path, there ? &s : NULL, write, what, &in_place);
    return in_place ? write_and_close(fopen(path, "wb"), write, what) : good;
}
