/* environment.c: see environment.h. */
#define _GNU_SOURCE /* secure_getenv, getresuid */
#include "environment.h"
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Asked apart: ambient capabilities reach a program without AT_SECURE. No answer is taken for a yes. */
static bool has_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
    return syscall(SYS_capget, &header, data) || data[0].permitted || data[1].permitted;
}

bool environment_counts(void)
{
    uid_t user, user_now, user_saved;
    gid_t group, group_now, group_saved;
    if (getresuid(&user, &user_now, &user_saved) || getresgid(&group, &group_now, &group_saved)) return false;
    if (user != user_now || user != user_saved || group != group_now || group != group_saved) return false;
    return !getauxval(AT_SECURE) && (user == 0 || !has_capabilities());
}

const char *environment_text(const char *variable)
{
    const char *text = environment_counts() ? secure_getenv(variable) : NULL;
    return text && *text ? text : NULL;
}
