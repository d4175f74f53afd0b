/* lock.h: what holds to the end of its block, whichever way that is left, but for longjmp. */
#ifndef WEFT_MEMORY_LOCK_H
#define WEFT_MEMORY_LOCK_H
#include <pthread.h>

/* CLEANUP(end) T x; calls end(&x) in the end. x must be initialized before anything can leave the block. */
#define CLEANUP(end) __attribute__((cleanup(end)))

static inline pthread_mutex_t *lock_begin(pthread_mutex_t *lock)
{
    pthread_mutex_lock(lock);
    return lock;
}
static inline void lock_end(pthread_mutex_t *const *lock) { pthread_mutex_unlock(*lock); }
static inline int no_cancel_begin(void)
{
    int before;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    return before;
}
static inline void no_cancel_end(const int *before) { pthread_setcancelstate(*before, NULL); }

/* The lock is held. */
#define LOCK(lock) CLEANUP(lock_end) pthread_mutex_t *const locked = lock_begin(lock)
/* The thread cannot be cancelled. */
#define NO_CANCEL() CLEANUP(no_cancel_end) const int cancel_before = no_cancel_begin()
#endif
