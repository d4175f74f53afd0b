/* quota.h: cores' worth of time that control groups leave a process. */
#ifndef WEFT_TEAM_QUOTA_H
#define WEFT_TEAM_QUOTA_H

/* The least of its group and of all groups around it, at least 1, of cgroup v2 and v1; 0: no limit, or none
 * that is known. groups: /proc/self/cgroup; root: /sys/fs/cgroup. */
int quota_of(const char *groups, const char *root);
#endif
