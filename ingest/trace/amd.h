/* amd: what AMD's profilers call things, for all readers of what they write (rocprofv3's JSON and
 * pftrace, rocpd). The words are those of rocprofiler-sdk, in capitals or not. */
#pragma once

#include "ingest/trace/category.h"

/* The category of records of a domain: HIP_RUNTIME_API_EXT, hsa_api, MARKER_CORE_RANGE_API,
 * KERNEL_DISPATCH, ...; -1 when it is none that is known. */
int amd_category(struct view domain);

/* The name of a copy in PyTorch's spelling: MEMORY_COPY_HOST_TO_DEVICE is Memcpy HtoD (Host ->
 * Device). NULL when the word is none of a copy. */
const char *amd_copy_name(struct view operation);

/* Functions of roctx that mark a point and not a range: roctxMarkA. */
bool amd_is_point(struct view function);

/* Changes of memory by the word for them: MEMORY_ALLOCATION_VMEM_FREE, ALLOC, ... */
enum amd_memory { AMD_MEMORY_UNKNOWN, AMD_MEMORY_ALLOCATED, AMD_MEMORY_FREED };
enum amd_memory amd_memory(struct view operation);
