"""The miniature of a training run: three steps of a small network with a convolution, normalisations,
attention and linear layers, on two ranks that average their gradients. Some 400 events a rank.

    trace(rank)     the trace of rank 0 or 1, as the object that a file has

In it: a forward thread and a backward thread with sequence numbers, copies and fills of memory, NCCL on a
stream of its own beside the backward pass, an op with two kernels, ops without kernels, a launch by the
driver, a graph without an op around it, Python frames, steps, and work that nobody is known to have launched.
"""
from kineto import Machine, Work

STEPS = 3
BATCH, CHANNELS, OUT_CHANNELS, SIZE = 8, 16, 32, 28
HEADS, TOKENS, WIDTH = 4, 128, 64
ROWS, FEATURES, CLASSES = BATCH * TOKENS, HEADS * WIDTH, 384

COMPUTE, COMMUNICATION, COPY = 7, 20, 13
BF16, FLOAT = "c10::BFloat16", "float"
MAIN, BACKWARD = 1, 2

ELEMENTWISE = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor>(int)"
REDUCE = "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>(int)"
GEMM = "nvjet_hsh_128x64_64x8_1x2_h_bz_coopA_NTN"
SPLIT_K = "void cublasLt::splitKreduce_kernel<32, 16, int, float>(int)"
CONVOLUTION = "sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc"


def copy_in(m):
    with m.op("aten::to", dims=[[BATCH, CHANNELS, SIZE, SIZE]], types=[BF16], inputs=[""]):
        with m.op("aten::_to_copy", dims=[[BATCH, CHANNELS, SIZE, SIZE]], types=[BF16], inputs=[""]):
            with m.op("aten::empty_strided", dims=[[], []], types=["ScalarList", "ScalarList"], inputs=["[8]", "[1]"]):
                pass
            shape = [BATCH, CHANNELS, SIZE, SIZE]
            with m.op("aten::copy_", dims=[shape, shape, []], types=[BF16, BF16, "Scalar"], inputs=["", "", "False"]):
                m.launch(Work("Memcpy HtoD (Pinned -> Device)", COPY, 9_000, "gpu_memcpy", bytes=200704))


def convolution(m, sequence):
    dims = [[BATCH, CHANNELS, SIZE, SIZE], [OUT_CHANNELS, CHANNELS, 3, 3], [OUT_CHANNELS], [], [], [], [], [], []]
    types = [BF16, BF16, BF16, "ScalarList", "ScalarList", "ScalarList", "Scalar", "ScalarList", "Scalar"]
    inputs = ["", "", "", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1"]
    with m.frame("nn.Module: Conv2d_0"):
        with m.op("aten::conv2d", dims=dims[:7], types=types[:7], inputs=inputs[:6] + ["1"]):
            with m.op("aten::convolution", dims=dims, types=types, inputs=inputs, sequence=sequence):
                with m.op("aten::_convolution", dims=dims, types=types, inputs=inputs):
                    with m.op("aten::cudnn_convolution", dims=dims[:2], types=types[:2]):
                        m.launch(Work(CONVOLUTION, COMPUTE, 31_000), call="cudaLaunchKernelExC")
                    shape = [BATCH, OUT_CHANNELS, SIZE // 2, SIZE // 2]
                    with m.op("aten::add_", dims=[shape, [1, OUT_CHANNELS, 1, 1], []], types=[BF16, BF16, "Scalar"],
                              inputs=["", "", "1"]):
                        m.launch(Work(ELEMENTWISE, COMPUTE, 3_100))


def batch_norm(m, training):
    shape, one = [BATCH, OUT_CHANNELS, SIZE // 2, SIZE // 2], [OUT_CHANNELS]
    dims = [shape, one, one, one, one, [], [], []]
    types = [BF16, FLOAT, FLOAT, FLOAT, FLOAT, "Scalar", "Scalar", "Scalar"]
    with m.frame("nn.Module: BatchNorm2d_0"):
        with m.op("aten::native_batch_norm", dims=dims, types=types, inputs=[""] * 5 + [str(training), "0.1", "1e-05"]):
            m.launch(Work("void at::native::batch_norm_collect_statistics_kernel<float>(int)", COMPUTE, 5_200))
            m.launch(Work("void at::native::batch_norm_transform_input_kernel<float>(int)", COMPUTE, 4_700))


def layer_norm(m, sequence):
    dims, types = [[ROWS, FEATURES], [], [FEATURES], [FEATURES], []], [FLOAT, "ScalarList", FLOAT, FLOAT, "Scalar"]
    inputs = ["", f"[{FEATURES}]", "", "", "1e-05"]
    with m.frame("nn.Module: LayerNorm_0"):
        with m.op("aten::layer_norm", dims=dims, types=types, inputs=inputs):
            with m.op("aten::native_layer_norm", dims=dims, types=types, inputs=inputs, sequence=sequence):
                m.launch(Work("void at::native::vectorized_layer_norm_kernel<float, float>(int)", COMPUTE, 6_400))


def attention(m, sequence):
    shape = [BATCH, HEADS, TOKENS, WIDTH]
    dims = [shape, shape, shape, [], [], [], []]
    types = [FLOAT, FLOAT, FLOAT, "", "Scalar", "Scalar", "Scalar"]
    inputs = ["", "", "", "", "True", "0.1", "True"]
    with m.frame("nn.Module: Attention_0"):
        with m.op("aten::scaled_dot_product_attention", dims=[shape] * 3, types=[FLOAT] * 3):
            with m.op("aten::_scaled_dot_product_efficient_attention", dims=dims, types=types, inputs=inputs,
                      sequence=sequence):
                with m.op("aten::transpose", dims=[shape, [], []], types=[FLOAT, "Scalar", "Scalar"],
                          inputs=["", "1", "2"]):
                    pass
                with m.op("aten::_efficient_attention_forward", dims=[[BATCH, TOKENS, HEADS, WIDTH]] * 3,
                          types=[FLOAT] * 3):
                    m.launch(Work("fmha_cutlassF_f32_aligned_64x64_rf_sm80", COMPUTE, 44_000))


def linear(m, sequence):
    with m.frame("nn.Module: Linear_0"):
        with m.op("aten::linear", dims=[[ROWS, FEATURES], [CLASSES, FEATURES], [CLASSES]], types=[BF16] * 3):
            with m.op("aten::t", dims=[[CLASSES, FEATURES]], types=[BF16]):
                pass
            with m.op("aten::addmm", dims=[[CLASSES], [ROWS, FEATURES], [FEATURES, CLASSES], [], []],
                      types=[BF16, BF16, BF16, "Scalar", "Scalar"],
                      strides=[[1], [FEATURES, 1], [1, FEATURES], [], []], inputs=["", "", "", "1", "1"],
                      sequence=sequence):
                m.launch(Work(GEMM, COMPUTE, 15_500))
                m.launch(Work(SPLIT_K, COMPUTE, 2_900))


def loss(m, number):
    with m.op("aten::mul", dims=[[ROWS, CLASSES], [ROWS, CLASSES]], types=[FLOAT, FLOAT]):
        with m.call("cudaLaunchKernelExC"):
            m.launch(Work(ELEMENTWISE, COMPUTE, 4_900), call="cuLaunchKernelEx", category="cuda_driver")
    with m.op("triton_poi_fused_exp_0", dims=[[ROWS, CLASSES]], types=[FLOAT]):
        m.launch(Work("triton_poi_fused_exp_0", COMPUTE, 5_100), call="cuLaunchKernel", category="cuda_driver")
    with m.op("aten::sum", dims=[[ROWS, CLASSES], []], types=[FLOAT, "Scalar"], inputs=["", ""]):
        m.launch(Work(REDUCE, COMPUTE, 3_700))
    m.synchronize()
    if number == 1:
        m.wait(30_000)
        m.unknown("profiler_flush_kernel", COPY, 2_000)
    m.wait(4_000)


def backward_node(m, name, sequence):
    return m.op(f"autograd::engine::evaluate_function: {name}", BACKWARD, sequence=sequence)


def backward(m, sequence):
    m.clock[BACKWARD] = max(m.now(BACKWARD), m.now(MAIN))
    with backward_node(m, "AddmmBackward0", sequence["linear"]):
        with m.op("AddmmBackward0", BACKWARD, sequence=sequence["linear"]):
            for left, right in (([ROWS, CLASSES], [CLASSES, FEATURES]), ([CLASSES, ROWS], [ROWS, FEATURES])):
                with m.op("aten::mm", BACKWARD, dims=[left, right], types=[BF16, BF16]):
                    m.launch(Work(GEMM.replace("NTN", "TNN"), COMPUTE, 13_000), thread=BACKWARD)
    reduce_gradients(m, "allreduce", CLASSES * FEATURES, BF16, "BFloat16", 58_000)
    with backward_node(m, "ScaledDotProductEfficientAttentionBackward0", sequence["attention"]):
        with m.op("ScaledDotProductEfficientAttentionBackward0", BACKWARD, sequence=sequence["attention"]):
            shape = [BATCH, HEADS, TOKENS, WIDTH]
            with m.op("aten::_scaled_dot_product_efficient_attention_backward", BACKWARD, dims=[shape] * 5,
                      types=[FLOAT] * 5):
                with m.op("aten::zeros", BACKWARD, dims=[[]], types=["ScalarList"], inputs=["[8, 4, 128, 64]"]):
                    with m.op("aten::zero_", BACKWARD, dims=[shape], types=[FLOAT]):
                        m.launch(Work("Memset (Device)", COMPUTE, 1_800, "gpu_memset", bytes=1048576), thread=BACKWARD)
                m.launch(Work("fmha_cutlassB_f32_aligned_64x64_k64_sm80", COMPUTE, 97_000), thread=BACKWARD)
    with backward_node(m, "NativeLayerNormBackward0", sequence["layer_norm"]):
        with m.op("NativeLayerNormBackward0", BACKWARD, sequence=sequence["layer_norm"]):
            wide, one = [ROWS, FEATURES], [FEATURES]
            with m.op("aten::native_layer_norm_backward", BACKWARD,
                      dims=[wide, wide, [], [ROWS, 1], [ROWS, 1], one, one, []],
                      types=[FLOAT, FLOAT, "ScalarList", FLOAT, FLOAT, FLOAT, FLOAT, ""],
                      inputs=["", "", f"[{FEATURES}]", "", "", "", "", "[True, True, True]"]):
                m.launch(Work("void at::native::layer_norm_grad_input_kernel<float>(int)", COMPUTE, 11_000),
                         thread=BACKWARD)
                m.launch(Work("void at::native::GammaBetaBackwardCUDAKernel<float>(int)", COMPUTE, 8_000),
                         thread=BACKWARD)
    with backward_node(m, "ConvolutionBackward0", sequence["convolution"]):
        with m.op("ConvolutionBackward0", BACKWARD, sequence=sequence["convolution"]):
            given = [[BATCH, OUT_CHANNELS, SIZE // 2, SIZE // 2], [BATCH, CHANNELS, SIZE, SIZE],
                     [OUT_CHANNELS, CHANNELS, 3, 3]]
            with m.op("aten::convolution_backward", BACKWARD, dims=given + [[]] * 8,
                      types=[BF16] * 3 + ["ScalarList"] * 4 + ["Scalar", "ScalarList", "Scalar", ""],
                      inputs=["", "", "", "[32]", "[2, 2]", "[1, 1]", "[1, 1]", "False", "[0, 0]", "1",
                              "[True, True, True]"]):
                m.launch(Work("sm90_xmma_dgrad_implicit_gemm_bf16bf16", COMPUTE, 36_000), call="cudaLaunchKernelExC",
                         thread=BACKWARD)
                m.launch(Work("cutlass_tensorop_bf16_s16816wgrad_optimized", COMPUTE, 33_000),
                         call="cudaLaunchKernelExC", thread=BACKWARD)
    reduce_gradients(m, "_allgather_base", OUT_CHANNELS * CHANNELS * 9, FLOAT, "Float", 151_000, gathered=True)


def reduce_gradients(m, name, elements, type_, dtype, duration, gathered=False):
    """A collective; the rank that comes first stays in it until the other one has come."""
    out = elements * m.ranks if gathered else elements
    more = {"Collective name": name, "In msg nelems": elements, "Out msg nelems": out, "Group size": m.ranks,
            "dtype": dtype, "Process Group Name": "0", "Process Group Ranks": "[0, 1]",
            "Process Group Description": "default_pg", "In split size": "[]", "Out split size": "[]"}
    kernel = "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)" if gathered else \
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
    with m.op("c10d::allgather_" if gathered else "c10d::allreduce_", BACKWARD, dims=[[elements]], types=[type_]):
        with m.op("record_param_comms", BACKWARD, dims=[[elements]], types=[type_]):
            m.launch(Work(kernel, COMMUNICATION, duration + (0 if m.rank else 2_700), **more),
                     call="cudaLaunchKernelExC", thread=BACKWARD)


def optimizer(m):
    m.clock[MAIN] = max(m.now(MAIN), m.now(BACKWARD))
    with m.mark("Optimizer.step#SGD.step"), m.frame("torch/optim/sgd.py(80): step"):
        weights = [[CLASSES, FEATURES], [CLASSES, FEATURES]]
        with m.op("aten::_foreach_add_", dims=weights, types=["TensorList", "TensorList"]):
            m.launch(Work("void at::native::multi_tensor_apply_kernel<at::native::TensorListMetadata<2>>(int)",
                          COMPUTE, 7_700))
        # the moving average of the weights is a graph: three kernels on two streams, and no op
        m.launch(Work("ema_scale_kernel", COMPUTE, 2_500), Work("ema_blend_kernel", COPY, 4_000),
                 Work("ema_norm_kernel", COMPUTE, 3_300), call="cudaGraphLaunch")


def step(m, number):
    sequence = {name: number * 10 + place for place, name in
                enumerate(["convolution", "layer_norm", "attention", "linear"])}
    with m.mark(f"ProfilerStep#{number + 5}"):
        with m.frame("train.py(40): train_step"):
            copy_in(m)
            with m.frame("nn.Module: Net_0"):
                convolution(m, sequence["convolution"])
                batch_norm(m, training=number != 2)
                layer_norm(m, sequence["layer_norm"])
                attention(m, sequence["attention"])
                linear(m, sequence["linear"])
            loss(m, number)
            backward(m, sequence)
            optimizer(m)
            with m.op("aten::item", dims=[[]], types=[FLOAT]):
                with m.op("aten::_local_scalar_dense", dims=[[]], types=[FLOAT]):
                    m.launch(Work("Memcpy DtoH (Device -> Pageable)", COMPUTE, 1_500, "gpu_memcpy", bytes=4))
                    m.synchronize()


def trace(rank):
    m = Machine(rank, ranks=2)
    m.unknown("warm_up_kernel", COMPUTE, 3_210)
    m.wait(5_000 + 5_000 * rank)
    for number in range(STEPS):
        step(m, number)
        m.wait(20_000 + 9_000 * number)
        m.clock[BACKWARD] = m.now(MAIN)
    return m.trace()
