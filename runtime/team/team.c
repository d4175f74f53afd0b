/* team.c: see team.h.
 *
 * A LOOP IN PROGRESS is a Job. Each thread has a range of pieces in it, one word: the first that nobody has
 * taken, the end, and the job's number. To take a piece is to change the word, from the front if the range
 * is one's own, else from its end. A word of another number is another job's, so a thread that comes too
 * late takes nothing; and as a job ends only when all its pieces have, what it says is true for whoever
 * holds a piece of it.
 */
#define _GNU_SOURCE /* sched_getaffinity, sched_getcpu, pthread_setname_np */
#include "team.h"
#include "quota.h"
#include "runtime/memory/floating.h"
#include "runtime/memory/lock.h"
#include "runtime/memory/stack.h"
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    LINE = 64,
    LOOKS = 64,            /* between two looks at the clock */
    AWAKE_NS = 50000,      /* so long a thread looks out for the next loop; */
    WORTH_WAKING = 100000, /* it is woken for loops of so many ns together, */
    FOLLOWS_NS = 1000000,  /* which follow each other within this time, */
    SHORT_NS = 40000       /* those that leave it less so closely that it then stays awake */
};
enum { STACK_BYTES = 8 << 20 }; /* LLVM goes deep */

/* number << 32 | first << 16 | end */
typedef _Atomic uint64_t Range;
enum { RANGE_BITS = 16, MOST_IN_RANGE = (1 << RANGE_BITS) - 1 };

/* A thread's place in a team. */
typedef struct Seat {
    _Alignas(LINE) Range range;
    Team *team;
    int who;
    pthread_t id;
} Seat;

typedef struct Job {
    PieceFn *fn;
    const void *frame;
    char *local;
    const ParallelLoop *loop;
    int64_t grain;                       /* pieces that are taken at once */
    _Atomic int threads;                 /* so many seats take part */
    _Alignas(LINE) _Atomic int64_t left; /* that have not ended */
} Job;

struct Team {
    HostPool *pool;
    void *user;
    int threads; /* the caller's included */
    int started; /* without it; fewer if some could not */
    bool tried;
    int cores;
    int64_t awake_ns; /* how long a thread looks out; with more of them than cores not at all */
    int64_t last_ns;  /* when the last loop ended */
    int64_t foregone; /* what loops took that followed each other while threads slept */
    int caller_cpu;   /* that the others keep off; -1: none */
    atomic_flag taken;
    Job job;
    _Alignas(LINE) _Atomic uint32_t number; /* of the job; threads sleep on it */
    _Atomic bool stop;
    _Alignas(LINE) _Atomic int asleep;
    Seat seat[]; /* the caller's first */
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void look_again(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* ---- pieces ---- */

static uint64_t range_of(uint32_t number, uint64_t first, uint64_t end)
{
    return (uint64_t)number << 32 | first << RANGE_BITS | end;
}

/* Takes a grain of the job's pieces from a range. Returns -1 if there is none. */
static int64_t take(Range *r, uint32_t number, bool own)
{
    uint64_t word = atomic_load_explicit(r, memory_order_acquire);
    for (;;) {
        uint64_t first = word >> RANGE_BITS & MOST_IN_RANGE, end = word & MOST_IN_RANGE;
        if (word >> 32 != number || first >= end) return -1;
        uint64_t next = own ? range_of(number, first + 1, end) : range_of(number, first, end - 1);
        if (atomic_compare_exchange_weak_explicit(r, &word, next, memory_order_acq_rel, memory_order_acquire))
            return (int64_t)(own ? first : end - 1);
    }
}

/* Runs one grain, as thread number `who`. */
static void run_grain(Job *j, int64_t grain, int who)
{
    int64_t from = grain * j->grain,
            to = from + j->grain < j->loop->pieces ? from + j->grain : j->loop->pieces;
    for (int64_t i = from; i < to; i++) j->fn(j->frame, i, j->local + who * j->loop->local_bytes);
    atomic_fetch_sub_explicit(&j->left, to - from, memory_order_release);
}

/* All that is to be had. The number says which job is meant; it need not be there any more. */
static void work(Job *j, Seat *seat, uint32_t number, int who)
{
    int threads = atomic_load_explicit(&j->threads, memory_order_relaxed);
    if (who >= threads) return;
    for (int k = 0; k < threads; k++) {
        int at = who + k < threads ? who + k : who + k - threads;
        for (int64_t grain; (grain = take(&seat[at].range, number, k == 0)) >= 0;) run_grain(j, grain, who);
    }
}

/* Deals out the pieces. The ranges' words are what others look at. */
static void deal(Job *j, Seat *seat, uint32_t number, int threads)
{
    int64_t grains;
    atomic_store_explicit(&j->threads, threads, memory_order_relaxed);
    j->grain = j->loop->pieces / MOST_IN_RANGE + 1;
    grains = (j->loop->pieces + j->grain - 1) / j->grain;
    atomic_store_explicit(&j->left, j->loop->pieces, memory_order_relaxed);
    for (int i = 0; i < threads; i++)
        atomic_store_explicit(
            &seat[i].range,
            range_of(number, (uint64_t)(grains * i / threads), (uint64_t)(grains * (i + 1) / threads)),
            memory_order_release);
}

/* What is left is in the hands of others: they may need this core for it. */
static void wait_for_all(Job *j)
{
    for (int looks = 0; atomic_load_explicit(&j->left, memory_order_acquire) > 0; looks++)
        if (looks < 20 * LOOKS) look_again();
        else sched_yield();
}

/* ---- threads ---- */

static void futex(_Atomic uint32_t *word, int what, uint32_t value)
{
    syscall(SYS_futex, word, what | FUTEX_PRIVATE_FLAG, value, NULL, NULL, 0);
}

/* Returns the number of the next job. */
static uint32_t wait_for_job(Team *t, uint32_t seen)
{
    for (int64_t since = now_ns(); now_ns() - since < t->awake_ns;)
        for (int k = 0; k < LOOKS; k++) {
            uint32_t number = atomic_load_explicit(&t->number, memory_order_acquire);
            if (number != seen) return number;
            look_again();
        }
    atomic_fetch_add(&t->asleep, 1);
    while (atomic_load(&t->number) == seen) futex(&t->number, FUTEX_WAIT, seen);
    atomic_fetch_sub(&t->asleep, 1);
    return atomic_load(&t->number);
}

static void *run_thread(void *p)
{
    const Seat *m = p;
    Team *t = m->team;
    floating_write(FLOATING_DEFAULT);
    for (uint32_t seen = wait_for_job(t, 0); !atomic_load(&t->stop); seen = wait_for_job(t, seen))
        work(&t->job, t->seat, seen, m->who);
    return NULL;
}

/* The threads take no signals: handlers are the host's, and expect its threads. One that cannot start is done
 * without, for good. */
static void start_threads(Team *t)
{
    sigset_t all, before;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr)) return;
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (t->started + 1 < t->threads) {
        Seat *m = &t->seat[t->started + 1];
        m->team = t;
        m->who = t->started + 1;
        if (pthread_create(&m->id, &attr, run_thread, m)) break;
        pthread_setname_np(m->id, "weft");
        t->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
}

/* A virtual machine's scheduler may take a core that has been idle for long for one that is not there, and
 * wake a thread on that of whoever wakes it, where the two take turns. So the caller's core is not for the
 * others, out of those that the caller may use. */
static void keep_off_callers_core(Team *t)
{
    int cpu = sched_getcpu();
    cpu_set_t set;
    if (cpu < 0 || cpu == t->caller_cpu || sched_getaffinity(0, sizeof set, &set)) return;
    if (CPU_COUNT(&set) > 1) CPU_CLR(cpu, &set);
    for (int i = 1; i <= t->started; i++) pthread_setaffinity_np(t->seat[i].id, sizeof set, &set);
    t->caller_cpu = cpu;
}

/* Threads that sleep are not woken for little, unless loops follow each other and they will be of use for the
 * next ones: when what these took without them is as much as what is worth it. By the time that a thread is
 * awake the caller has the first piece. (An LSTM's loop of 60 us in two pieces, 90 us after the last one: 157
 * us on one thread, 163 with one that is woken for it.) */
static bool is_worth_waking(Team *t, const ParallelLoop *l)
{
    int64_t since = now_ns() - t->last_ns, left = l->cost - l->cost / l->pieces;
    if (since > (left < SHORT_NS ? AWAKE_NS : FOLLOWS_NS)) t->foregone = 0;
    t->foregone += l->cost < WORTH_WAKING ? l->cost : WORTH_WAKING;
    return t->foregone >= WORTH_WAKING;
}

static void wake(Team *t, const ParallelLoop *l)
{
    if (!atomic_load(&t->asleep) || !is_worth_waking(t, l)) return;
    keep_off_callers_core(t);
    futex(&t->number, FUTEX_WAKE, (uint32_t)(t->cores - 1));
}

static void run_together(Team *t, int threads, Job job)
{
    uint32_t number = atomic_load_explicit(&t->number, memory_order_relaxed) + 1;
    if (!t->tried) start_threads(t);
    t->tried = true;
    t->job.fn = job.fn;
    t->job.frame = job.frame;
    t->job.local = job.local;
    t->job.loop = job.loop;
    deal(&t->job, t->seat, number, threads);
    atomic_store(&t->number, number);
    wake(t, job.loop);
    work(&t->job, t->seat, number, 0);
    wait_for_all(&t->job);
    t->last_ns = now_ns();
}

static void run_alone(const Workers *w, PieceFn *fn, const void *frame, void *local, const ParallelLoop *l)
{
    (void)w;
    for (int64_t i = 0; i < l->pieces; i++) fn(frame, i, local);
}

/* Of all contexts, in a loop. */
static _Atomic int callers;

/* Callers share the cores: each beyond the first leaves some to the others. */
static void run_team(const Workers *w, PieceFn *fn, const void *frame, void *local, const ParallelLoop *l)
{
    Team *t = w->team;
    int threads = (int)w->most / (atomic_fetch_add_explicit(&callers, 1, memory_order_relaxed) + 1);
    if (threads > l->pieces) threads = (int)l->pieces;
    if (threads < 2 || atomic_flag_test_and_set_explicit(&t->taken, memory_order_acquire))
        run_alone(w, fn, frame, local, l);
    else {
        run_together(t, threads, (Job){ .fn = fn, .frame = frame, .local = local, .loop = l });
        atomic_flag_clear_explicit(&t->taken, memory_order_release);
    }
    atomic_fetch_sub_explicit(&callers, 1, memory_order_relaxed);
}

/* ---- a host's pool ---- */

typedef struct HostJob {
    Job job;
    Seat *seat;
    size_t stack;
} HostJob;

typedef struct HostTask {
    HostJob *of;
    int who;
} HostTask;

static void work_on_task(void *user)
{
    const HostTask *t = user;
    work(&t->of->job, t->of->seat, 1, t->who);
}

/* Its threads may have small stacks. */
static void host_task(void *arg, int64_t i)
{
    HostTask t = { arg, (int)i };
    uint32_t mode = floating_read();
    floating_write(FLOATING_DEFAULT);
    if (t.of->stack <= STACK_CODE) work_on_task(&t);
    else stack_call(t.of->stack, work_on_task, &t);
    floating_write(mode);
}

static void run_host(const Workers *w, PieceFn *fn, const void *frame, void *local, const ParallelLoop *l)
{
    const Team *t = w->team;
    int threads = (int)(l->pieces < w->most ? l->pieces : w->most);
    Seat seat[threads];
    HostJob h = { { .fn = fn, .frame = frame, .local = local, .loop = l }, seat, w->stack };
    deal(&h.job, h.seat, 1, threads);
    t->pool(t->user, threads, host_task, &h);
    work(&h.job, h.seat, 1, 0); /* what tasks left that got no stack */
    wait_for_all(&h.job);
}

const Workers workers_alone = { run_alone, 1, NULL, 0 };
bool workers_are_hosts(const Workers *w) { return w->run == run_host; }
size_t workers_seats(const Workers *w) { return workers_are_hosts(w) ? (size_t)w->most * sizeof(Seat) : 0; }

/* ---- how many ---- */

int team_cores(void)
{
    cpu_set_t set;
    int cores = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set),
        most = quota_of("/proc/self/cgroup", "/sys/fs/cgroup");
    if (most && cores > most) cores = most;
    return cores < 1 ? 1 : cores > MAX_THREADS ? MAX_THREADS : cores;
}

/* ---- its life ---- */

Team *team_open(int threads, HostPool *pool, void *user)
{
    Team *t = NULL;
    size_t bytes = sizeof *t + (size_t)threads * sizeof *t->seat;
    if (posix_memalign((void **)&t, LINE, bytes)) return NULL;
    memset(t, 0, bytes);
    t->threads = threads;
    t->pool = pool;
    t->user = user;
    t->caller_cpu = -1;
    t->cores = team_cores();
    t->awake_ns = threads > t->cores ? 0 : AWAKE_NS;
    return t;
}

void team_close(Team *t)
{
    if (!t) return;
    atomic_store(&t->stop, true);
    atomic_fetch_add(&t->number, 1);
    futex(&t->number, FUTEX_WAKE, INT_MAX);
    for (int i = 1; i <= t->started; i++) pthread_join(t->seat[i].id, NULL);
    free(t);
}

void team_forked(Team *t)
{
    t->started = 0;
    t->tried = false;
    t->asleep = 0;
    t->caller_cpu = -1;
    callers = 0;
    atomic_flag_clear(&t->taken);
}

Workers team_workers(Team *t, int most)
{
    if (!t || most == 1) return workers_alone;
    return (Workers){ t->pool ? run_host : run_team, most && most < t->threads ? most : t->threads, t, 0 };
}
