/* test_team.c: the team by itself: every piece runs once, whoever is there to run it. */
#define _GNU_SOURCE /* sched_setaffinity */
#include "runtime/team/quota.h"
#include "runtime/team/team.h"
#include <criterion/criterion.h>
#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- loops that look at how they are run ---- */

enum { LOCAL_BYTES = 64, MANY = 500000 };

typedef struct Looker {
    _Atomic unsigned char *runs; /* by piece */
    _Atomic int wrong;
} Looker;

/* LOCAL memory is one thread's at a time: its first byte says that somebody is in it. */
static void look(const void *frame, int64_t piece, void *local)
{
    Looker *l = *(Looker *const *)frame;
    _Atomic unsigned char *taken = local;
    if (atomic_exchange(taken, 1)) atomic_fetch_add(&l->wrong, 1);
    atomic_fetch_add(&l->runs[piece], 1);
    atomic_store(taken, 0);
}

static void run(const Workers *w, int64_t pieces, int64_t cost)
{
    char *local = calloc((size_t)w->most, LOCAL_BYTES);
    Looker l = { .runs = calloc((size_t)pieces + 1, 1) }, *frame = &l;
    w->run(w, look, &frame, local, &(ParallelLoop){ pieces, LOCAL_BYTES, cost });
    for (int64_t i = 0; i < pieces; i++)
        cr_assert_eq(l.runs[i], 1, "%d threads: piece %ld of %ld ran %d times", (int)w->most, (long)i,
                     (long)pieces, l.runs[i]);
    cr_assert_eq(l.wrong, 0, "two threads shared their LOCAL memory");
    free((void *)l.runs);
    free(local);
}

static void nothing(const void *frame, int64_t piece, void *local) { (void)frame, (void)piece, (void)local; }

static const int threads[] = { 2, 3, 7, 64 };
enum { N_THREADS = sizeof threads / sizeof *threads };

Test(team, runs_each_piece_once)
{
    static const int64_t pieces[] = { 1, 2, 3, 10, 1000, 65535, 65536, 200001 };
    for (int t = 0; t < N_THREADS; t++) {
        Team *team = team_open(threads[t], NULL, NULL);
        Workers all = team_workers(team, 0), few = team_workers(team, 2), alone = team_workers(team, 1);
        cr_assert_eq(all.most, threads[t]);
        cr_assert_eq(few.most, 2);
        cr_assert_eq(alone.most, 1);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            run(&all, pieces[i], 1000000);
            run(&few, pieces[i], 1000);
            run(&alone, pieces[i], 1000000);
        }
        team_close(team);
    }
    team_close(NULL);
}

static int threads_here(void)
{
    int n = 0;
    DIR *tasks = opendir("/proc/self/task");
    cr_assert(tasks);
    for (struct dirent *e; (e = readdir(tasks));) n += e->d_name[0] != '.';
    closedir(tasks);
    return n;
}

/* A million loops in all leave no memory and no thread behind. */
Test(team, many_loops)
{
    size_t bytes = mallinfo2().uordblks;
    int before = threads_here();
    for (int t = 0; t < 2; t++) {
        Team *team = team_open(threads[t], NULL, NULL);
        Workers w = team_workers(team, 0);
        char local[3 * LOCAL_BYTES];
        for (int i = 0; i < MANY; i++) w.run(&w, nothing, NULL, local, &(ParallelLoop){ 8, LOCAL_BYTES, 1 });
        cr_expect_leq(threads_here(), before + threads[t] - 1);
        team_close(team);
    }
    cr_expect_eq(threads_here(), before);
    cr_expect_lt(mallinfo2().uordblks, bytes + 16384);
}

/* A thread that slept is woken for what is worth it, and not waited for. */
Test(team, sleeps_between_loops)
{
    Team *team = team_open(3, NULL, NULL);
    Workers w = team_workers(team, 0);
    for (int i = 0; i < 20; i++) {
        run(&w, 100, i % 2 ? 1000000 : 1);
        usleep(2000);
    }
    team_close(team);
}

/* ---- several callers ---- */

static void *call_often(void *p)
{
    for (int i = 0; i < 500; i++) run(p, 50, 1000000);
    return NULL;
}

Test(team, callers_share_it)
{
    Team *team = team_open(4, NULL, NULL);
    Workers w = team_workers(team, 0);
    pthread_t caller[8];
    for (int i = 0; i < 8; i++) cr_assert_eq(pthread_create(&caller[i], NULL, call_often, &w), 0);
    for (int i = 0; i < 8; i++) pthread_join(caller[i], NULL);
    team_close(team);
}

Test(team, a_forked_child_has_a_new_one)
{
    Team *team = team_open(3, NULL, NULL);
    Workers w = team_workers(team, 0);
    run(&w, 100, 1000000);
    pid_t child = fork();
    if (child == 0) {
        team_forked(team);
        for (int i = 0; i < 100; i++) run(&w, 100, 1000000);
        team_close(team);
        _exit(0);
    }
    int status;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    run(&w, 100, 1000000);
    team_close(team);
}

/* ---- cores that go away ---- */

static void stay_on_one_core(void)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    cr_assert_geq(sched_getcpu(), 0);
    CPU_SET((size_t)sched_getcpu(), &set);
    cr_assert_eq(sched_setaffinity(0, sizeof set, &set), 0);
}

/* The caller's core is all that is left, once before the threads start and once when they have: loops end all
 * the same. */
Test(team, cores_are_taken_away)
{
    Team *before = team_open(4, NULL, NULL), *after = team_open(4, NULL, NULL);
    Workers started = team_workers(before, 0), late = team_workers(after, 0);
    run(&started, 1000, 1000000);
    stay_on_one_core();
    cr_expect_eq(team_cores(), 1);
    for (int i = 0; i < 200; i++) {
        run(&started, 100, 1000000);
        run(&late, 100, 1000000);
    }
    team_close(before);
    team_close(after);
}

/* ---- a host's pool ---- */

/* One thread, from the last task to the first: no task may wait for another. */
static void backwards(void *user, int64_t n, void (*task)(void *, int64_t), void *arg)
{
    ++*(int *)user;
    while (n-- > 0) task(arg, n);
}

typedef struct Task {
    void (*task)(void *, int64_t);
    void *arg;
    int64_t i;
} Task;

static void *run_task(void *p)
{
    const Task *t = p;
    t->task(t->arg, t->i);
    return NULL;
}

static void thread_each(void *user, int64_t n, void (*task)(void *, int64_t), void *arg)
{
    pthread_t *id = calloc((size_t)n, sizeof *id);
    Task *t = calloc((size_t)n, sizeof *t);
    ++*(int *)user;
    for (int64_t i = 0; i < n; i++) {
        t[i] = (Task){ task, arg, i };
        pthread_create(&id[i], NULL, run_task, &t[i]);
    }
    for (int64_t i = 0; i < n; i++) pthread_join(id[i], NULL);
    free(t);
    free(id);
}

Test(team, a_hosts_pool_runs_the_pieces)
{
    HostPool *const pool[] = { backwards, thread_each };
    for (int k = 0; k < 2; k++)
        for (int t = 0; t < N_THREADS; t++) {
            int calls = 0;
            Team *team = team_open(threads[t], pool[k], &calls);
            Workers w = team_workers(team, 0);
            run(&w, 1, 1);
            run(&w, 5, 1);
            run(&w, 1000, 1);
            cr_expect_eq(calls, 3);
            team_close(team);
        }
}

Test(team, cores_are_those_that_the_process_may_use)
{
    int n = team_cores();
    cr_expect(n >= 1 && n <= MAX_THREADS);
}

/* ---- control groups ---- */

static void put(const char *root, const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') {
        *p = '\0';
        mkdir(path, 0700);
    }
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && !fclose(f));
}

/* Of both versions, of a group's own and of those around it; of a path that is the host's. */
Test(team, quotas)
{
    static const struct {
        const char *groups, *file, *text, *file2, *text2;
        int cores;
    } of[] = {
        { "0::/\n", "cpu.max", "150000 100000\n", NULL, NULL, 2 },
        { "0::/\n", "cpu.max", "max 100000\n", NULL, NULL, 0 },
        { "0::/a/b\n", "a/b/cpu.max", "max 100000\n", "a/cpu.max", "300000 100000\n", 3 },
        { "0::/a/b\n", "a/b/cpu.max", "100000 100000\n", "a/cpu.max", "300000 100000\n", 1 },
        { "1:name=systemd:/x\n0::/a\n", "unified/a/cpu.max", "50000 100000\n", NULL, NULL, 1 },
        { "3:cpuset:/q\n4:cpu,cpuacct:/q\n0::/\n", "cpu,cpuacct/q/cpu.cfs_quota_us", "400000\n",
          "cpu,cpuacct/q/cpu.cfs_period_us", "100000\n", 4 },
        { "4:cpu:/docker/1\n", "cpu/cpu.cfs_quota_us", "200000\n", "cpu/cpu.cfs_period_us", "100000\n", 2 },
        { "4:cpu:/\n", "cpu/cpu.cfs_quota_us", "-1\n", "cpu/cpu.cfs_period_us", "100000\n", 0 },
        { "4:cpuset:/q\n", "cpuset/q/cpu.cfs_quota_us", "100000\n", "cpuset/q/cpu.cfs_period_us", "100000\n",
          0 },
        { "nonsense\n", "cpu.max", "100000 100000\n", NULL, NULL, 0 },
    };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        char root[] = "/tmp/weft-quota-XXXXXX", groups[sizeof root + 10], command[sizeof root + 10];
        cr_assert(mkdtemp(root));
        put(root, "groups", of[i].groups);
        put(root, of[i].file, of[i].text);
        if (of[i].file2) put(root, of[i].file2, of[i].text2);
        snprintf(groups, sizeof groups, "%s/groups", root);
        cr_expect_eq(quota_of(groups, root), of[i].cores, "%s", of[i].groups);
        snprintf(command, sizeof command, "rm -r %s", root);
        cr_expect_eq(system(command), 0);
    }
    cr_expect_eq(quota_of("/nowhere", "/nowhere"), 0);
}
