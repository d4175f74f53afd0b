/* quota.c: see quota.h. What is longer than a line of LINE characters is not looked at. */
#include "quota.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 256 };

/* The numbers that a file begins with; how many. */
static int numbers_in(const char *folder, const char *name, long long of[2])
{
    char path[2 * LINE];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "re");
    int n = f ? fscanf(f, "%lld %lld", &of[0], &of[1]) : 0;
    if (f) fclose(f);
    return n;
}

/* v2: cpu.max, "50000 100000" or "max 100000"; v1: two files, -1 is no limit. */
static int quota_in(const char *folder)
{
    long long of[2], period[2];
    if (numbers_in(folder, "cpu.max", of) != 2) {
        if (numbers_in(folder, "cpu.cfs_quota_us", of) != 1) return 0;
        if (numbers_in(folder, "cpu.cfs_period_us", period) != 1) return 0;
        of[1] = period[0];
    }
    return of[0] > 0 && of[1] > 0 ? (int)((of[0] - 1) / of[1] + 1) : 0;
}

static void take_least(int *most, int n)
{
    if (n && (!*most || n < *most)) *most = n;
}

/* Of a group and those around it. In a container its path may be the host's, which is not to be seen: then
 * the root counts, which is the container's own. */
static void look_up(const char *root, const char *mount, const char *group, int *most)
{
    char folder[2 * LINE];
    int n = snprintf(folder, sizeof folder, "%s%s%s", root, *mount ? "/" : "", mount);
    if (n < 0 || (size_t)n + strlen(group) >= sizeof folder) return;
    strcpy(folder + n, group);
    for (char *slash = folder; slash;) {
        take_least(most, quota_in(folder));
        slash = strrchr(folder + n, '/');
        if (slash) *slash = '\0';
    }
}

static bool is_among(const char *word, const char *list)
{
    size_t length = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += length)
        if ((p == list || p[-1] == ',') && (p[length] == ',' || !p[length])) return true;
    return false;
}

/* A line is "4:cpu,cpuacct:/a/b", of v2 "0::/a/b". */
int quota_of(const char *groups, const char *root)
{
    char line[LINE];
    int most = 0;
    FILE *f = fopen(groups, "re");
    while (f && fgets(line, sizeof line, f)) {
        char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
        if (!group) continue;
        *group++ = '\0';
        names++;
        group[strcspn(group, "\n")] = '\0';
        if (is_among("cpu", names)) look_up(root, names, group, &most);
        if (*names) continue;
        look_up(root, "", group, &most);
        look_up(root, "unified", group, &most);
    }
    if (f) fclose(f);
    return most;
}
