/* replay_tools: see replay_tools.h. */
#include "query/replay/replay_tools.h"

#include "query/replay/replay_call_maker.h"

const struct replay_tool replay_tools[] = {
    {"hipblaslt-bench", "gemm", "amd", "gemm.sh", "hipblaslt-bench", NULL, false,
     replay_make_hipblaslt, replay_read_hipblaslt},
    {"MIOpenDriver", "conv", "amd", "conv.sh", "miopen-driver", NULL, false, replay_make_miopen,
     replay_read_miopen},
    {"cutlass_profiler", "gemm", "nvidia", "cutlass-gemm.sh", "cutlass-gemm", ".gemm.csv", false,
     replay_make_cutlass_gemm, replay_read_cutlass},
    {"cutlass_profiler", "conv", "nvidia", "cutlass-conv.sh", "cutlass-conv", ".conv2d.csv", false,
     replay_make_cutlass_conv, replay_read_cutlass},
    {"cublasMatmulBench", "gemm", "nvidia", "cublas-gemm.sh", "cublas-gemm", NULL, true,
     replay_make_cublas, replay_read_printed},
    {0},
};
