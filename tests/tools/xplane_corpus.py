#!/usr/bin/env python3
"""Writes what the fuzz targets of profiles of XLA start from: xplane_corpus.py FOLDER."""
import os
import sys

from xplane import Profile, Ref, computation, instruction, program

FOLDER = sys.argv[1]


def write(target, name, content, way=24):
    os.makedirs(os.path.join(FOLDER, target), exist_ok=True)
    with open(os.path.join(FOLDER, target, name), "wb") as handle:
        handle.write(bytes([way]) + content)


def events(way):
    profile = Profile("h")
    gpu = profile.plane("/device:GPU:0")
    gpu.own = [("core_count", 304), ("device_vendor", Ref("AMD")), ("x", 1.5)]
    gpu.type_stats["k"] = {"flops": 7, "raw": b"xyz"}
    gpu.line("Stream #1", 1, 5).event("k", 1500, 999, {"correlation_id": 3, "hlo_op": Ref("a"), "program_id": 1}) \
        .event("CopyDeviceToDevice", 0, 5, {"memcpy_details": "size:12"})
    gpu.line("_counters_", 2).event("c", 0, 0)
    gpu.line("Async XLA Ops", 3).event("d", 0, 0)
    host = profile.plane("/host:CPU")
    host.line("python", -7, 5, display="p", display_id=4).event("$f", 0, 9000).event("g", 10, 20, {"_p": 1, "_pt": 2})
    host.line("py_xla_execute/1", 8).event("hip", 0, 9, {"correlation_id": 3, "step_num": 4, "_c": 1, "_ct": 2}) \
        .event("MemoryAllocation", 0, 0, {"address": 1, "allocation_bytes": 2}).event("n", 0, 1, occurrences=3) \
        .event("s", 5, 1, {"step_name": Ref("step"), "step_num": -1})
    profile.plane("Task Environment").own = [("profile_start_time", 17 * 10 ** 17)]
    profile.plane("/device:TPU:1", 3).line("XLA Ops", 1).event("t", 0, 1)
    write("xplane", "events%d" % way, profile.bytes(), way | way % 4 * 8)


def memory():
    profile = Profile("h")
    for name in ("/device:GPU:0", "/host:CPU"):
        plane = profile.plane(name)
        plane.maps_first = True
        plane.line("Stream #1", 1, 5).event("k", 1500, 999, {"correlation_id": 3}).event("l", 9000, 99, {"correlation_id": 4})
        plane.line("allocator", 2, 7).event("MemoryAllocation", 500, 0, {"address": 1, "allocation_bytes": 2}) \
            .event("MemoryDeallocation", 900, 0, {"address": 1, "allocation_bytes": 2})
    write("xplane", "memory", profile.bytes(), 1)


def code(*instructions):
    return program("m", 1, [computation(1, "main", instructions)])


for number in range(8):
    events(number)
memory()
SHAPES = "bf16[1,4,6]{2,1,0}", "bf16[8,4,3]{2,1,0}", "bf16[1,8,4]{2,1,0}"
PARAMETERS = [instruction(i + 1, "p%d" % i, "parameter", shape) for i, shape in enumerate(SHAPES)]
write("hlo", "convolution", code(*PARAMETERS, instruction(
    9, "a", "custom-call", [SHAPES[2], "u8[4]{0}"], [1, 2], target="__cudnn$convForward", window=[(3, 1)],
    convolution={3: 1, 4: 0, 6: [2], 8: 1, 10: 1, 11: [2], 12: [2]}, feature_groups=1, op_name="x", source=("f", 3))))
write("hlo", "gemm", code(
    instruction(1, "x", "parameter", "f32[2,3]{1,0}"), instruction(2, "y", "parameter", "f8e4m3fn[4,3]{1,0}"),
    instruction(3, "b", "custom-call", "f32[2,4]{1,0}", [1, 2], target="__cublas$lt$matmul$f8", config=(
        '{"gemm_backend_config":{"beta":1,"epilogue":"BIAS","dot_dimension_numbers":'
        '{"lhs_contracting_dimensions":["1"],"rhs_contracting_dimensions":["1"]}}}'))))
write("hlo", "attention", code(*PARAMETERS, instruction(
    9, "a", "custom-call", "f32[]", [1, 2, 3], target="te_fused_attn_forward_ffi",
    config='{attn_heads = 16 : i64, mask_type = 2 : i64, p = 1.0e-1 : f32, n = "a, b", t = true}')))
write("hlo", "fusion", program("m", 1, [
    computation(2, "inner", [instruction(1, "x", "parameter", "f32[2,3]{1,0}"),
                             instruction(2, "d", "dot", "f32[2,2]{1,0}", [1, 1], dot=([1], [1], [], []))]),
    computation(1, "main", [instruction(5, "a", "fusion", "f32[2,2]{1,0}", [5], calls=[2], fusion="kCustom",
                                        dimensions=[0])], 5)]))
write("hlo", "collectives", code(
    instruction(1, "all-gather-start.2", "all-gather-start", ["f32[4]{0}", "f32[32]{0}"], groups=[[0, 1], [2, 3]],
                dimensions=[0]),
    instruction(2, "b", "all-reduce", ["f32[1]{0}"] * 6, iota=(4, 2, [2, 4], [1, 0])),
    instruction(3, "a", "collective-permute", "s4[8]{0}", pairs=[(0, 1), (1, 0)])))
