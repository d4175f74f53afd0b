/* environment.c: see environment.h. */
#define _GNU_SOURCE                 /* secure_getenv, getresuid */
#include "environment.h"
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Asked apart: ambient capabilities reach a program without AT_SECURE. If the kernel does not answer, they are there. */
static bool has_capabilities(void)
{
    struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };
    return syscall(SYS_capget, &header, data) || data[0].permitted || data[1].permitted;
}

bool environment_counts(void)
{
    uid_t user, effective_user, saved_user;
    gid_t group, effective_group, saved_group;
    if (getauxval(AT_SECURE) || getresuid(&user, &effective_user, &saved_user) || getresgid(&group, &effective_group, &saved_group)) return false;
    return user == effective_user && user == saved_user && group == effective_group && group == saved_group &&
           (user == 0 || !has_capabilities());
}

const char *environment_text(const char *variable)
{
    const char *text = environment_counts() ? secure_getenv(variable) : NULL;
    return text && *text ? text : NULL;
}
