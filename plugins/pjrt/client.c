/* client.c: the client, which is a context; its one device, this machine's cores; and its memories. */
#include "plugin.h"

struct PJRT_DeviceDescription {
    int number;
};
struct PJRT_TopologyDescription {
    int number;
};

static PJRT_DeviceDescription description;
static PJRT_DeviceDescription *const the_descriptions[1] = { &description };
static PJRT_TopologyDescription topology;

#define PLATFORM "weft"

/* ---- the client ---- */

PJRT_Error *client_open(PJRT_Client **client)
{
    PJRT_Client *c = calloc(1, sizeof *c);
    if (!c) return error_no_memory();
    c->ctx = weft_open(NULL);
    if (!c->ctx) {
        free(c);
        return error_of(NULL);
    }
    hosts_add(c->ctx);
    c->queue = queue_new();
    c->device.client = c;
    c->devices[0] = &c->device;
    for (MemoryKind kind = 0; kind < MEMORIES; kind++) {
        c->memory[kind] = (PJRT_Memory){ c, kind };
        c->memories[kind] = &c->memory[kind];
    }
    *client = c;
    return NULL;
}

void client_close(PJRT_Client *c)
{
    queue_free(c->queue);
    weft_close(c->ctx);
    free(c);
}

static PJRT_Error *client_create(PJRT_Client_Create_Args *a) { return client_open(&a->client); }
GIVES(client_destroy, Client_Destroy, client_close(a->client))
GIVES(client_platform_name, Client_PlatformName, GIVE_TEXT(a, platform_name, PLATFORM))
GIVES(client_process_index, Client_ProcessIndex, a->process_index = 0)
GIVES(client_platform_version, Client_PlatformVersion, GIVE_TEXT(a, platform_version, "weft " PLUGIN_VERSION))
GIVES(client_topology, Client_TopologyDescription, a->topology = &topology)
GIVES(client_devices, Client_Devices, (a->devices = a->client->devices, a->num_devices = 1))
GIVES(client_addressable_devices, Client_AddressableDevices,
      (a->addressable_devices = a->client->devices, a->num_addressable_devices = 1))
GIVES(client_memories, Client_AddressableMemories,
      (a->addressable_memories = a->client->memories, a->num_addressable_memories = MEMORIES))

static PJRT_Error *client_device(PJRT_Client_LookupDevice_Args *a)
{
    if (a->id != 0)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: no device %d: there is 0", a->id);
    a->device = &a->client->device;
    return NULL;
}

static PJRT_Error *client_addressable_device(PJRT_Client_LookupAddressableDevice_Args *a)
{
    if (a->local_hardware_id != 0)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT, "weft: no device %d: there is 0",
                         a->local_hardware_id);
    a->addressable_device = &a->client->device;
    return NULL;
}

static PJRT_Error *client_assignment(PJRT_Client_DefaultDeviceAssignment_Args *a)
{
    if (a->num_replicas > 1 || a->num_partitions > 1)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                         "weft: %d replicas and %d partitions: allowed is 1, there is one device",
                         a->num_replicas, a->num_partitions);
    for (size_t i = 0; i < a->default_assignment_size; i++) a->default_assignment[i] = 0;
    return NULL;
}

/* ---- the device ---- */

GIVES(description_id, DeviceDescription_Id, a->id = 0)
GIVES(description_process, DeviceDescription_ProcessIndex, a->process_index = 0)
GIVES(description_attributes, DeviceDescription_Attributes, (a->attributes = NULL, a->num_attributes = 0))
GIVES(description_kind, DeviceDescription_Kind, GIVE_TEXT(a, device_kind, "cpu"))
GIVES(description_debug, DeviceDescription_DebugString, GIVE_TEXT(a, debug_string, "weft:0"))
GIVES(description_text, DeviceDescription_ToString, GIVE_TEXT(a, to_string, "WeftDevice(id=0)"))
GIVES(device_description, Device_GetDescription, a->device_description = &description)
GIVES(device_addressable, Device_IsAddressable, a->is_addressable = true)
GIVES(device_hardware, Device_LocalHardwareId, a->local_hardware_id = 0)
GIVES(device_memories, Device_AddressableMemories,
      (a->memories = a->device->client->memories, a->num_memories = MEMORIES))
GIVES(device_memory, Device_DefaultMemory, a->memory = &a->device->client->memory[MEMORY_DEVICE])

static PJRT_Error *device_memory_stats(PJRT_Device_MemoryStats_Args *a)
{
    weft_counters c = weft_stats(a->device->client->ctx);
    a->bytes_in_use = (int64_t)c.bytes_in_use;
    a->peak_bytes_in_use = (int64_t)c.peak_bytes;
    a->pool_bytes = (int64_t)(c.bytes_in_use + c.bytes_recycled);
    a->peak_bytes_in_use_is_set = a->pool_bytes_is_set = true;
    a->num_allocs_is_set = a->largest_alloc_size_is_set = a->bytes_limit_is_set = false;
    a->bytes_reserved_is_set = a->peak_bytes_reserved_is_set = a->bytes_reservable_limit_is_set = false;
    a->largest_free_block_bytes_is_set = a->peak_pool_bytes_is_set = false;
    return NULL;
}

static void keep(PJRT_Device_Attributes *all) { (void)all; }

static PJRT_Error *device_attributes(PJRT_Device_GetAttributes_Args *a)
{
    a->attributes = NULL;
    a->num_attributes = 0;
    a->device_attributes = NULL;
    a->attributes_deleter = keep;
    return NULL;
}

/* ---- memories ---- */

const char *const memory_names[MEMORIES] = { "device", "pinned_host", "unpinned_host" };
static const char *const memory_texts[MEMORIES] = { "WeftMemory(device)", "WeftMemory(pinned_host)",
                                                    "WeftMemory(unpinned_host)" };

MemoryKind memory_named(const char *name)
{
    MemoryKind kind = MEMORY_DEVICE;
    while (*name && kind < MEMORIES && strcmp(memory_names[kind], name) != 0) kind++;
    return kind;
}

GIVES(memory_id, Memory_Id, a->id = (int)a->memory->kind)
GIVES(memory_kind, Memory_Kind, GIVE_TEXT(a, kind, memory_names[a->memory->kind]))
GIVES(memory_kind_id, Memory_Kind_Id, a->kind_id = (int)a->memory->kind)
GIVES(memory_debug, Memory_DebugString, GIVE_TEXT(a, debug_string, memory_texts[a->memory->kind]))
GIVES(memory_text, Memory_ToString, GIVE_TEXT(a, to_string, memory_texts[a->memory->kind]))
GIVES(memory_devices, Memory_AddressableByDevices,
      (a->devices = a->memory->client->devices, a->num_devices = 1))

/* ---- the topology ---- */

static PJRT_Error *topology_create(PJRT_TopologyDescription_Create_Args *a)
{
    if (a->topology_name_size)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                         "weft: no topology %.*s: there is one, without a name", (int)a->topology_name_size,
                         a->topology_name);
    if (a->num_options)
        return error_new(PJRT_Error_Code_INVALID_ARGUMENT,
                         "weft: no option %.*s of a topology: there are none",
                         (int)a->create_options[0].name_size, a->create_options[0].name);
    a->topology = &topology;
    return NULL;
}

GIVES(topology_destroy, TopologyDescription_Destroy, (void)a)
GIVES(topology_name, TopologyDescription_PlatformName, GIVE_TEXT(a, platform_name, PLATFORM))
GIVES(topology_version, TopologyDescription_PlatformVersion,
      GIVE_TEXT(a, platform_version, "weft " PLUGIN_VERSION))
GIVES(topology_descriptions, TopologyDescription_GetDeviceDescriptions,
      (a->descriptions = the_descriptions, a->num_descriptions = 1))
GIVES(topology_attributes, TopologyDescription_Attributes, (a->attributes = NULL, a->num_attributes = 0))

/* ---- memories of a device that is only described ---- */

struct PJRT_MemoryDescription {
    MemoryKind kind;
};
typedef struct PJRT_MemoryDescription MemoryDescription;

/* The extension's tables are XLA's; the interface's own header has only its number. */
typedef struct MemoriesOfDescription {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    PJRT_DeviceDescription *description;
    const MemoryDescription *const *memories;
    size_t num_memories, usual;
} MemoriesOfDescription;

typedef struct KindOfMemory {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    const MemoryDescription *memory;
    const char *kind;
    size_t kind_size;
    int kind_id;
} KindOfMemory;

static PJRT_Error *described_memories(MemoriesOfDescription *a)
{
    static const MemoryDescription one[MEMORIES] = { { MEMORY_DEVICE },
                                                     { MEMORY_PINNED },
                                                     { MEMORY_UNPINNED } };
    static const MemoryDescription *const all[MEMORIES] = { &one[0], &one[1], &one[2] };
    a->memories = all;
    a->num_memories = MEMORIES;
    a->usual = MEMORY_DEVICE;
    return NULL;
}

static PJRT_Error *described_kind(KindOfMemory *a)
{
    GIVE_TEXT(a, kind, memory_names[a->memory->kind]);
    a->kind_id = (int)a->memory->kind;
    return NULL;
}

static struct {
    PJRT_Extension_Base base;
    PJRT_Error *(*memories)(MemoriesOfDescription *);
    PJRT_Error *(*kind)(KindOfMemory *);
} descriptions = { .base = { .struct_size = sizeof descriptions,
                             .type = PJRT_Extension_Type_MemoryDescriptions },
                   .memories = described_memories,
                   .kind = described_kind };

void api_add_client(PJRT_Api *api)
{
    descriptions.base.next = api->extension_start;
    api->extension_start = &descriptions.base;
    api->PJRT_Client_Create = client_create;
    api->PJRT_Client_Destroy = client_destroy;
    api->PJRT_Client_PlatformName = client_platform_name;
    api->PJRT_Client_ProcessIndex = client_process_index;
    api->PJRT_Client_PlatformVersion = client_platform_version;
    api->PJRT_Client_TopologyDescription = client_topology;
    api->PJRT_Client_Devices = client_devices;
    api->PJRT_Client_AddressableDevices = client_addressable_devices;
    api->PJRT_Client_AddressableMemories = client_memories;
    api->PJRT_Client_LookupDevice = client_device;
    api->PJRT_Client_LookupAddressableDevice = client_addressable_device;
    api->PJRT_Client_DefaultDeviceAssignment = client_assignment;
    api->PJRT_DeviceDescription_Id = description_id;
    api->PJRT_DeviceDescription_ProcessIndex = description_process;
    api->PJRT_DeviceDescription_Attributes = description_attributes;
    api->PJRT_DeviceDescription_Kind = description_kind;
    api->PJRT_DeviceDescription_DebugString = description_debug;
    api->PJRT_DeviceDescription_ToString = description_text;
    api->PJRT_Device_GetDescription = device_description;
    api->PJRT_Device_IsAddressable = device_addressable;
    api->PJRT_Device_LocalHardwareId = device_hardware;
    api->PJRT_Device_AddressableMemories = device_memories;
    api->PJRT_Device_DefaultMemory = device_memory;
    api->PJRT_Device_MemoryStats = device_memory_stats;
    api->PJRT_Device_GetAttributes = device_attributes;
    api->PJRT_Memory_Id = memory_id;
    api->PJRT_Memory_Kind = memory_kind;
    api->PJRT_Memory_Kind_Id = memory_kind_id;
    api->PJRT_Memory_DebugString = memory_debug;
    api->PJRT_Memory_ToString = memory_text;
    api->PJRT_Memory_AddressableByDevices = memory_devices;
    api->PJRT_TopologyDescription_Create = topology_create;
    api->PJRT_TopologyDescription_Destroy = topology_destroy;
    api->PJRT_TopologyDescription_PlatformName = topology_name;
    api->PJRT_TopologyDescription_PlatformVersion = topology_version;
    api->PJRT_TopologyDescription_GetDeviceDescriptions = topology_descriptions;
    api->PJRT_TopologyDescription_Attributes = topology_attributes;
}
