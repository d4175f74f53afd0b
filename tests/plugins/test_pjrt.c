/* test_pjrt.c: weft as a device of JAX's, called as JAX calls it: arrays in and out in every layout, memory
 * lent and given away, programs that run and programs that cannot be. */
#include <criterion/criterion.h>
#include <pthread.h>

#define PJRT_FAILED(...) cr_assert(false, __VA_ARGS__)
#include "pjrt_calls.h"

/* ---- arrays ---- */

static bool is_deleted(PJRT_Buffer *b)
{
    CALL(a, Buffer_IsDeleted, .buffer = b);
    return a.is_deleted;
}

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

/* An array that lies by columns, from the host's rows, in two ways to say it. */
Test(pjrt, arrays_by_columns, .init = open_plugin, .fini = close_plugin)
{
    static const int64_t strides[] = { 4, 8 }, gaps[] = { 4, 16 }, order[] = { 0, 1 };
    static const float columns[6] = { 1, 4, 2, 5, 3, 6 };
    float back[6];
    PJRT_Buffer_MemoryLayout by_order = { .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
                                          .type = PJRT_Buffer_MemoryLayout_Type_Tiled };
    by_order.tiled.minor_to_major = order;
    by_order.tiled.minor_to_major_size = 2;
    PJRT_Buffer_MemoryLayout by_strides = { .struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE,
                                            .type = PJRT_Buffer_MemoryLayout_Type_Strides };
    by_strides.strides.byte_strides = strides;
    by_strides.strides.num_byte_strides = 2;
    PJRT_Client_BufferFromHostBuffer_Args a =
        ARGS(Client_BufferFromHostBuffer, .client = client, .data = numbers, .type = PJRT_Buffer_Type_F32,
             .dims = two_by_three, .num_dims = 2,
             .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy);
    for (int i = 0; i < 2; i++) {
        a.device_layout = i ? &by_strides : &by_order;
        must(api->PJRT_Client_BufferFromHostBuffer(&a), "by columns");
        drop_event(a.done_with_host_buffer);
        CALL(at, Buffer_UnsafePointer, .buffer = a.buffer);
        CALL(is, Buffer_GetMemoryLayout, .buffer = a.buffer);
        cr_expect(is.layout.tiled.minor_to_major[0] == 0 && is.layout.tiled.minor_to_major[1] == 1);
        cr_expect(!memcmp((void *)at.buffer_pointer, columns, sizeof columns));
        fetch(a.buffer, NULL, back, sizeof back); /* no layout: the array's own */
        cr_expect(!memcmp(back, columns, sizeof back));
        drop(a.buffer);
    }
    char text[500];
    by_strides.strides.byte_strides = gaps;
    PJRT_Error *e = api->PJRT_Client_BufferFromHostBuffer(&a);
    cr_assert(e);
    forget(e, text, sizeof text);
    cr_expect(strstr(text, "gaps"), "%s", text);
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

/* Memory that somebody outside looks at stays as it is when its buffer is deleted, or gone. */
Test(pjrt, seen_from_outside, .init = open_plugin, .fini = close_plugin)
{
    static const float others[6] = { 9, 9, 9, 9, 9, 9 };
    for (int gone = 0; gone < 2; gone++) {
        PJRT_Buffer *b = send(PJRT_Buffer_Type_F32, numbers, two_by_three, 2), *more[4];
        CALL(see, Buffer_IncreaseExternalReferenceCount, .buffer = b);
        CALL(again, Buffer_IncreaseExternalReferenceCount, .buffer = b);
        CALL(at, Buffer_OpaqueDeviceMemoryDataPointer, .buffer = b);
        if (gone) drop(b);
        else {
            CALL(delete, Buffer_Delete, .buffer = b);
            cr_expect(is_deleted(b));
        }
        CALL(once, Buffer_DecreaseExternalReferenceCount, .buffer = b);
        for (int i = 0; i < 4; i++) more[i] = send(PJRT_Buffer_Type_F32, others, two_by_three, 2);
        cr_expect(!memcmp(at.device_memory_ptr, numbers, sizeof numbers), "%s", gone ? "gone" : "deleted");
        CALL(last, Buffer_DecreaseExternalReferenceCount, .buffer = b);
        if (!gone) drop(b);
        for (int i = 0; i < 4; i++) drop(more[i]);
    }
}

Test(pjrt, what_it_does_not_take, .init = open_plugin, .fini = close_plugin)
{
    static const struct {
        PJRT_Buffer_Type type;
        int64_t dim;
        size_t rank;
        int code;
    } bad[] = { { PJRT_Buffer_Type_TOKEN, 2, 1, PJRT_Error_Code_UNIMPLEMENTED },
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
        { "module { func.func @main(%x: tensor<?xf32>) { return } }", NULL, 0, PJRT_Error_Code_UNIMPLEMENTED,
          "not supported: " },
        { "module { func.func @main(%x: tensor<2xcomplex<f16>>) { return } }", NULL, 0,
          PJRT_Error_Code_UNIMPLEMENTED, "not supported: complex numbers" },
        { "module { func.func @main() -> (tensor<f32> {mhlo.memory_kind = \"shelf\"}) {"
          " %x = stablehlo.constant dense<1.0> : tensor<f32> return %x : tensor<f32> } }",
          NULL, 0, PJRT_Error_Code_INVALID_ARGUMENT,
          "result 0 in memory of kind shelf: there are device, pinned_host and unpinned_host" },
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

static PJRT_LoadedExecutable *load_again(PJRT_LoadedExecutable *l)
{
    CALL(get, LoadedExecutable_GetExecutable, .loaded_executable = l);
    CALL(store, Executable_Serialize, .executable = get.executable);
    CALL(load, Executable_DeserializeAndLoad, .client = client,
         .serialized_executable = store.serialized_bytes,
         .serialized_executable_size = store.serialized_bytes_size);
    store.serialized_executable_deleter(store.serialized_executable);
    CALL(gone, Executable_Destroy, .executable = get.executable);
    return load.loaded_executable;
}

/* What is stored and loaded again runs alike, and has one fingerprint. */
Test(pjrt, stored, .init = open_plugin, .fini = close_plugin)
{
    PJRT_LoadedExecutable *l = compiled(twice), *again = load_again(l);
    CALL(first, LoadedExecutable_Fingerprint, .executable = l);
    CALL(second, LoadedExecutable_Fingerprint, .executable = again);
    cr_expect(first.executable_fingerprint_size == 16 &&
              !memcmp(first.executable_fingerprint, second.executable_fingerprint, 16));
    run_often(again);
    drop_program(again);
    drop_program(l);
}

/* An array of no bools, as JAX begins, or what another call gave, is a token; what comes out is one, and is
 * asked and copied as any array. What is no token is not taken for one, nor a token for bools. */
Test(pjrt, tokens, .init = open_plugin, .fini = close_plugin)
{
    static const char text[] =
        "func.func @main(%t: !stablehlo.token, %n: tensor<0xi1>) -> (!stablehlo.token, tensor<0xi1>) {\n"
        " %u = stablehlo.after_all %t : !stablehlo.token\n"
        " return %u, %n : !stablehlo.token, tensor<0xi1>\n}\n";
    static const int64_t none = 0, one = 1;
    PJRT_LoadedExecutable *l = compiled(text), *again = load_again(l);
    CALL(get, LoadedExecutable_GetExecutable, .loaded_executable = again);
    CALL(types, Executable_OutputElementTypes, .executable = get.executable);
    cr_expect(types.num_output_types == 2 && types.output_types[0] == PJRT_Buffer_Type_TOKEN &&
              types.output_types[1] == PJRT_Buffer_Type_PRED);
    PJRT_Buffer *bools = send(PJRT_Buffer_Type_PRED, "", &none, 1), *in[] = { bools, bools };
    for (int i = 0; i < 4; i++) {
        PJRT_Buffer *out[2];
        must(execute(i % 2 ? again : l, in, 2, out, NULL, 0), "tokens");
        CALL(type, Buffer_ElementType, .buffer = out[0]);
        CALL(size, Buffer_OnDeviceSizeInBytes, .buffer = out[0]);
        CALL(dims, Buffer_Dimensions, .buffer = out[0]);
        CALL(ready, Buffer_ReadyEvent, .buffer = out[0]);
        CALL(wait, Event_Await, .event = ready.event);
        CALL(copy, Buffer_CopyToMemory, .buffer = out[0]);
        CALL(type_of_copy, Buffer_ElementType, .buffer = copy.dst_buffer);
        cr_expect(type.type == PJRT_Buffer_Type_TOKEN && type_of_copy.type == PJRT_Buffer_Type_TOKEN);
        cr_expect(!size.on_device_size_in_bytes && dims.num_dims == 1 && !dims.dims[0]);
        fetch(out[0], NULL, &(char){ 0 }, 0);
        drop_event(ready.event);
        drop(copy.dst_buffer);
        drop(out[1]);
        if (i) drop(in[0]);
        in[0] = out[0];
    }
    PJRT_Buffer *bool_of_one = send(PJRT_Buffer_Type_PRED, "", &one, 1), *out[2];
    PJRT_Buffer *no_bytes = send(PJRT_Buffer_Type_U8, "", &none, 1);
    PJRT_Buffer *bad[][2] = { { bool_of_one, bools }, { no_bytes, bools }, { bools, in[0] } };
    for (int i = 0; i < 3; i++) {
        char said[500];
        PJRT_Error *e = execute(l, bad[i], 2, out, NULL, 0);
        cr_assert(e);
        forget(e, said, sizeof said);
        cr_expect(strstr(said, i < 2 ? "argument 0 has another" : "argument 1 has another"), "%s", said);
    }
    drop(no_bytes);
    drop(bool_of_one);
    drop(bools);
    drop(in[0]);
    CALL(gone, Executable_Destroy, .executable = get.executable);
    drop_program(again);
    drop_program(l);
}

/* The program as it came; and nothing is split among devices, so that nobody reads it to find that out. */
Test(pjrt, shown, .init = open_plugin, .fini = close_plugin)
{
    typedef struct Shardings {
        size_t struct_size;
        PJRT_Extension_Base *extension_start;
        PJRT_Executable *executable;
        size_t count;
        const char *const *shardings;
        const size_t *sizes;
    } Shardings;
    typedef struct Extension {
        PJRT_Extension_Base base;
        PJRT_Error *(*of[2])(Shardings *);
    } Extension;
    char text[400] = "";
    PJRT_Program program = { .struct_size = PJRT_Program_STRUCT_SIZE };
    PJRT_LoadedExecutable *l = compiled(twice);
    CALL(get, LoadedExecutable_GetExecutable, .loaded_executable = l);
    CALL(size, Executable_OptimizedProgram, .executable = get.executable, .program = &program);
    cr_assert(program.code_size == strlen(twice) && program.code_size < sizeof text);
    program.code = text;
    CALL(all, Executable_OptimizedProgram, .executable = get.executable, .program = &program);
    cr_expect(!strcmp(text, twice) && program.format_size == 4 && !memcmp(program.format, "mlir", 4));
    const PJRT_Extension_Base *e = api->extension_start;
    while (e && e->type != PJRT_Extension_Type_Shardings) e = e->next;
    cr_assert(e);
    for (int i = 0; i < 2; i++) {
        Shardings none = { .struct_size = sizeof none, .executable = get.executable, .count = 7 };
        cr_expect(!((const Extension *)(const void *)e)->of[i](&none) && none.count == 0 && !none.shardings);
    }
    CALL(gone, Executable_Destroy, .executable = get.executable);
    drop_program(l);
}

static PJRT_Executable *compile_alone(const char *text)
{
    PJRT_Program program = { .struct_size = PJRT_Program_STRUCT_SIZE,
                             .code = (char *)(uintptr_t)text,
                             .code_size = strlen(text),
                             .format = "mlir",
                             .format_size = 4 };
    CALL(topology, TopologyDescription_Create, .create_options = NULL);
    CALL(a, Compile, .topology = topology.topology, .program = &program);
    return a.executable;
}

/* Programs that are compiled without a client share a context: each has a thread key, of which a process has
 * few. */
Test(pjrt, compiled_for_a_topology, .init = open_plugin, .fini = close_plugin)
{
    enum { PROGRAMS = 5 };
    PJRT_Executable *program[PROGRAMS];
    pthread_key_t key, last[2] = { 0, 0 };
    program[0] = compile_alone(twice);
    while (!pthread_key_create(&key, NULL)) last[0] = last[1], last[1] = key;
    for (int i = 0; i < 2; i++) pthread_key_delete(last[i]);
    for (int i = 1; i < PROGRAMS; i++) program[i] = compile_alone(twice);
    for (int i = 0; i < PROGRAMS; i++) {
        CALL(a, Executable_Destroy, .executable = program[i]);
    }
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
