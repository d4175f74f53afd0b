/* A compiler process that answers honestly which machine it is on, and then as the folder that it was
 * started from is named. */
#define wire_send damaged_send
#define main honest_main
#include "tools/compile/main.c"
#undef wire_send
#undef main

WireResult wire_send(int socket, const Part *parts, int n, double deadline);
static const char *way;

/* The message's bytes, cut off or changed on the way. */
static WireResult send_damaged(const Part *parts, int n, double deadline)
{
    static char bytes[1 << 20];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return WIRE_CLOSED;
    if (wire_send(pair[1], parts, n, deadline)) return WIRE_CLOSED;
    close(pair[1]);
    size_t used = 0;
    for (ssize_t got; (got = recv(pair[0], bytes + used, sizeof bytes - used, 0)) > 0; ) used += (size_t)got;
    if (!strcmp(way, "cut")) used /= 2;
    if (!strcmp(way, "changed")) bytes[used / 2] ^= 16;
    return send(STDIN_FILENO, bytes, used, MSG_NOSIGNAL) < 0 || !strcmp(way, "cut") ? WIRE_CLOSED : WIRE_DONE;
}

WireResult damaged_send(int socket, const Part *parts, int n, double deadline)
{
    Answer a;
    memcpy(&a, parts[0].data, sizeof a);
    if (!a.object_bytes) return wire_send(socket, parts, n, deadline);
    if (!strcmp(way, "exits")) exit(3);
    if (strcmp(way, "lies")) return send_damaged(parts, n, deadline);
    a.object_bytes /= 2;                            /* the object is half of one, and the message is whole */
    const Part half[] = { { &a, sizeof a }, { parts[1].data, a.object_bytes } };
    return wire_send(socket, half, 2, deadline);
}

int main(int argc, char **argv)
{
    char *slash = strrchr(argv[0], '/');
    *slash = '\0';
    way = strrchr(argv[0], '/') + 1;
    return honest_main(argc, argv);
}
