-- Runtime calls by their effect. A copy whose memory is not pinned (Pageable in the name of the work)
-- waits, too.
INSERT OR IGNORE INTO call_kind (kind, name, source)
SELECT column1, value, 'tpq'
FROM (VALUES
  ('device_sync', '["cudaDeviceSynchronize", "cudaThreadSynchronize", "cuCtxSynchronize",
    "cuCtxSynchronize_v2", "hipDeviceSynchronize", "hipCtxSynchronize"]'),
  ('stream_sync', '["cudaStreamSynchronize", "cudaStreamSynchronize_ptsz", "cuStreamSynchronize",
    "cuStreamSynchronize_ptsz", "hipStreamSynchronize", "hipStreamSynchronize_spt"]'),
  ('event_sync', '["cudaEventSynchronize", "cuEventSynchronize", "hipEventSynchronize"]'),
  ('event_query', '["cudaEventQuery", "cuEventQuery", "hipEventQuery"]'),
  ('blocking_copy', '["cudaMemcpy", "cudaMemcpy2D", "cudaMemcpyToSymbol", "cudaMemcpyFromSymbol",
    "cuMemcpyDtoH_v2", "cuMemcpyHtoD_v2", "hipMemcpy", "hipMemcpyWithStream", "hipMemcpyDtoH",
    "hipMemcpyHtoD"]'),
  ('wait_event', '["cudaStreamWaitEvent", "cudaStreamWaitEvent_ptsz", "cuStreamWaitEvent",
    "cuStreamWaitEvent_ptsz", "hipStreamWaitEvent", "hipStreamWaitEvent_spt"]'),
  ('record', '["cudaEventRecord", "cudaEventRecord_ptsz", "cudaEventRecordWithFlags",
    "cudaEventRecordWithFlags_ptsz", "cuEventRecord", "cuEventRecord_ptsz",
    "cuEventRecordWithFlags", "cuEventRecordWithFlags_ptsz", "hipEventRecord",
    "hipEventRecord_spt", "hipEventRecordWithFlags"]'),
  ('launch', '["cudaLaunchKernel", "cudaLaunchKernel_ptsz", "cudaLaunchKernelExC",
    "cudaLaunchKernelExC_ptsz", "cudaLaunchCooperativeKernel", "cudaLaunchCooperativeKernel_ptsz",
    "cudaGraphLaunch", "cudaGraphLaunch_ptsz", "cuLaunchKernel", "cuLaunchKernel_ptsz",
    "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz", "cuLaunchCooperativeKernel", "cuGraphLaunch",
    "cuGraphLaunch_ptsz", "hipLaunchKernel", "hipLaunchKernel_spt", "hipLaunchKernelExC",
    "hipLaunchCooperativeKernel", "hipExtLaunchKernel", "hipExtLaunchMultiKernelMultiDevice",
    "hipModuleLaunchKernel", "hipExtModuleLaunchKernel", "hipHccModuleLaunchKernel",
    "hipModuleLaunchCooperativeKernel", "hipDrvLaunchKernelEx", "hipGraphLaunch"]'),
  ('allocation', '["cudaMalloc", "cudaFree", "cudaMallocHost", "cudaFreeHost", "cudaHostAlloc",
    "cudaMallocManaged", "cudaMallocPitch", "cuMemAlloc_v2", "cuMemFree_v2", "cuMemCreate",
    "cuMemRelease", "cuMemMap", "cuMemUnmap", "hipMalloc", "hipFree", "hipHostMalloc",
    "hipHostFree", "hipExtMallocWithFlags", "hipMallocManaged", "hipMemCreate", "hipMemRelease",
    "hipMemMap", "hipMemUnmap"]'),
  ('code_loading', '["cuModuleLoad", "cuModuleLoadData", "cuModuleLoadDataEx",
    "cuModuleLoadFatBinary", "cuLibraryLoadData", "cuLibraryLoadFromFile", "cuLibraryGetModule",
    "cuModuleUnload", "hipModuleLoad", "hipModuleLoadData", "hipModuleLoadDataEx"]'))
  CROSS JOIN json_each(column2);
