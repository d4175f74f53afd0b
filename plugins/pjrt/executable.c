/* executable.c: compiled programs. What is loaded and what is not are two handles on one program. */
#include <stdio.h>
#include "plugin.h"

typedef struct Shared {
    atomic_int users;
    PJRT_Client *client;
    weft_program *program;
    size_t n_in, n_out, n_dims;
    PJRT_Buffer_Type *out_type;
    int64_t *out_dims;
    size_t *out_rank;
    const char **kind; /* of memory, of each argument or result: as many as there are of either */
    size_t *kind_size;
    char fingerprint[17];
    char *text; /* the program as it came, for who stores it */
    size_t text_size;
} Shared;

struct PJRT_Executable {
    Shared *of;
};
struct PJRT_LoadedExecutable {
    PJRT_Executable same; /* first: what asks for its program is answered alike */
    atomic_bool deleted;
};

static void shared_drop(Shared *s)
{
    if (atomic_fetch_sub(&s->users, 1) > 1) return;
    weft_program_free(s->program);
    free(s->out_type);
    free(s->out_dims);
    free(s->out_rank);
    free(s->kind);
    free(s->kind_size);
    free(s->text);
    free(s);
}

/* ---- compile options ---- */

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

/* CompileOptionsProto: field 3 are the build options, in which 4 and 5 are the numbers of replicas and
 * partitions. */
static PJRT_Error *check_options(const char *options, size_t n)
{
    Proto all = { (const uint8_t *)options, (const uint8_t *)options + n }, build, inside;
    uint64_t number, value;
    while (options && read_field(&all, &number, &value, &build)) {
        if (number != 3) continue;
        while (build.at && read_field(&build, &number, &value, &inside))
            if ((number == 4 || number == 5) && value > 1)
                return error_new(PJRT_Error_Code_UNIMPLEMENTED,
                                 "weft: not supported: %llu %s: there is one device",
                                 (unsigned long long)value, number == 4 ? "replicas" : "partitions");
    }
    return NULL;
}

/* ---- making ---- */

static bool describe(Shared *s)
{
    size_t n = s->n_out = (size_t)weft_program_count(s->program, true), dims = 0;
    s->n_in = (size_t)weft_program_count(s->program, false);
    for (size_t i = 0; i < n; i++) dims += (size_t)weft_program_type(s->program, true, (int)i).rank;
    s->out_type = calloc(n + 1, sizeof *s->out_type);
    s->out_dims = calloc(dims + 1, sizeof *s->out_dims);
    s->out_rank = calloc(n + 1, sizeof *s->out_rank);
    size_t kinds = n > s->n_in ? n : s->n_in;
    s->kind = calloc(kinds + 1, sizeof *s->kind);
    s->kind_size = calloc(kinds + 1, sizeof *s->kind_size);
    if (!s->out_type || !s->out_dims || !s->out_rank || !s->kind || !s->kind_size) return false;
    for (size_t i = 0; i < n; i++) {
        weft_type t = weft_program_type(s->program, true, (int)i);
        s->out_type[i] = buffer_type(t.dtype);
        s->out_rank[i] = (size_t)t.rank;
        for (int d = 0; d < t.rank; d++) s->out_dims[s->n_dims++] = t.shape[d];
    }
    for (size_t i = 0; i < kinds; i++) {
        s->kind[i] = "device";
        s->kind_size[i] = strlen(s->kind[i]);
    }
    return true;
}

/* FNV-1a, of the program's text. */
static void find_fingerprint(Shared *s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < s->text_size; i++) h = (h ^ (uint8_t)s->text[i]) * UINT64_C(0x100000001b3);
    snprintf(s->fingerprint, sizeof s->fingerprint, "%016llx", (unsigned long long)h);
}

static PJRT_Error *load(PJRT_Client *client, const char *text, size_t n, PJRT_LoadedExecutable **out)
{
    Shared *s = calloc(1, sizeof *s);
    PJRT_LoadedExecutable *l = calloc(1, sizeof *l);
    char *copy = malloc(n + 1);
    if (!s || !l || !copy) {
        free(s);
        free(l);
        free(copy);
        return error_no_memory();
    }
    atomic_init(&s->users, 1);
    s->client = client;
    s->text = memcpy(copy, text, n);
    s->text_size = n;
    s->program = weft_program_parse_(client->ctx, text, n, NULL, NULL);
    PJRT_Error *e = !s->program ? error_of(client->ctx) : !describe(s) ? error_no_memory() : NULL;
    if (e) {
        shared_drop(s);
        free(l);
        return e;
    }
    find_fingerprint(s);
    l->same.of = s;
    *out = l;
    return NULL;
}

static PJRT_Error *client_compile(PJRT_Client_Compile_Args *a)
{
    const PJRT_Program *p = a->program;
    if (p->format_size != 4 || memcmp(p->format, "mlir", 4))
        return error_new(PJRT_Error_Code_UNIMPLEMENTED, "weft: not supported: programs of format %.*s",
                         (int)p->format_size, p->format);
    PJRT_Error *e = check_options(a->compile_options, a->compile_options_size);
    return e ? e : load(a->client, p->code, p->code_size, &a->executable);
}

static PJRT_Error *deserialize(PJRT_Executable_DeserializeAndLoad_Args *a)
{
    return load(a->client, a->serialized_executable, a->serialized_executable_size, &a->loaded_executable);
}

/* ---- running ---- */

enum { FEW = 32 };

/* One call: the arguments' memory, held until it ends, and the results. */
typedef struct Call {
    const Shared *of;
    PJRT_Buffer *const *arg;
    PJRT_Buffer **result;
    Block **held;
    const void **in;
    void **out;
} Call;

static bool may_donate(const PJRT_ExecuteOptions *o, int input)
{
    for (size_t i = 0; o && i < o->num_non_donatable_input_indices; i++)
        if (o->non_donatable_input_indices[i] == input) return false;
    return true;
}

/* The memory of the argument that result i may be written over, taken from it; NULL: there is none. */
static Block *take_donated(const Call *c, const PJRT_ExecuteOptions *o, size_t i)
{
    int donor = weft_program_donor(c->of->program, (int)i);
    if (donor < 0 || !may_donate(o, donor)) return NULL;
    PJRT_Buffer *from = c->arg[donor];
    Block *block = c->held[donor];
    if (atomic_load(&from->external) || block->lent || block->gone || atomic_load(&block->users) != 2)
        return NULL;
    for (size_t k = 0; k < c->of->n_in; k++)
        if (k != (size_t)donor && c->held[k] == block) return NULL;
    block_drop(atomic_exchange(&from->block, NULL));
    return block;
}

static PJRT_Error *make_results(Call *c, const PJRT_ExecuteOptions *o)
{
    PJRT_Error *e = NULL;
    for (size_t i = 0; i < c->of->n_out; i++) {
        weft_type t = weft_program_type(c->of->program, true, (int)i);
        c->result[i] = buffer_new(c->of->client, t, take_donated(c, o, i), &e);
        if (e) return e;
        c->out[i] = atomic_load(&c->result[i]->block)->data;
    }
    return NULL;
}

static PJRT_Error *run(Call *c, const PJRT_ExecuteOptions *o)
{
    weft_context *ctx = c->of->client->ctx;
    PJRT_Error *e = NULL;
    for (size_t i = 0; i < c->of->n_in; i++) {
        c->held[i] = buffer_hold(c->arg[i], &e);
        if (e) return e;
        c->in[i] = c->held[i]->data;
    }
    if ((e = make_results(c, o))) return e;
    size_t bytes = weft_program_scratch(c->of->program);
    void *scratch = bytes ? weft_block(ctx, bytes) : NULL;
    if ((bytes && !scratch) || weft_program_run(c->of->program, c->in, c->out, scratch) != WEFT_OK)
        e = error_of(ctx);
    weft_block_free(ctx, scratch, bytes);
    return e;
}

static PJRT_Error *check_call(const PJRT_LoadedExecutable_Execute_Args *a)
{
    const Shared *s = a->executable->same.of;
    if (atomic_load(&a->executable->deleted))
        return error_new(PJRT_Error_Code_FAILED_PRECONDITION, "weft: the executable was deleted");
    if (a->num_devices != 1)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: %zu devices: there is one", a->num_devices);
    if (a->num_args != s->n_in)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: %zu arguments: the program has %zu",
                         a->num_args, s->n_in);
    for (size_t i = 0; i < s->n_in; i++) {
        weft_type t = weft_program_type(s->program, false, (int)i);
        const PJRT_Buffer *b = a->argument_lists[0][i];
        if (b->type != buffer_type(t.dtype) || b->rank != (size_t)t.rank ||
            memcmp(b->dim, t.shape, b->rank * sizeof *b->dim))
            return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: argument %zu has another type or shape",
                             i);
    }
    return NULL;
}

static PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *a)
{
    PJRT_Error *e = check_call(a);
    if (e) return e;
    const Shared *s = a->executable->same.of;
    Block *held[FEW] = { NULL };
    const void *in[FEW];
    void *out[FEW];
    Call c = { s, a->argument_lists[0], a->output_lists[0], held, in, out };
    void *many = s->n_in > FEW || s->n_out > FEW ? calloc(2 * s->n_in + s->n_out + 1, sizeof(void *)) : NULL;
    if (many) {
        c.held = many;
        c.in = (const void **)many + s->n_in;
        c.out = (void **)many + 2 * s->n_in;
    } else if (s->n_in > FEW || s->n_out > FEW) return error_no_memory();
    for (size_t i = 0; i < s->n_out; i++) c.result[i] = NULL;
    e = run(&c, a->options);
    for (size_t i = 0; !e && i < s->n_in; i++)
        if (weft_program_donated(s->program, (int)i) && may_donate(a->options, (int)i))
            buffer_delete(c.arg[i]);
    for (size_t i = 0; i < s->n_in; i++) block_drop(c.held[i]);
    for (size_t i = 0; e && i < s->n_out; i++) {
        if (c.result[i]) buffer_free(c.result[i]);
        c.result[i] = NULL;
    }
    free(many);
    if (!e && a->device_complete_events) a->device_complete_events[0] = event_ready();
    return e;
}

/* ---- what it is ---- */

#define OF(a) ((a)->executable->of)

GIVES(exe_name, Executable_Name, GIVE_TEXT(a, executable_name, weft_program_name(OF(a)->program)))
GIVES(exe_replicas, Executable_NumReplicas, a->num_replicas = 1)
GIVES(exe_partitions, Executable_NumPartitions, a->num_partitions = 1)
GIVES(exe_outputs, Executable_NumOutputs, a->num_outputs = OF(a)->n_out)
GIVES(exe_code_size, Executable_SizeOfGeneratedCodeInBytes,
      a->size_in_bytes = (int64_t)weft_program_cost(OF(a)->program).code)
GIVES(exe_out_types, Executable_OutputElementTypes,
      (a->output_types = OF(a)->out_type, a->num_output_types = OF(a)->n_out))
GIVES(exe_out_dims, Executable_OutputDimensions,
      (a->num_outputs = OF(a)->n_out, a->dims = OF(a)->out_dims, a->dim_sizes = OF(a)->out_rank))
GIVES(exe_kinds, Executable_OutputMemoryKinds,
      (a->num_outputs = OF(a)->n_out, a->memory_kinds = OF(a)->kind, a->memory_kind_sizes = OF(a)->kind_size))
GIVES(exe_parameter_kinds, Executable_ParameterMemoryKinds,
      (a->num_parameters = OF(a)->n_in, a->memory_kinds = OF(a)->kind,
       a->memory_kind_sizes = OF(a)->kind_size))
GIVES(exe_fingerprint, Executable_Fingerprint, GIVE_TEXT(a, executable_fingerprint, OF(a)->fingerprint))
GIVES(loaded_fingerprint, LoadedExecutable_Fingerprint,
      GIVE_TEXT(a, executable_fingerprint, a->executable->same.of->fingerprint))
GIVES(exe_cost, Executable_GetCostAnalysis, (a->num_properties = 0, a->properties = NULL))
GIVES(loaded_devices, LoadedExecutable_AddressableDevices,
      (a->addressable_devices = the_devices, a->num_addressable_devices = 1))
GIVES(loaded_delete, LoadedExecutable_Delete, atomic_store(&a->executable->deleted, true))
GIVES(loaded_is_deleted, LoadedExecutable_IsDeleted, a->is_deleted = atomic_load(&a->executable->deleted))

static PJRT_Error *exe_destroy(PJRT_Executable_Destroy_Args *a)
{
    if (!a->executable) return NULL;
    shared_drop(a->executable->of);
    free(a->executable);
    return NULL;
}

static PJRT_Error *loaded_destroy(PJRT_LoadedExecutable_Destroy_Args *a)
{
    if (!a->executable) return NULL;
    shared_drop(a->executable->same.of);
    free(a->executable);
    return NULL;
}

static PJRT_Error *loaded_get(PJRT_LoadedExecutable_GetExecutable_Args *a)
{
    if (!(a->executable = malloc(sizeof *a->executable))) return error_no_memory();
    a->executable->of = a->loaded_executable->same.of;
    atomic_fetch_add(&a->executable->of->users, 1);
    return NULL;
}

static PJRT_Error *loaded_logical(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args *a)
{
    static PJRT_LogicalDeviceIds only = { .replica = 0, .partition = 0 };
    a->addressable_device_logical_ids = &only;
    a->num_addressable_device_logical_ids = 1;
    return NULL;
}

static void keep(PJRT_DeviceAssignmentSerialized *d) { (void)d; }

/* DeviceAssignmentProto: one replica, one computation, on device 0. */
static PJRT_Error *loaded_assignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args *a)
{
    static const char proto[] = { 0x08, 0x01, 0x10, 0x01, 0x1a, 0x03, 0x0a, 0x01, 0x00 };
    a->serialized_bytes = proto;
    a->serialized_bytes_size = sizeof proto;
    a->serialized_device_assignment = NULL;
    a->serialized_device_assignment_deleter = keep;
    return NULL;
}

static PJRT_Error *exe_memory(PJRT_Executable_GetCompiledMemoryStats_Args *a)
{
    weft_program_figures f = weft_program_cost(OF(a)->program);
    a->generated_code_size_in_bytes = (int64_t)f.code;
    a->argument_size_in_bytes = (int64_t)f.inputs;
    a->output_size_in_bytes = (int64_t)f.outputs;
    a->temp_size_in_bytes = (int64_t)f.scratch;
    a->alias_size_in_bytes = 0;
    a->host_generated_code_size_in_bytes = a->host_argument_size_in_bytes = a->host_output_size_in_bytes = 0;
    a->host_alias_size_in_bytes = a->host_temp_size_in_bytes = 0;
    if (HAS(a, peak_memory_in_bytes)) a->peak_memory_in_bytes = (int64_t)(f.inputs + f.outputs + f.scratch);
    if (HAS(a, total_size_in_bytes)) a->total_size_in_bytes = (int64_t)(f.inputs + f.outputs + f.scratch);
    return NULL;
}

static void drop_serialized(PJRT_SerializedExecutable *s) { free(s); }

/* The program as it came: loading it compiles it again, which is quick. */
static PJRT_Error *exe_serialize(PJRT_Executable_Serialize_Args *a)
{
    char *copy = malloc(OF(a)->text_size + 1);
    if (!copy) return error_no_memory();
    a->serialized_bytes = memcpy(copy, OF(a)->text, OF(a)->text_size);
    a->serialized_bytes_size = OF(a)->text_size;
    a->serialized_executable = (PJRT_SerializedExecutable *)(void *)copy;
    a->serialized_executable_deleter = drop_serialized;
    return NULL;
}

void api_add_executables(PJRT_Api *api)
{
    api->PJRT_Client_Compile = client_compile;
    api->PJRT_Executable_Destroy = exe_destroy;
    api->PJRT_Executable_Name = exe_name;
    api->PJRT_Executable_NumReplicas = exe_replicas;
    api->PJRT_Executable_NumPartitions = exe_partitions;
    api->PJRT_Executable_NumOutputs = exe_outputs;
    api->PJRT_Executable_SizeOfGeneratedCodeInBytes = exe_code_size;
    api->PJRT_Executable_GetCostAnalysis = exe_cost;
    api->PJRT_Executable_OutputMemoryKinds = exe_kinds;
    api->PJRT_Executable_ParameterMemoryKinds = exe_parameter_kinds;
    api->PJRT_LoadedExecutable_AddressableDeviceLogicalIds = loaded_logical;
    api->PJRT_Executable_OutputElementTypes = exe_out_types;
    api->PJRT_Executable_OutputDimensions = exe_out_dims;
    api->PJRT_Executable_Fingerprint = exe_fingerprint;
    api->PJRT_Executable_GetCompiledMemoryStats = exe_memory;
    api->PJRT_Executable_Serialize = exe_serialize;
    api->PJRT_Executable_DeserializeAndLoad = deserialize;
    api->PJRT_LoadedExecutable_Destroy = loaded_destroy;
    api->PJRT_LoadedExecutable_GetExecutable = loaded_get;
    api->PJRT_LoadedExecutable_AddressableDevices = loaded_devices;
    api->PJRT_LoadedExecutable_GetDeviceAssignment = loaded_assignment;
    api->PJRT_LoadedExecutable_Delete = loaded_delete;
    api->PJRT_LoadedExecutable_IsDeleted = loaded_is_deleted;
    api->PJRT_LoadedExecutable_Execute = execute;
    api->PJRT_LoadedExecutable_Fingerprint = loaded_fingerprint;
}
