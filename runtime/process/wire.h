/* wire.h: questions and answers between a process and its compiler process, over a pair of sockets.
 *
 * A message is a head and so many bytes. The head has the build of who speaks, so that structs can go as
 * they lie in memory, and checksums of itself and of the bytes: what a broken process says, or half of
 * an answer, is not taken for machine code. Nothing raises SIGPIPE, and signals interrupt nothing.
 */
#ifndef WEFT_PROCESS_WIRE_H
#define WEFT_PROCESS_WIRE_H
#include <sys/types.h>
#include "compiler/backend.h"

/* A program follows, packed (program.h). None: which machine is it that `name` means? */
typedef struct Question {
    _Alignas(16) char name[64];
    Target target;
    int64_t threads; /* that compile it, at most */
    uint32_t also;   /* BACKEND_IR, BACKEND_ASM */
} Question;

/* Object, IR and assembly follow, the texts with their NULs. */
typedef struct Answer {
    _Alignas(16) bool good; /* false: the output's error says why not */
    bool ended;             /* it answers no more: */
    int status;             /* how it ended, as wait says it */
    Target target;          /* if it was asked for */
    BackendOutput output;   /* without what it points to, which follows */
    uint64_t ir_bytes, assembly_bytes;
} Answer;

/* A file, and which one it was when it was opened: another thread of the program's may close all files, and
 * have one of its own in the place of this one. */
typedef struct KeptFile {
    int fd; /* -1: none */
    dev_t device;
    ino_t inode;
} KeptFile;
KeptFile file_keep(int fd); /* fd -1: there is none */
bool file_is_there(const KeptFile *);

typedef struct MessagePart {
    const void *data;
    size_t bytes;
} MessagePart;

typedef enum {
    WIRE_DONE,
    WIRE_CLOSED, /* the other end is gone, or the socket is no socket */
    WIRE_LATE,
    WIRE_DAMAGED,
    WIRE_OTHER_BUILD,
    WIRE_MEMORY /* none here for what comes */
} WireResult;

double wire_deadline(double seconds); /* from now, for what follows; INFINITY: none */
/* Sends the parts as one message. */
WireResult wire_send(int socket, const MessagePart *parts, int n, double deadline);
/* Receives one: *bytes, in a block of malloc's at *block, which the caller frees; else NULL. */
WireResult wire_receive(int socket, void **block, size_t *bytes, double deadline);
#endif
