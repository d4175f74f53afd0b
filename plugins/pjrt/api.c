/* api.c: the door. Every function of the table is there; those that no part adds say that they are not
 * implemented. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include "plugin.h"

/* ---- errors ---- */

struct PJRT_Error {
    PJRT_Error_Code code;
    char text[];
};

enum { LONGEST_ERROR = 4000 };

PJRT_Error *error_no_memory(void)
{
    static struct {
        PJRT_Error_Code code;
        char text[32];
    } none = { PJRT_Error_Code_RESOURCE_EXHAUSTED, "weft: out of memory" };
    return (PJRT_Error *)(void *)&none;
}

PJRT_Error *error_new(PJRT_Error_Code code, const char *format, ...)
{
    char text[LONGEST_ERROR];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    PJRT_Error *e = malloc(sizeof *e + strlen(text) + 1);
    if (!e) return error_no_memory();
    e->code = code;
    strcpy(e->text, text);
    return e;
}

static PJRT_Error_Code code_of(weft_status s, const char *text)
{
    switch (s) {
    case WEFT_MEMORY:   return PJRT_Error_Code_RESOURCE_EXHAUSTED;
    case WEFT_COMPILER: return PJRT_Error_Code_INTERNAL;
    default:
        return strstr(text, "not supported") ? PJRT_Error_Code_UNIMPLEMENTED
                                             : PJRT_Error_Code_INVALID_ARGUMENT;
    }
}

PJRT_Error *error_of(weft_context *ctx)
{
    char text[LONGEST_ERROR];
    const char *said = weft_error(ctx);
    snprintf(text, sizeof text, "%s", said ? said : "an error that says nothing");
    weft_status s = weft_clear(ctx);
    return error_new(code_of(s, text), "weft: %s", text);
}

PJRT_Error_Code error_read(const PJRT_Error *e, const char **text)
{
    *text = e->text;
    return e->code;
}

void error_free(PJRT_Error *e)
{
    if (e != error_no_memory()) free(e);
}

static void error_destroy(PJRT_Error_Destroy_Args *a) { error_free(a->error); }

static void error_message(PJRT_Error_Message_Args *a) { GIVE_TEXT(a, message, a->error->text); }

static PJRT_Error *error_code(PJRT_Error_GetCode_Args *a)
{
    a->code = a->error->code;
    return NULL;
}

static PJRT_Error *error_payloads(PJRT_Error_ForEachPayload_Args *a)
{
    (void)a;
    return NULL;
}

/* ---- the plugin ---- */

static PJRT_Error *plugin_initialize(PJRT_Plugin_Initialize_Args *a)
{
    (void)a;
    return NULL;
}

/* Programs come as VHLO of the version that is asked for here, whatever newer one the caller speaks. */
static PJRT_Error *plugin_attributes(PJRT_Plugin_Attributes_Args *a)
{
    static const int64_t version[3] = { 1, 13, 0 }, least[3] = { 0, 9, 0 };
#define ATTRIBUTE(text, kind, field, is, n) \
    { .struct_size = PJRT_NamedValue_STRUCT_SIZE, \
      .name = (text), \
      .name_size = sizeof(text) - 1, \
      .type = PJRT_NamedValue_##kind, \
      .field = (is), \
      .value_size = (n) }
    static const PJRT_NamedValue attribute[] = {
        ATTRIBUTE("xla_version", kInt64, int64_value, 2, 1),
        ATTRIBUTE("stablehlo_current_version", kInt64List, int64_array_value, version, 3),
        ATTRIBUTE("stablehlo_minimum_version", kInt64List, int64_array_value, least, 3),
    };
    a->attributes = attribute;
    a->num_attributes = sizeof attribute / sizeof *attribute;
    return NULL;
}

/* ---- the table ---- */

#define MISSING(name) \
    static PJRT_Error *no_##name(PJRT_##name##_Args *a) \
    { \
        (void)a; \
        return error_new(PJRT_Error_Code_UNIMPLEMENTED, "weft: PJRT_%s is not implemented", #name); \
    }
/* clang-format off */
#define ALL_MISSING(X) \
    X(Client_UpdateGlobalProcessInfo) X(Client_Load) X(Client_CreateBuffersForAsyncHostToDevice) \
    X(Client_DmaMap) X(Client_DmaUnmap) X(Client_CreateAliasBuffer) X(Client_FulfillAliasBuffer) \
    X(Client_CreateErrorBuffer) X(CopyToDeviceStream_Destroy) X(CopyToDeviceStream_AddChunk) \
    X(CopyToDeviceStream_TotalBytes) X(CopyToDeviceStream_GranuleSize) X(CopyToDeviceStream_CurrentBytes) \
    X(TopologyDescription_Serialize) X(TopologyDescription_Deserialize) \
    X(TopologyDescription_Fingerprint) X(AsyncHostToDeviceTransferManager_Destroy) \
    X(AsyncHostToDeviceTransferManager_TransferData) X(AsyncHostToDeviceTransferManager_RetrieveBuffer) \
    X(AsyncHostToDeviceTransferManager_Device) X(AsyncHostToDeviceTransferManager_BufferCount) \
    X(AsyncHostToDeviceTransferManager_BufferSize) X(AsyncHostToDeviceTransferManager_SetBufferError) \
    X(AsyncHostToDeviceTransferManager_AddMetadata) X(AsyncHostToDeviceTransferManager_TransferLiteral) \
    X(Buffer_CopyRawToHostFuture) X(Buffer_DonateWithControlDependency) X(Buffer_Bitcast) \
    X(Device_PoisonExecution) X(Device_CreateAsyncTrackingEvent) X(AsyncTrackingEvent_Destroy) \
    X(ExecuteContext_Create) X(ExecuteContext_Destroy) \
    X(Executable_GetCompileOptions) X(Executable_OptimizedProgram)
/* clang-format on */
ALL_MISSING(MISSING)

static PJRT_Api api = { .struct_size = PJRT_Api_STRUCT_SIZE,
                        .pjrt_api_version = { .struct_size = PJRT_Api_Version_STRUCT_SIZE,
                                              .major_version = PJRT_API_MAJOR,
                                              .minor_version = PJRT_API_MINOR } };

static void fill(void)
{
    api.PJRT_Error_Destroy = error_destroy;
    api.PJRT_Error_Message = error_message;
    api.PJRT_Error_GetCode = error_code;
    api.PJRT_Error_ForEachPayload = error_payloads;
    api.PJRT_Plugin_Initialize = plugin_initialize;
    api.PJRT_Plugin_Attributes = plugin_attributes;
#define SAY_MISSING(name) api.PJRT_##name = no_##name;
    ALL_MISSING(SAY_MISSING)
    api_add_events(&api);
    api_add_client(&api);
    api_add_buffers(&api);
    api_add_executables(&api);
    api_add_calls(&api);
    api_add_layouts(&api);
}

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void);
const PJRT_Api *GetPjrtApi(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    return &api;
}
