/* options.c: what is said to the compiler, a CompileOptionsProto. Only what could make a program wrong is
 * looked at. */
#include "plugin.h"

/* A protocol buffer: fields of a number and a value that is a number or bytes. */
typedef struct Proto {
    const uint8_t *at, *end;
} Proto;

static bool read_varint(Proto *p, uint64_t *v)
{
    *v = 0;
    for (int shift = 0; p->at < p->end && shift < 64; shift += 7) {
        uint8_t byte = *p->at++;
        *v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

/* False: there is none, or it is damaged. bytes: of a field that has some. */
static bool read_field(Proto *p, uint64_t *number, uint64_t *value, Proto *bytes)
{
    uint64_t key, n = 0;
    *bytes = (Proto){ NULL, NULL };
    *value = 0;
    if (!read_varint(p, &key)) return false;
    *number = key >> 3;
    switch (key & 7) {
    case 0: return read_varint(p, value);
    case 1: n = 8; break;
    case 2:
        if (!read_varint(p, &n)) return false;
        break;
    case 5:  n = 4; break;
    default: return false;
    }
    if (n > (uint64_t)(p->end - p->at)) return false;
    *bytes = (Proto){ p->at, p->at + n };
    p->at += n;
    return true;
}

/* ExecutableBuildOptionsProto: 4 and 5 are the numbers of replicas and partitions. */
static PJRT_Error *check_build(Proto build)
{
    Proto inside;
    uint64_t number, value;
    while (read_field(&build, &number, &value, &inside))
        if ((number == 4 || number == 5) && value > 1)
            return error_new(PJRT_Error_Code_UNIMPLEMENTED,
                             "weft: not supported: %llu %s: there is one device", (unsigned long long)value,
                             number == 4 ? "replicas" : "partitions");
    return NULL;
}

/* An option by name: XLA's own are taken, and change nothing. */
static PJRT_Error *check_option(Proto option)
{
    Proto key;
    uint64_t number, value;
    while (read_field(&option, &number, &value, &key))
        if (number == 1 && key.at && (key.end - key.at < 4 || memcmp(key.at, "xla_", 4)))
            return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: No such compile option: '%.*s'",
                             (int)(key.end - key.at), (const char *)key.at);
    return NULL;
}

PJRT_Error *options_check(const char *options, size_t n)
{
    enum { BUILD = 3, OPTION = 7 };
    Proto all = { (const uint8_t *)options, (const uint8_t *)options + n }, field;
    PJRT_Error *e = NULL;
    uint64_t number, value;
    while (!e && options && read_field(&all, &number, &value, &field)) {
        if (number == BUILD && field.at) e = check_build(field);
        if (number == OPTION && field.at) e = check_option(field);
    }
    return e;
}
