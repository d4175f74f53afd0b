/* options.c: what is said to the compiler, a CompileOptionsProto. Only what could make a program wrong is
 * looked at. */
#include "plugin.h"
#include <stdio.h>

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

static bool is_text(Proto bytes, const char *text)
{
    size_t n = (size_t)(bytes.end - bytes.at);
    return strlen(text) == n && (n == 0 || memcmp(bytes.at, text, n) == 0);
}

/* What an option's value may be: the fields of an OptionOverrideProto that have it. */
typedef enum { OF_TEXT = 1, OF_BOOL, OF_INT, OF_DOUBLE } Kind;

static const char *const kind_name[] = { "", "string", "bool", "int32", "double" };

/* XLA's options that are in use on a CPU; what else begins with xla_ is not looked into. */
static Kind option_kind(Proto name)
{
    static const struct {
        const char *name;
        Kind kind;
    } known[] = { { "xla_backend_optimization_level", OF_INT },
                  { "xla_cpu_enable_fast_math", OF_BOOL },
                  { "xla_cpu_enable_fast_min_max", OF_BOOL },
                  { "xla_cpu_max_isa", OF_TEXT },
                  { "xla_cpu_multi_thread_eigen", OF_BOOL },
                  { "xla_cpu_parallel_codegen_split_count", OF_INT },
                  { "xla_dump_hlo_as_text", OF_BOOL },
                  { "xla_dump_max_hlo_modules", OF_INT },
                  { "xla_dump_to", OF_TEXT },
                  { "xla_embed_ir_in_executable", OF_BOOL },
                  { "xla_force_host_platform_device_count", OF_INT } };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (is_text(name, known[i].name)) return known[i].kind;
    return 0;
}

/* Are the bytes an int32 in decimals, and white space around it? */
static bool is_int(Proto text)
{
    char number[40] = "", *end;
    size_t n = (size_t)(text.end - text.at);
    if (n == 0 || n >= sizeof number) return false;
    memcpy(number, text.at, n);
    long value = strtol(number, &end, 10);
    end += strspn(end, " \t\n\v\f\r");
    return end == number + n && value == (int32_t)value;
}

static bool may_be(Kind kind, Kind given, Proto text)
{
    if (given != OF_TEXT || kind == OF_TEXT) return given == kind;
    if (kind == OF_INT) return is_int(text);
    return is_text(text, "True") || is_text(text, "False");
}

/* An option by name: XLA's own are taken, and change nothing. */
static PJRT_Error *check_option(Proto option)
{
    Proto name = { 0 }, setting = { 0 }, field, text = { 0 };
    uint64_t number, value, given = 0, whole = 0;
    while (read_field(&option, &number, &value, &field))
        if (number <= 2) *(number == 1 ? &name : &setting) = field;
    if (name.end - name.at < 4 || memcmp(name.at, "xla_", 4))
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: No such compile option: '%.*s'",
                         (int)(name.end - name.at), (const char *)name.at);
    while (read_field(&setting, &number, &value, &field)) given = number, text = field, whole = value;
    Kind kind = option_kind(name);
    char digits[24];
    if (kind == OF_INT && given == OF_INT) { /* it has 64 bits */
        int n_digits = snprintf(digits, sizeof digits, "%lld", (long long)whole);
        text = (Proto){ (const uint8_t *)digits, (const uint8_t *)digits + n_digits };
        given = OF_TEXT;
    }
    if (!kind || !given || may_be(kind, (Kind)given, text)) return NULL;
    if (given != OF_TEXT)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                         "weft: While setting option %.*s, a value of type %s is not a valid %s value.",
                         (int)(name.end - name.at), (const char *)name.at,
                         given <= OF_DOUBLE ? kind_name[given] : "unknown", kind_name[kind]);
    return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                     "weft: While setting option %.*s, '%.*s' is not a valid %s value.",
                     (int)(name.end - name.at), (const char *)name.at, (int)(text.end - text.at),
                     (const char *)text.at, kind_name[kind]);
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
