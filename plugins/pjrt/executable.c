/* executable.c: compiled programs. What is loaded and what is not are two handles on one program. */
#include <pthread.h>
#include <stdio.h>
#include "plugin.h"

void shared_drop(Shared *s)
{
    if (atomic_fetch_sub(&s->users, 1) > 1) return;
    weft_program_free(s->program);
    free(s->in);
    free(s->out_type);
    free(s->out_dims);
    free(s->out_rank);
    free(s->memory);
    free(s->memory_size);
    free(s->layout);
    free(s->text);
    free(s);
}

/* ---- making ---- */

#define COST(text, value) \
    (PJRT_NamedValue){ .struct_size = PJRT_NamedValue_STRUCT_SIZE, \
                       .name = (text), \
                       .name_size = sizeof(text) - 1, \
                       .type = PJRT_NamedValue_kFloat, \
                       .float_value = (float)(value), \
                       .value_size = 1 }

/* Where the results' memory comes from is asked once, here. */
static PJRT_Error *describe_ports(Shared *s)
{
    size_t n_in = s->n_in = (size_t)weft_program_count(s->program, false);
    size_t n_out = s->n_out = (size_t)weft_program_count(s->program, true);
    s->in = calloc(n_in + n_out + 1, sizeof *s->in);
    if (!s->in) return error_no_memory();
    s->out = s->in + n_in;
    for (size_t i = 0; i < n_in + n_out; i++) {
        bool output = i >= n_in;
        int at = (int)(output ? i - n_in : i);
        weft_type t = weft_program_type(s->program, output, at);
        s->in[i] = (Port){ .type = t,
                           .number = buffer_type(t),
                           .layout = layout_of((size_t)t.rank, weft_program_layout(s->program, output, at)),
                           .memory = memory_named(weft_program_memory(s->program, output, at)),
                           .donated = !output && weft_program_donated(s->program, at),
                           .donor = output ? weft_program_donor(s->program, at) : -1 };
        s->donates |= s->in[i].donated;
        if (!s->in[i].layout) return error_no_memory();
        if (s->in[i].memory == MEMORIES)
            return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                             "weft: %s %d in memory of kind %.100s: there are device, pinned_host and "
                             "unpinned_host",
                             output ? "result" : "argument", at, weft_program_memory(s->program, output, at));
    }
    return NULL;
}

/* The ports again, as callers want them: in one list for each thing. */
static PJRT_Error *list_ports(Shared *s)
{
    size_t dims = 0, n = s->n_out, ports = s->n_in + n;
    for (size_t i = 0; i < n; i++) dims += (size_t)s->out[i].type.rank;
    s->out_type = calloc(n + 1, sizeof *s->out_type);
    s->out_dims = calloc(dims + 1, sizeof *s->out_dims);
    s->out_rank = calloc(n + 1, sizeof *s->out_rank);
    s->memory = calloc(ports + 1, sizeof *s->memory);
    s->memory_size = calloc(ports + 1, sizeof *s->memory_size);
    s->layout = calloc(ports + 1, sizeof *s->layout);
    if (!s->out_type || !s->out_dims || !s->out_rank || !s->memory || !s->memory_size || !s->layout)
        return error_no_memory();
    int64_t *dim = s->out_dims;
    for (size_t i = 0; i < n; i++) {
        weft_type t = s->out[i].type;
        s->out_type[i] = s->out[i].number;
        s->out_rank[i] = (size_t)t.rank;
        for (int d = 0; d < t.rank; d++) *dim++ = t.shape[d];
    }
    for (size_t i = 0; i < ports; i++) {
        s->memory[i] = memory_names[s->in[i].memory];
        s->memory_size[i] = strlen(s->memory[i]);
        s->layout[i] = s->in[i].layout;
    }
    return NULL;
}

/* Under the names that XLA has for these, and how long a call takes, roughly. */
static void describe_cost(Shared *s)
{
    enum {
        QUICK = 50000
    }; /* ns: to start a call on another thread and hear of its end takes 5,000 to 15,000 */
    weft_program_figures f = weft_program_cost(s->program);
    double bytes = (double)(f.inputs + f.outputs);
    s->cost[0] = COST("flops", f.flops);
    s->cost[1] = COST("transcendentals", f.transcendentals);
    s->cost[2] = COST("bytes accessed", bytes);
    s->scratch = f.scratch;
    s->calls_host = f.calls_host;
    s->quick = !f.open_ended && f.flops / 4 + f.transcendentals / 2 + bytes / 16 < QUICK;
}

/* FNV-1a, of the program's text. */
static void find_fingerprint(Shared *s)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < s->text_size; i++) h = (h ^ (uint8_t)s->text[i]) * UINT64_C(0x100000001b3);
    snprintf(s->fingerprint, sizeof s->fingerprint, "%016llx", (unsigned long long)h);
}

static PJRT_Error *shared_new(PJRT_Client *client, const char *text, size_t n, Shared **out)
{
    Shared *s = calloc(1, sizeof *s);
    char *copy = malloc(n + 1);
    if (!s || !copy) {
        free(s);
        free(copy);
        return error_no_memory();
    }
    atomic_init(&s->users, 1);
    s->client = client;
    s->text = memcpy(copy, text, n);
    s->text_size = n;
    s->program = weft_program_parse_(client->ctx, text, n, NULL, NULL);
    PJRT_Error *e = s->program ? describe_ports(s) : error_of(client->ctx);
    if (!e) e = list_ports(s);
    if (e) {
        shared_drop(s);
        return e;
    }
    describe_cost(s);
    find_fingerprint(s);
    *out = s;
    return NULL;
}

static PJRT_Error *load(PJRT_Client *client, const char *text, size_t n, PJRT_LoadedExecutable **out)
{
    PJRT_LoadedExecutable *l = calloc(1, sizeof *l);
    PJRT_Error *e = l ? shared_new(client, text, n, &l->same.of) : error_no_memory();
    if (e) return free(l), e;
    *out = l;
    return NULL;
}

static PJRT_Error *check_program(const PJRT_Program *p, const char *options, size_t n)
{
    if (p->format_size != 4 || memcmp(p->format, "mlir", 4))
        return error_new(PJRT_Error_Code_UNIMPLEMENTED, "weft: not supported: programs of format %.*s",
                         (int)p->format_size, p->format);
    return options_check(options, n);
}

static PJRT_Error *client_compile(PJRT_Client_Compile_Args *a)
{
    PJRT_Error *e = check_program(a->program, a->compile_options, a->compile_options_size);
    return e ? e : load(a->client, a->program->code, a->program->code_size, &a->executable);
}

/* The client of programs that are compiled without one: one for all, which the first opens. */
static PJRT_Error *common_client(PJRT_Client **client)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static PJRT_Client *common;
    pthread_mutex_lock(&lock);
    PJRT_Error *e = common ? NULL : client_open(&common);
    *client = common;
    pthread_mutex_unlock(&lock);
    return e;
}

/* For a topology: to be looked at and stored, not called. */
static PJRT_Error *compile(PJRT_Compile_Args *a)
{
    PJRT_Client *client = a->client;
    PJRT_Executable *x = calloc(1, sizeof *x);
    PJRT_Error *e =
        x ? check_program(a->program, a->compile_options, a->compile_options_size) : error_no_memory();
    if (!e && !client) e = common_client(&client);
    if (!e) e = shared_new(client, a->program->code, a->program->code_size, &x->of);
    if (e) return free(x), e;
    a->executable = x;
    return NULL;
}

static PJRT_Error *deserialize(PJRT_Executable_DeserializeAndLoad_Args *a)
{
    return load(a->client, a->serialized_executable, a->serialized_executable_size, &a->loaded_executable);
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
      (a->num_outputs = OF(a)->n_out, a->memory_kinds = OF(a)->memory + OF(a)->n_in,
       a->memory_kind_sizes = OF(a)->memory_size + OF(a)->n_in))
GIVES(exe_parameter_kinds, Executable_ParameterMemoryKinds,
      (a->num_parameters = OF(a)->n_in, a->memory_kinds = OF(a)->memory,
       a->memory_kind_sizes = OF(a)->memory_size))
GIVES(exe_fingerprint, Executable_Fingerprint, GIVE_TEXT(a, executable_fingerprint, OF(a)->fingerprint))
GIVES(loaded_fingerprint, LoadedExecutable_Fingerprint,
      GIVE_TEXT(a, executable_fingerprint, a->executable->same.of->fingerprint))
GIVES(exe_cost, Executable_GetCostAnalysis,
      (a->properties = OF(a)->cost, a->num_properties = sizeof OF(a)->cost / sizeof *OF(a)->cost))
GIVES(loaded_devices, LoadedExecutable_AddressableDevices,
      (a->addressable_devices = a->executable->same.of->client->devices, a->num_addressable_devices = 1))
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

/* The program as it came, of which jaxlib makes HLO; asked twice, first for its size. */
static PJRT_Error *exe_program(PJRT_Executable_OptimizedProgram_Args *a)
{
    PJRT_Program *p = a->program;
    p->format = "mlir";
    p->format_size = 4;
    if (p->code) memcpy(p->code, OF(a)->text, OF(a)->text_size);
    p->code_size = OF(a)->text_size;
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

/* ---- how arrays are split among devices ---- */

/* The extension's tables are XLA's; the interface's own header has only its number. */
typedef struct Shardings {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    PJRT_Executable *executable;
    size_t count;
    const char *const *shardings;
    const size_t *sizes;
} Shardings;

/* Nothing is split. If nobody said so, jaxlib would read the whole program for it, at each compile. */
static PJRT_Error *shardings_none(Shardings *a)
{
    a->count = 0;
    a->shardings = NULL;
    a->sizes = NULL;
    return NULL;
}

static struct {
    PJRT_Extension_Base base;
    PJRT_Error *(*of_parameters)(Shardings *);
    PJRT_Error *(*of_results)(Shardings *);
} shardings = { .base = { .struct_size = sizeof shardings, .type = PJRT_Extension_Type_Shardings },
                .of_parameters = shardings_none,
                .of_results = shardings_none };

void api_add_executables(PJRT_Api *api)
{
    shardings.base.next = api->extension_start;
    api->extension_start = &shardings.base;
    api->PJRT_Client_Compile = client_compile;
    api->PJRT_Compile = compile;
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
    api->PJRT_Executable_OptimizedProgram = exe_program;
    api->PJRT_Executable_Serialize = exe_serialize;
    api->PJRT_Executable_DeserializeAndLoad = deserialize;
    api->PJRT_LoadedExecutable_Destroy = loaded_destroy;
    api->PJRT_LoadedExecutable_GetExecutable = loaded_get;
    api->PJRT_LoadedExecutable_AddressableDevices = loaded_devices;
    api->PJRT_LoadedExecutable_GetDeviceAssignment = loaded_assignment;
    api->PJRT_LoadedExecutable_Delete = loaded_delete;
    api->PJRT_LoadedExecutable_IsDeleted = loaded_is_deleted;
    api->PJRT_LoadedExecutable_Fingerprint = loaded_fingerprint;
}
