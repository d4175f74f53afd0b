/* A compiler process that answers honestly which machine it is on, and then as the folder that it was
 * started from is named; or hangs from its start. */
#define wire_send damaged_send
#define main      honest_main
#include "tools/compile/main.c"
#undef wire_send
#undef main

WireResult wire_send(int socket, const MessagePart *parts, int n, double deadline);
static const char *way;

/* The message's head with another build's name, and its own checksum anew (wire.c). */
static void rename_build(char *head)
{
    uint64_t h = UINT64_C(0xCBF29CE484222325);
    head[0] ^= 1;
    for (int i = 0; i < 32; i++) h = (h ^ (unsigned char)head[i]) * UINT64_C(0x100000001B3);
    memcpy(head + 32, &h, sizeof h);
}

/* The message's bytes, cut off or changed on the way. */
static WireResult send_damaged(const MessagePart *parts, int n, double deadline)
{
    static char bytes[1 << 20];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) return WIRE_CLOSED;
    if (wire_send(pair[1], parts, n, deadline)) return WIRE_CLOSED;
    close(pair[1]);
    size_t used = 0;
    for (ssize_t got; (got = recv(pair[0], bytes + used, sizeof bytes - used, 0)) > 0;) used += (size_t)got;
    if (!strcmp(way, "cut")) used /= 2;
    if (!strcmp(way, "stranger")) rename_build(bytes);
    if (!strcmp(way, "changed")) bytes[used / 2] ^= 16;
    return send(STDIN_FILENO, bytes, used, MSG_NOSIGNAL) < 0 || !strcmp(way, "cut") ? WIRE_CLOSED : WIRE_DONE;
}

WireResult damaged_send(int socket, const MessagePart *parts, int n, double deadline)
{
    Answer a;
    memcpy(&a, parts[0].data, sizeof a);
    if (!a.output.object_bytes && strcmp(way, "stranger")) return wire_send(socket, parts, n, deadline);
    if (!strcmp(way, "exits")) exit(3);
    if (strcmp(way, "lies")) return send_damaged(parts, n, deadline);
    a.output.object_bytes /= 2; /* the object is half of one, and the message is whole */
    const MessagePart half[] = { { &a, sizeof a }, { parts[1].data, a.output.object_bytes } };
    return wire_send(socket, half, 2, deadline);
}

int main(int argc, char **argv)
{
    char *slash = strrchr(argv[0], '/');
    *slash = '\0';
    way = strrchr(argv[0], '/') + 1;
    if (!strcmp(way, "sleeps")) pause();
    return honest_main(argc, argv);
}
