/* pjrt_calls.h: calls of the plugin's table in few words, for the suite and for the program of threads. Who
 * includes it says what a call that fails, or a value that is wrong, comes to: PJRT_FAILED(format, ...). */
#ifndef WEFT_TESTS_PJRT_CALLS_H
#define WEFT_TESTS_PJRT_CALLS_H
#include <dlfcn.h>
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
    PJRT_FAILED("%s: %s", what, text);
}

/* The function of the plugin, at *function. */
static void find(const char *name, void *function)
{
    void *library = dlopen(WEFT_BINARY_DIR "/libweft-pjrt.so", RTLD_NOW | RTLD_LOCAL), *symbol;
    if (!library || !(symbol = dlsym(library, name))) PJRT_FAILED("%s", dlerror());
    memcpy(function, &symbol, sizeof symbol);
}

static void open_plugin(void)
{
    const PJRT_Api *(*get)(void);
    find("GetPjrtApi", &get);
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
    if (!is_ready(done)) PJRT_FAILED("an event that is over is not ready");
    drop_event(done);
    return b;
}

static void fetch(PJRT_Buffer *b, PJRT_Buffer_MemoryLayout *layout, void *to, size_t bytes)
{
    CALL(size, Buffer_ToHostBuffer, .src = b);
    if (size.dst_size != bytes) PJRT_FAILED("%zu bytes, not %zu", size.dst_size, bytes);
    CALL(a, Buffer_ToHostBuffer, .src = b, .host_layout = layout, .dst = to, .dst_size = bytes);
    CALL(wait, Event_Await, .event = a.event);
    drop_event(a.event);
}

static void drop(PJRT_Buffer *b) { CALL(a, Buffer_Destroy, .buffer = b); }

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
    if (!is_ready(done)) PJRT_FAILED("an event that is over is not ready");
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

static const int64_t two_by_three[] = { 2, 3 };
static alignas(64) const float numbers[6] = { 1, 2, 3, 4, 5, 6 };

static const char twice[] = "module @twice { func.func public @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32> "
                            "{jax.buffer_donor = true})"
                            " -> (tensor<2x3xf32>, tensor<2xi32>) {\n"
                            " %a = stablehlo.add %x, %y : tensor<2x3xf32>\n"
                            " %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>\n"
                            " return %a, %b : tensor<2x3xf32>, tensor<2xi32>\n} }\n";

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

static PJRT_LoadedExecutable *compiled(const char *text)
{
    PJRT_LoadedExecutable *l;
    must(compile(text, NULL, 0, &l), "compile");
    return l;
}

static void drop_program(PJRT_LoadedExecutable *l) { CALL(a, LoadedExecutable_Destroy, .executable = l); }
#endif
