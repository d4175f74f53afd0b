/* weft-pjrt-threads [ROUNDS]: four threads call the plugin at once, as JAX's may: chains of calls that
 * write over each other's results and run behind the caller's back, results that are dropped before they
 * are computed, events with callbacks, programs compiled and dropped meanwhile, calls that wait for a
 * function of ours. A plain program, for ThreadSanitizer follows no threads into a process that was forked.
 * Exit status 1 if a result was wrong. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#define PJRT_FAILED(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), exit(1))
#include "pjrt_calls.h"
#include "weft.h"

enum { THREADS = 4, CHAIN = 12 };
static PJRT_LoadedExecutable *long_one, *short_one, *waiting_one;
static _Atomic int told;

static void count_one(PJRT_Error *e, void *user)
{
    (void)user;
    must(e, "an event");
    atomic_fetch_add(&told, 1);
}

static PJRT_Buffer *sent(void) { return send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2); }

/* Each call takes what the one before gives, before it has been computed. */
static void chain(void)
{
    PJRT_Buffer *b = sent(), *next, *pair[2];
    float back[6];
    for (int i = 0; i < CHAIN; i++) {
        PJRT_Event *done = execute_later(long_one, &b, 1, &next);
        CALL(wait, Event_OnReady, .event = done, .callback = count_one);
        drop_event(done);
        drop(b);
        b = next;
    }
    must(execute(short_one, (PJRT_Buffer *[]){ b, b }, 2, pair, (const int64_t[]){ 1 }, 1), "the last");
    fetch(pair[0], NULL, back, sizeof back);
    if (back[0] != 2 * (numbers[0] + CHAIN * 1e5f)) PJRT_FAILED("%g", (double)back[0]);
    drop(b);
    drop(pair[0]);
    drop(pair[1]);
}

static void never_read(void)
{
    PJRT_Buffer *b = sent(), *result;
    drop_event(execute_later(long_one, &b, 1, &result));
    drop(result);
    drop(b);
}

static void compile_meanwhile(void)
{
    PJRT_LoadedExecutable *l = compiled(twice);
    PJRT_Buffer *in[] = { sent(), sent() }, *out[2];
    float back[6];
    PJRT_Event *done = execute_later(l, in, 2, out);
    drop_program(l); /* the call goes on */
    CALL(wait, Event_Await, .event = done);
    drop_event(done);
    fetch(out[0], NULL, back, sizeof back);
    if (back[5] != 12) PJRT_FAILED("%g", (double)back[5]);
    for (int i = 0; i < 2; i++) drop(in[i]), drop(out[i]);
}

static sem_t gate;
static const char waiting[] =
    "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {\n"
    " %y = stablehlo.custom_call @waits(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
    " return %y : tensor<2x3xf32> }\n";

static bool waits(const weft_custom_call *c, char *error, size_t room)
{
    (void)error, (void)room;
    sem_wait(&gate);
    memcpy(c->out[0], c->in[0], sizeof numbers);
    return true;
}

/* Other calls go past it, but for the one that is to write over what it reads. */
static void past_one_that_waits(void)
{
    PJRT_Buffer *b = sent(), *read, *over;
    float back[6];
    drop_event(execute_later(waiting_one, &b, 1, &read));
    drop_event(execute_later(long_one, &b, 1, &over));
    chain();
    sem_post(&gate);
    fetch(over, NULL, back, sizeof back);
    if (back[0] != numbers[0] + 1e5f) PJRT_FAILED("%g written", (double)back[0]);
    fetch(read, NULL, back, sizeof back);
    if (back[0] != numbers[0]) PJRT_FAILED("%g read", (double)back[0]);
    drop(b);
    drop(read);
    drop(over);
}

static void *work(void *rounds)
{
    for (int i = 0; i < *(int *)rounds; i++) {
        chain();
        never_read();
        compile_meanwhile();
        past_one_that_waits();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    bool (*on)(const char *, bool (*)(const weft_custom_call *, char *, size_t));
    sem_init(&gate, 0, 0);
    find("weft_pjrt_custom_call_on", &on);
    if (!on("waits", waits)) PJRT_FAILED("no memory");
    open_plugin();
    long_one = compiled(slow);
    short_one = compiled(twice);
    waiting_one = compiled(waiting);
    for (int i = 0; i < THREADS; i++) pthread_create(&t[i], NULL, work, &rounds);
    for (int i = 0; i < THREADS; i++) pthread_join(t[i], NULL);
    drop_program(long_one);
    drop_program(short_one);
    drop_program(waiting_one);
    close_plugin(); /* waits for the calls that are left */
    if (told != 2 * THREADS * rounds * CHAIN) PJRT_FAILED("%d calls told of their end", told);
    return 0;
}
