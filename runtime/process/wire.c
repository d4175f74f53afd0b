/* wire.c: see wire.h. */
#include "wire.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

enum { LOOK_MS = 200 };
#define SEED UINT64_C(0xCBF29CE484222325)

typedef struct MessageHead {
    char build[16];
    uint64_t bytes, check, own_check; /* of what follows; the last one of this head */
} MessageHead;
_Static_assert(sizeof WEFT_BUILD_ID == sizeof((MessageHead *)0)->build + 1, "the build fits");

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

double wire_deadline(double seconds) { return now() + seconds; }

/* FNV-1a. Each step is a bijection of h and of the byte, so one changed byte always changes the sum. */
static uint64_t checksum(uint64_t h, const void *data, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) h = (h ^ ((const unsigned char *)data)[i]) * UINT64_C(0x100000001B3);
    return h;
}

static uint64_t own_checksum(const MessageHead *h)
{
    return checksum(SEED, h, offsetof(MessageHead, own_check));
}

KeptFile file_keep(int fd)
{
    struct stat s;
    if (fd < 0 || fstat(fd, &s)) return (KeptFile){ .fd = -1 };
    return (KeptFile){ fd, s.st_dev, s.st_ino };
}

bool file_is_there(const KeptFile *k)
{
    struct stat s;
    return k->fd >= 0 && !fstat(k->fd, &s) && s.st_dev == k->device && s.st_ino == k->inode;
}

/* Until the socket can be read (written), or is closed. It is looked after now and then where somebody waits
 * for the answer; a compiler process may sleep. */
static WireResult wait_for(const KeptFile *l, short event, double deadline)
{
    for (;;) {
        double left = deadline - now();
        if (left <= 0) return WIRE_LATE;
        if (l->fd < 0) return WIRE_CLOSED; /* poll would pass over it */
        struct pollfd p = { .fd = l->fd, .events = event };
        int n = poll(&p, 1, isinf(left) ? -1 : (int)ceil(fmin(left * 1e3, LOOK_MS)));
        if ((n < 0 && errno != EINTR) || !file_is_there(l)) return WIRE_CLOSED;
        if (n > 0) return p.revents & POLLNVAL ? WIRE_CLOSED : WIRE_DONE;
    }
}

/* Sends (event POLLOUT) or receives (POLLIN) all the bytes. */
static WireResult move(const KeptFile *l, short event, void *data, size_t bytes, double deadline)
{
    for (size_t done = 0; done < bytes;) {
        WireResult r = wait_for(l, event, deadline);
        if (r) return r;
        char *at = (char *)data + done;
        ssize_t n = event == POLLOUT ? send(l->fd, at, bytes - done, MSG_DONTWAIT | MSG_NOSIGNAL)
                                     : recv(l->fd, at, bytes - done, MSG_DONTWAIT);
        if (n > 0) done += (size_t)n;
        else if (n == 0 || (errno != EAGAIN && errno != EINTR)) return WIRE_CLOSED;
    }
    return WIRE_DONE;
}

WireResult wire_send(int socket, const MessagePart *parts, int n, double deadline)
{
    MessageHead h = { .check = SEED };
    KeptFile l = file_keep(socket);
    memcpy(h.build, WEFT_BUILD_ID, sizeof h.build);
    for (int i = 0; i < n; i++) {
        h.bytes += parts[i].bytes;
        h.check = checksum(h.check, parts[i].data, parts[i].bytes);
    }
    h.own_check = own_checksum(&h);
    WireResult r = move(&l, POLLOUT, &h, sizeof h, deadline);
    for (int i = 0; i < n && !r; i++) r = move(&l, POLLOUT, (void *)parts[i].data, parts[i].bytes, deadline);
    return r;
}

WireResult wire_receive(int socket, void **block, size_t *bytes, double deadline)
{
    MessageHead h;
    KeptFile l = file_keep(socket);
    *block = NULL;
    WireResult r = move(&l, POLLIN, &h, sizeof h, deadline);
    if (r) return r;
    if (h.own_check != own_checksum(&h)) return WIRE_DAMAGED;
    if (memcmp(h.build, WEFT_BUILD_ID, sizeof h.build)) return WIRE_OTHER_BUILD;
    void *room = malloc(h.bytes + 1);
    if (!room) return WIRE_MEMORY;
    r = move(&l, POLLIN, room, h.bytes, deadline);
    if (!r && checksum(SEED, room, h.bytes) != h.check) r = WIRE_DAMAGED;
    if (r) {
        free(room);
        return r;
    }
    *block = room;
    *bytes = h.bytes;
    return WIRE_DONE;
}
