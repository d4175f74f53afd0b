/* test_pjrt.c: weft as a device of JAX's, called as JAX calls it: arrays in and out in every layout, memory
 * lent and given away, programs that run and programs that cannot be. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdio.h>
#include <string.h>
#include <pjrt/pjrt_c_api.h>

static const PJRT_Api *api;
static PJRT_Client *client;

/* A call of the table: CALL(Client_Devices, .client = client) gives the arguments, with what came out. */
#define ARGS(Name, ...) \
    (PJRT_##Name##_Args) { .struct_size = PJRT_##Name##_Args_STRUCT_SIZE, __VA_ARGS__ }
#define CALL(a, Name, ...) \
    PJRT_##Name##_Args a = ARGS(Name, __VA_ARGS__); \
    must(api->PJRT_##Name(&a), #Name)

/* Says what the error is and frees it; its code. */
static int forget(PJRT_Error *e, char *text, size_t size)
{
    PJRT_Error_Message_Args m = ARGS(Error_Message, .error = e);
    PJRT_Error_GetCode_Args c = ARGS(Error_GetCode, .error = e);
    api->PJRT_Error_Message(&m);
    api->PJRT_Error_GetCode(&c);
    snprintf(text, size, "%.*s", (int)m.message_size, m.message);
    PJRT_Error_Destroy_Args d = ARGS(Error_Destroy, .error = e);
    api->PJRT_Error_Destroy(&d);
    return (int)c.code;
}

static void must(PJRT_Error *e, const char *what)
{
    char text[500];
    if (!e) return;
    forget(e, text, sizeof text);
    cr_assert(false, "%s: %s", what, text);
}

static void open_plugin(void)
{
    void *library = dlopen(WEFT_BINARY_DIR "/libweft-pjrt.so", RTLD_NOW | RTLD_LOCAL), *symbol;
    const PJRT_Api *(*get)(void);
    cr_assert(library, "%s", dlerror());
    symbol = dlsym(library, "GetPjrtApi");
    memcpy(&get, &symbol, sizeof get);
    api = get();
    CALL(a, Client_Create, .client = NULL);
    client = a.client;
}

static void close_plugin(void) { CALL(a, Client_Destroy, .client = client); }

static PJRT_Buffer *send_strided(PJRT_Buffer_Type t, const void *data, const int64_t *dims, size_t n,
                                 const int64_t *strides, PJRT_HostBufferSemantics semantics,
                                 PJRT_Event **done)
{
    CALL(a, Client_BufferFromHostBuffer, .client = client, .data = data, .type = t, .dims = dims,
         .num_dims = n, .byte_strides = strides, .num_byte_strides = strides ? n : 0,
         .host_buffer_semantics = semantics);
    *done = a.done_with_host_buffer;
    return a.buffer;
}

static bool is_ready(PJRT_Event *e)
{
    CALL(a, Event_IsReady, .event = e);
    return a.is_ready;
}

static void drop_event(PJRT_Event *e) { CALL(a, Event_Destroy, .event = e); }

static PJRT_Buffer *send(PJRT_Buffer_Type t, const void *data, const int64_t *dims, size_t n)
{
    PJRT_Event *done;
    PJRT_Buffer *b =
        send_strided(t, data, dims, n, NULL, PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, &done);
    cr_expect(is_ready(done));
    drop_event(done);
    return b;
}

static void fetch(PJRT_Buffer *b, PJRT_Buffer_MemoryLayout *layout, void *to, size_t bytes)
{
    CALL(size, Buffer_ToHostBuffer, .src = b);
    cr_expect_eq(size.dst_size, bytes);
    CALL(a, Buffer_ToHostBuffer, .src = b, .host_layout = layout, .dst = to, .dst_size = bytes);
    CALL(wait, Event_Await, .event = a.event);
    drop_event(a.event);
}

static void drop(PJRT_Buffer *b) { CALL(a, Buffer_Destroy, .buffer = b); }

static bool is_deleted(PJRT_Buffer *b)
{
    CALL(a, Buffer_IsDeleted, .buffer = b);
    return a.is_deleted;
}

static PJRT_Error *compile(const char *text, const char *options, size_t n, PJRT_LoadedExecutable **out)
{
    PJRT_Program program = { .struct_size = PJRT_Program_STRUCT_SIZE,
                             .code = (char *)(uintptr_t)text,
                             .code_size = strlen(text),
                             .format = "mlir",
                             .format_size = 4 };
    PJRT_Client_Compile_Args a = ARGS(Client_Compile, .client = client, .program = &program,
                                      .compile_options = options, .compile_options_size = n);
    PJRT_Error *e = api->PJRT_Client_Compile(&a);
    *out = a.executable;
    return e;
}

static PJRT_Error *start(PJRT_LoadedExecutable *l, PJRT_Buffer *const *in, size_t n, PJRT_Buffer **out,
                         const int64_t *keep, size_t n_keep, PJRT_Event **done)
{
    PJRT_ExecuteOptions options = { .struct_size = PJRT_ExecuteOptions_STRUCT_SIZE,
                                    .non_donatable_input_indices = keep,
                                    .num_non_donatable_input_indices = n_keep };
    PJRT_LoadedExecutable_Execute_Args a =
        ARGS(LoadedExecutable_Execute, .executable = l, .options = &options, .argument_lists = &in,
             .num_devices = 1, .num_args = n, .output_lists = &out, .device_complete_events = done);
    return api->PJRT_LoadedExecutable_Execute(&a);
}

/* Runs it and waits for its end. */
static PJRT_Error *execute(PJRT_LoadedExecutable *l, PJRT_Buffer *const *in, size_t n, PJRT_Buffer **out,
                           const int64_t *keep, size_t n_keep)
{
    PJRT_Event *done = NULL;
    PJRT_Error *e = start(l, in, n, out, keep, n_keep, &done);
    if (e) return e;
    CALL(wait, Event_Await, .event = done);
    cr_expect(is_ready(done));
    drop_event(done);
    return NULL;
}

static PJRT_Event *execute_later(PJRT_LoadedExecutable *l, PJRT_Buffer *const *in, size_t n,
                                 PJRT_Buffer **out)
{
    PJRT_Event *done = NULL;
    must(start(l, in, n, out, NULL, 0, &done), "start");
    return done;
}

/* ---- arrays ---- */

static const int64_t two_by_three[] = { 2, 3 };
static alignas(64) const float numbers[6] = { 1, 2, 3, 4, 5, 6 };

Test(pjrt, to_and_fro, .init = open_plugin, .fini = close_plugin)
{
    float back[6];
    PJRT_Buffer *b = send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2);
    CALL(type, Buffer_ElementType, .buffer = b);
    CALL(dims, Buffer_Dimensions, .buffer = b);
    cr_expect(type.type == PJRT_Buffer_Type_F32 && dims.num_dims == 2 && dims.dims[1] == 3);
    fetch(b, NULL, back, sizeof back);
    cr_expect(!memcmp(back, numbers, sizeof back));
    drop(b);
}

/* Columns first, both ways. */
Test(pjrt, layouts, .init = open_plugin, .fini = close_plugin)
{
    static const int64_t strides[] = { 4, 8 }, order[] = { 0, 1 };
    static const float columns[6] = { 1, 4, 2, 5, 3, 6 };
    float back[6];
    PJRT_Event *done;
    PJRT_Buffer *b = send_strided(PJRT_Buffer_Type_F32, columns, two_by_three, 2, strides,
                                  PJRT_HostBufferSemantics_kImmutableZeroCopy, &done);
    PJRT_Buffer_MemoryLayout by_column = { .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
                                           .type = PJRT_Buffer_MemoryLayout_Type_Tiled };
    by_column.tiled.minor_to_major = order;
    by_column.tiled.minor_to_major_size = 2;
    fetch(b, NULL, back, sizeof back);
    cr_expect(!memcmp(back, numbers, sizeof back));
    fetch(b, &by_column, back, sizeof back);
    cr_expect(!memcmp(back, columns, sizeof back));
    drop_event(done);
    drop(b);
}

static void count_one(PJRT_Error *e, void *user)
{
    cr_expect(!e);
    ++*(int *)user;
}

/* Memory that is lent is not copied, and given back when the last buffer goes. */
Test(pjrt, lent, .init = open_plugin, .fini = close_plugin)
{
    PJRT_Event *done;
    int told = 0;
    PJRT_Buffer *b = send_strided(PJRT_Buffer_Type_F32, numbers, two_by_three, 2, NULL,
                                  PJRT_HostBufferSemantics_kImmutableZeroCopy, &done);
    CALL(at, Buffer_UnsafePointer, .buffer = b);
    cr_expect_eq(at.buffer_pointer, (uintptr_t)numbers);
    CALL(wait, Event_OnReady, .event = done, .callback = count_one, .user_arg = &told);
    cr_expect(!is_ready(done) && told == 0);
    drop(b);
    cr_expect(is_ready(done) && told == 1);
    drop_event(done);
}

Test(pjrt, what_it_does_not_take, .init = open_plugin, .fini = close_plugin)
{
    static const struct {
        PJRT_Buffer_Type type;
        int64_t dim;
        size_t rank;
        int code;
    } bad[] = { { PJRT_Buffer_Type_S4, 2, 1, PJRT_Error_Code_UNIMPLEMENTED },
                { PJRT_Buffer_Type_F32, -1, 1, PJRT_Error_Code_INVALID_ARGUMENT },
                { PJRT_Buffer_Type_F32, INT64_MAX, 1, PJRT_Error_Code_INVALID_ARGUMENT },
                { PJRT_Buffer_Type_F32, 1, 33, PJRT_Error_Code_INVALID_ARGUMENT } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t dims[33];
        char text[500];
        for (int k = 0; k < 33; k++) dims[k] = bad[i].dim;
        PJRT_Client_CreateUninitializedBuffer_Args a =
            ARGS(Client_CreateUninitializedBuffer, .client = client, .shape_dims = dims,
                 .shape_num_dims = bad[i].rank, .shape_element_type = bad[i].type);
        PJRT_Error *e = api->PJRT_Client_CreateUninitializedBuffer(&a);
        cr_assert(e);
        int code = forget(e, text, sizeof text);
        cr_expect(code == bad[i].code && strstr(text, "weft: "), "%d: %s", code, text);
    }
}

/* ---- programs ---- */

static const char twice[] = "module @twice { func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32> "
                            "{jax.buffer_donor = true})"
                            " -> (tensor<2x3xf32>, tensor<2xi32>) {\n"
                            " %a = stablehlo.add %x, %y : tensor<2x3xf32>\n"
                            " %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>\n"
                            " return %a, %b : tensor<2x3xf32>, tensor<2xi32>\n} }\n";

static PJRT_LoadedExecutable *compiled(const char *text)
{
    PJRT_LoadedExecutable *l;
    must(compile(text, NULL, 0, &l), "compile");
    return l;
}

static void drop_program(PJRT_LoadedExecutable *l) { CALL(a, LoadedExecutable_Destroy, .executable = l); }

Test(pjrt, run, .init = open_plugin, .fini = close_plugin)
{
    float sum[6];
    int32_t pair[2];
    PJRT_LoadedExecutable *l = compiled(twice);
    CALL(get, LoadedExecutable_GetExecutable, .loaded_executable = l);
    CALL(name, Executable_Name, .executable = get.executable);
    CALL(outputs, Executable_NumOutputs, .executable = get.executable);
    CALL(dims, Executable_OutputDimensions, .executable = get.executable);
    CALL(cost, Executable_GetCostAnalysis, .executable = get.executable);
    CALL(memory, Executable_GetCompiledMemoryStats, .executable = get.executable);
    cr_expect(cost.num_properties == 3 && !strcmp(cost.properties[0].name, "flops") &&
              cost.properties[0].float_value == 6);
    cr_expect(memory.argument_size_in_bytes == 48 && memory.output_size_in_bytes == 32);
    cr_expect(name.executable_name_size == 5 && !memcmp(name.executable_name, "twice", 5));
    cr_expect(outputs.num_outputs == 2 && dims.dim_sizes[0] == 2 && dims.dims[1] == 3 && dims.dims[2] == 2);
    CALL(gone, Executable_Destroy, .executable = get.executable);
    PJRT_Buffer *in[] = { send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2),
                          send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2) };
    PJRT_Buffer *out[2];
    must(execute(l, in, 2, out, (const int64_t[]){ 1 }, 1), "kept");
    cr_expect(!is_deleted(in[1]));
    fetch(out[0], NULL, sum, sizeof sum);
    fetch(out[1], NULL, pair, sizeof pair);
    for (int i = 0; i < 6; i++) cr_expect_eq(sum[i], 2 * numbers[i]);
    cr_expect(pair[0] == 3 && pair[1] == 4);
    drop(out[0]);
    drop(out[1]);

    CALL(before, Buffer_UnsafePointer, .buffer = in[1]);
    must(execute(l, in, 2, out, NULL, 0), "donated");
    CALL(after, Buffer_UnsafePointer, .buffer = out[0]);
    cr_expect(is_deleted(in[1]) && before.buffer_pointer == after.buffer_pointer);
    fetch(out[0], NULL, sum, sizeof sum);
    cr_expect_eq(sum[5], 12);
    drop(out[0]);
    drop(out[1]);

    char text[500];
    PJRT_Error *e = execute(l, in, 2, out, NULL, 0);
    cr_assert(e);
    forget(e, text, sizeof text);
    cr_expect(strstr(text, "deleted or donated"), "%s", text);
    drop(in[0]);
    drop(in[1]);
    drop_program(l);
}

/* What is given twice cannot be written over. */
Test(pjrt, donated_twice, .init = open_plugin, .fini = close_plugin)
{
    PJRT_LoadedExecutable *l = compiled(twice);
    PJRT_Buffer *b = send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2), *out[2];
    char text[500];
    PJRT_Error *e = execute(l, (PJRT_Buffer *[]){ b, b }, 2, out, NULL, 0);
    cr_assert(e);
    forget(e, text, sizeof text);
    cr_expect(strstr(text, "argument 1 is donated"), "%s", text);
    cr_expect(!is_deleted(b));
    drop(b);
    drop_program(l);
}

/* A program of so many steps that it runs behind the caller's back, and one that waits for its result. */
static const char slow[] =
    "func.func @main(%x: tensor<2x3xf32> {jax.buffer_donor = true}) -> tensor<2x3xf32> {\n"
    " %z = stablehlo.constant dense<0> : tensor<i32>\n"
    " %o = stablehlo.constant dense<1> : tensor<i32>\n"
    " %n = stablehlo.constant dense<100000> : tensor<i32>\n"
    " %f = stablehlo.constant dense<1.0> : tensor<2x3xf32>\n"
    " %r:2 = stablehlo.while(%i = %z, %y = %x) : tensor<i32>, tensor<2x3xf32>\n"
    " cond { %l = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "  stablehlo.return %l : tensor<i1> }\n"
    " do { %j = stablehlo.add %i, %o : tensor<i32>\n"
    "  %w = stablehlo.add %y, %f : tensor<2x3xf32>\n"
    "  stablehlo.return %j, %w : tensor<i32>, tensor<2x3xf32> }\n"
    " return %r#1 : tensor<2x3xf32> }\n";

/* Each call writes over what the one before gave; the last result is deleted, and the others are, before they
 * are computed. */
Test(pjrt, calls_in_order, .init = open_plugin, .fini = close_plugin)
{
    enum { CALLS = 50 };
    PJRT_LoadedExecutable *l = compiled(slow), *quick = compiled(twice);
    float back[6];
    PJRT_Buffer *b = send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2), *pair[2];
    int told = 0;
    for (int i = 0; i < CALLS; i++) {
        PJRT_Buffer *next;
        PJRT_Event *done = execute_later(l, &b, 1, &next);
        CALL(wait, Event_OnReady, .event = done, .callback = count_one, .user_arg = &told);
        drop_event(done);
        drop(b);
        b = next;
    }
    PJRT_Buffer *same[] = { b, b };
    must(execute(quick, same, 2, pair, (const int64_t[]){ 1 }, 1), "twice");
    drop(b);
    fetch(pair[0], NULL, back, sizeof back);
    cr_expect_eq(back[0], 2 * (numbers[0] + CALLS * 1e5f), "%g", (double)back[0]);
    cr_expect_eq(told, CALLS);
    drop(pair[0]);
    drop(pair[1]);
    b = send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2);
    PJRT_Buffer *never_read;
    drop_event(execute_later(l, &b, 1, &never_read));
    drop(never_read);
    drop(b);
    drop_program(l);
    drop_program(quick);
}

Test(pjrt, memory, .init = open_plugin, .fini = close_plugin)
{
    static const int64_t million[] = { 1000000 };
    CALL(devices, Client_Devices, .client = client);
    CALL(before, Device_MemoryStats, .device = devices.devices[0]);
    CALL(made, Client_CreateUninitializedBuffer, .client = client, .shape_dims = million, .shape_num_dims = 1,
         .shape_element_type = PJRT_Buffer_Type_F32);
    CALL(after, Device_MemoryStats, .device = devices.devices[0]);
    cr_expect_geq(after.bytes_in_use, before.bytes_in_use + 4000000);
    cr_expect(after.peak_bytes_in_use_is_set && after.peak_bytes_in_use >= after.bytes_in_use);
    drop(made.buffer);
}

Test(pjrt, programs_that_cannot_be, .init = open_plugin, .fini = close_plugin)
{
    /* two replicas, as a protocol buffer: field 3, in it field 4 */
    static const char replicas[] = { 0x1a, 0x02, 0x20, 0x02 };
    /* an option "no" that is "1": field 7, in it a name and a value */
    static const char option[] = { 0x3a, 0x09, 0x0a, 0x02, 'n', 'o', 0x12, 0x03, 0x0a, 0x01, '1' };
    static const struct {
        const char *text;
        const char *options;
        size_t n;
        int code;
        const char *says;
    } bad[] = {
        { "", NULL, 0, PJRT_Error_Code_INVALID_ARGUMENT, "no func" },
        { "module { func.func @main() { stablehlo.frobnicate } }", NULL, 0, PJRT_Error_Code_INVALID_ARGUMENT,
          "1:30" },
        { "module { func.func @main(%x: tensor<2xi4>) { return } }", NULL, 0, PJRT_Error_Code_UNIMPLEMENTED,
          "not supported: " },
        { twice, replicas, sizeof replicas, PJRT_Error_Code_UNIMPLEMENTED, "2 replicas" },
        { twice, option, sizeof option, PJRT_Error_Code_INVALID_ARGUMENT, "No such compile option: 'no'" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        PJRT_LoadedExecutable *l;
        char text[500];
        PJRT_Error *e = compile(bad[i].text, bad[i].options, bad[i].n, &l);
        cr_assert(e, "%s", bad[i].says);
        int code = forget(e, text, sizeof text);
        cr_expect(code == bad[i].code && strstr(text, bad[i].says), "%d: %s", code, text);
    }
}

static void *run_often(void *program)
{
    for (int i = 0; i < 100; i++) {
        PJRT_Buffer *in[] = { send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2),
                              send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2) };
        PJRT_Buffer *out[2];
        float sum[6];
        must(execute(program, in, 2, out, NULL, 0), "execute");
        fetch(out[0], NULL, sum, sizeof sum);
        cr_expect_eq(sum[3], 8);
        for (int k = 0; k < 2; k++) drop(in[k]), drop(out[k]);
    }
    return NULL;
}

Test(pjrt, threads, .init = open_plugin, .fini = close_plugin)
{
    PJRT_LoadedExecutable *l = compiled(twice);
    pthread_t t[4];
    for (int i = 0; i < 4; i++) cr_assert(!pthread_create(&t[i], NULL, run_often, l));
    for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    drop_program(l);
}

/* What is stored and loaded again runs alike, and has one fingerprint. */
Test(pjrt, stored, .init = open_plugin, .fini = close_plugin)
{
    PJRT_LoadedExecutable *l = compiled(twice);
    CALL(get, LoadedExecutable_GetExecutable, .loaded_executable = l);
    CALL(store, Executable_Serialize, .executable = get.executable);
    CALL(load, Executable_DeserializeAndLoad, .client = client,
         .serialized_executable = store.serialized_bytes,
         .serialized_executable_size = store.serialized_bytes_size);
    store.serialized_executable_deleter(store.serialized_executable);
    CALL(first, LoadedExecutable_Fingerprint, .executable = l);
    CALL(second, LoadedExecutable_Fingerprint, .executable = load.loaded_executable);
    cr_expect(first.executable_fingerprint_size == 16 &&
              !memcmp(first.executable_fingerprint, second.executable_fingerprint, 16));
    run_often(load.loaded_executable);
    CALL(gone, Executable_Destroy, .executable = get.executable);
    drop_program(load.loaded_executable);
    drop_program(l);
}

/* Every function of the table is there. */
Test(pjrt, table, .init = open_plugin, .fini = close_plugin)
{
    const char *from = (const char *)api + offsetof(PJRT_Api, PJRT_Error_Destroy),
               *to = (const char *)api + PJRT_Api_STRUCT_SIZE;
    for (const char *at = from; at < to; at += sizeof(void *)) {
        void *function;
        memcpy(&function, at, sizeof function);
        cr_expect(function, "entry %zu", (size_t)(at - from) / sizeof(void *));
    }
}
