"""The miniature of a JAX program: five steps of data-parallel training on four GPUs and what initialised it, as an
xplane.pb with the two programs (tests/tools/xplane.py writes the bytes). Some 520 events.

    EVENTS       what ran on the GPUs, as dicts: gpu, stream, name, op, program, start and dur (ps), launched (ps)
    PROGRAMS     program id -> name
    profile()    the file

In it: a convolution of two kernels, a product by a library and one that XLA fused, pointwise fusions, copies, and
collectives over all GPUs and over pairs, on a stream of their own.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from xplane import Profile, Ref, computation, instruction, program  # noqa: E402

GPUS, STEPS, US = 4, 5, 1_000_000  # picoseconds
PROGRAMS = {3: "jit_init", 7: "jit_train_step"}
LINE_START = 1_000_000  # ns

# What the instructions work on; (type, extents)
IMAGE, FILTER, CONVOLVED = ("bf16", (16, 8, 32, 32)), ("bf16", (64, 8, 3, 3)), ("bf16", (16, 64, 16, 16))
LEFT, RIGHT, PRODUCT = ("bf16", (1024, 512)), ("bf16", (2048, 512)), ("bf16", (1024, 2048))
BATCH_LEFT, BATCH_RIGHT, BATCH_PRODUCT = ("f32", (4, 256, 128)), ("f32", (4, 128, 64)), ("f32", (4, 256, 64))
GRADIENTS, SHARD, WHOLE, SCATTERED = ("f32", (262144,)), ("bf16", (1, 65536)), ("bf16", (2, 65536)), ("f32", (65536,))
EVERYONE, PAIRS = [[0, 1, 2, 3]], [[0, 1], [2, 3]]


def text(of):
    kind, extents = of
    return f"{kind}[{','.join(map(str, extents))}]{{{','.join(str(place) for place in reversed(range(len(extents))))}}}"


def product_config():
    return json.dumps({"gemm_backend_config": {"alpha_real": 1, "beta": 0, "epilogue": "DEFAULT",
                                               "dot_dimension_numbers": {
        "lhs_contracting_dimensions": ["1"], "rhs_contracting_dimensions": ["1"],
        "lhs_batch_dimensions": [], "rhs_batch_dimensions": []}}})


def train_step():
    dimensions = {3: 1, 4: 0, 6: [2, 3], 7: 0, 8: 1, 11: [2, 3], 9: 0, 10: 1, 12: [2, 3]}
    fused = computation(2, "gemm_fusion_dot_computation", [
        instruction(201, "p0", "parameter", text(BATCH_LEFT)), instruction(202, "p1", "parameter", text(BATCH_RIGHT)),
        instruction(203, "dot.2", "dot", text(BATCH_PRODUCT), [201, 202], dot=([2], [1], [0], [0]))], root=203)
    return [fused, computation(1, "main", [
        instruction(10, "image", "parameter", text(IMAGE)), instruction(11, "filter", "parameter", text(FILTER)),
        instruction(12, "cudnn-conv.1", "custom-call", [text(CONVOLVED), "u8[65536]{0}"], [10, 11],
                    target="__cudnn$convForward", window=[(3, 2), (3, 2)], convolution=dimensions,
                    op_name="jit(train_step)/conv"),
        instruction(20, "left", "parameter", text(LEFT)), instruction(21, "right", "parameter", text(RIGHT)),
        instruction(22, "custom-call.4", "custom-call", [text(PRODUCT), "s8[4194304]{0}"], [20, 21],
                    target="__cublas$lt$matmul", config=product_config(), op_name="jit(train_step)/dot_general"),
        instruction(30, "batch_left", "parameter", text(BATCH_LEFT)),
        instruction(31, "batch_right", "parameter", text(BATCH_RIGHT)),
        instruction(32, "gemm_fusion_dot.2", "fusion", text(BATCH_PRODUCT), [30, 31], fusion="kCustom", calls=[2]),
        instruction(40, "loop_add_fusion.3", "fusion", text(PRODUCT), [22], fusion="kLoop"),
        instruction(41, "input_reduce_fusion", "fusion", "f32[]", [40], fusion="kInput"),
        instruction(50, "gradients", "parameter", text(GRADIENTS)),
        instruction(51, "all-reduce.7", "all-reduce", text(GRADIENTS), [50], groups=EVERYONE),
        instruction(52, "shard", "parameter", text(SHARD)),
        instruction(53, "all-gather-start.1", "all-gather-start", [text(SHARD), text(WHOLE)], [52], groups=PAIRS,
                    dimensions=[0]),
        instruction(54, "reduce-scatter.5", "reduce-scatter", text(SCATTERED), [50], groups=EVERYONE, dimensions=[0]),
        instruction(60, "root", "tuple", [text(PRODUCT), text(GRADIENTS)], [40, 51]),
    ], root=60)]


def init():
    return [computation(1, "main", [instruction(5, "key", "parameter", "u32[2]{0}"),
                                    instruction(6, "loop_rng_fusion", "fusion", text(RIGHT), [5], fusion="kLoop")],
                        root=6)]


# name, instruction, stream, duration in us
STEP = [
    ("void cutlass::nchwToNhwcKernel<bf16>", "cudnn-conv.1", 1, 3.4),
    ("sm90_xmma_fprop_implicit_gemm_bf16", "cudnn-conv.1", 1, 17.8),
    ("loop_add_fusion_3", "loop_add_fusion.3", 1, 4.1),
    ("nvjet_hsh_192x128_64x6_2x1_v_bz_TNT", "custom-call.4", 1, 26.5),
    ("gemm_fusion_dot_2", "gemm_fusion_dot.2", 1, 11.3), ("input_reduce_fusion", "input_reduce_fusion", 1, 2.2),
    ("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all-gather-start.1", 2, 14.9),
    ("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", "reduce-scatter.5", 2, 19.6),
    ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "all-reduce.7", 2, 33.2), ("MemcpyD2D", None, 3, 5.5),
    ("loop_add_fusion_3", "loop_add_fusion.3", 1, 4.0), ("MemcpyD2H", None, 3, 29.0),
]


def plan():
    events, count = [], 0
    for gpu in range(GPUS):
        free = {1: 0, 2: 0, 3: 0}
        steps = [[("loop_rng_fusion", "loop_rng_fusion", 1, 8.8)]] + [STEP] * STEPS
        host = 0
        for number, step in enumerate(steps):
            host = max(host, free[1]) + 30 * US
            for name, op, stream, duration in step:
                count += 1
                if name == "MemcpyD2H":  # results are waited for
                    host = max(free.values())
                vary = (count * count * 37 + gpu * 101) % 1013
                host += 2_500_000 + vary * 100
                start = max(host + 4 * US + vary * 700, free[stream])
                length = int(duration * US) + vary * 250 * 4
                free[stream] = start + length + 200_000
                events.append({"gpu": gpu, "stream": stream, "name": name, "op": op, "program": 7 if number else 3,
                               "start": start, "dur": length, "launched": host})
    return events


EVENTS = plan()


def profile():
    made = Profile("node0")
    made.programs({key: (PROGRAMS[key], program(PROGRAMS[key], key, content()))
                   for key, content in ((3, init), (7, train_step))})
    planes = [made.plane(f"/device:GPU:{gpu}", gpu) for gpu in range(GPUS)]
    for plane in planes:
        plane.own = [("device_vendor", Ref("Nvidia")), ("core_count", 132), ("memory_size", 85_000_000_000),
                     ("compute_cap_major", 9), ("compute_cap_minor", 0)]
    lines = {(gpu, stream): planes[gpu].line(f"Stream #{stream}({kind})", stream, LINE_START)
             for gpu in range(GPUS) for stream, kind in ((1, "Compute"), (2, "Collective"), (3, "MemcpyD2D"))}
    host = made.plane("/host:CPU")
    calls = [host.line(f"py_xla_execute/{gpu}", 50 + gpu, LINE_START) for gpu in range(GPUS)]
    python = host.line("python", 40, LINE_START)
    for step in range(STEPS):
        python.event("$train.py:%d train_step" % (20 + step), step * 200 * US, 150 * US)
    for number, event in enumerate(EVENTS, 1):
        stats = {"correlation_id": number, "hlo_module": Ref(PROGRAMS[event["program"]]),
                 "program_id": event["program"]}
        if event["op"]:
            stats["hlo_op"] = Ref(event["op"])
        lines[event["gpu"], event["stream"]].event(event["name"], event["start"], event["dur"], stats)
        calls[event["gpu"]].event("cuLaunchKernel", event["launched"], 1_500_000,
                                  {"correlation_id": number, "device_id": event["gpu"]})
    return made.bytes()
