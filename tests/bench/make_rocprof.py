#!/usr/bin/env python3
"""Writes a trace of rocprofv3 with many records: make_rocprof.py COUNT FILE.

COUNT kernels and as many calls that launched them, as JSON, or in Perfetto's format where the name
of FILE ends in .pftrace: with the members and annotations that rocprofv3 writes for each.
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))

import perfetto
import rocprof_json

COUNT, PATH = int(sys.argv[1]), sys.argv[2]
NAMES = [f"void at::native::kernel_{i}<float, {i}>" for i in range(80)]
CALLS = ["hipLaunchKernel", "hipMemcpy", "hipStreamSynchronize", "hipMalloc"]
BASE = 63_857_982_592_000


def times(number):
    """Start and end of the call and of its kernel."""
    start = BASE + 20_000 * number
    return start, start + 5_000 + number % 900, start + 12_000, start + 18_000 + number * 37 % 7_000


def shape(number):
    return NAMES[number * 7 % 80], 64 << number % 4, (number * 7 % 80 + 1) * 4096


def write_json(out):
    process = rocprof_json.Process()
    symbols = {name: process.symbol(name) for name in NAMES}
    kernel = process.kernel(NAMES[0], 1, 2)
    call = process.call("hipLaunchKernel", 1, 2)
    process.entry["buffer_records"].update(kernel_dispatch=["KERNELS"], hip_api=["CALLS"])
    text = json.dumps({"rocprofiler-sdk-tool": [process.entry]}, separators=(",", ":"))
    kind, calls = kernel["kind"], call["kind"]

    def kernels():
        for i in range(COUNT):
            name, block, grid = shape(i)
            start, end = times(i)[2:]
            yield (f'{{"size":184,"kind":{kind},"operation":2,"thread_id":908,"correlation_id":{{"internal":{i + 1},"external":0}},'
                   f'"start_timestamp":{start},"end_timestamp":{end},"dispatch_info":{{"size":72,"agent_id":{{"handle":200}},'
                   f'"queue_id":{{"handle":16}},"kernel_id":{symbols[name]},"dispatch_id":{i + 1},"private_segment_size":0,'
                   f'"group_segment_size":0,"workgroup_size":{{"x":{block},"y":1,"z":1}},"grid_size":{{"x":{grid},"y":1,"z":1}}}},'
                   '"stream_id":{"handle":0}}')

    def hip():
        for i in range(COUNT):
            start, end = times(i)[:2]
            yield (f'{{"size":56,"kind":{calls},"operation":0,"correlation_id":{{"internal":{i + 1},"external":0}},'
                   f'"start_timestamp":{start},"end_timestamp":{end},"thread_id":908}}')

    for piece in text.replace('"KERNELS"', "\0k\0").replace('"CALLS"', "\0c\0").split("\0"):
        rows = {"k": kernels, "c": hip}.get(piece)
        if not rows:
            out.write(piece.encode())
        for i, row in enumerate(rows() if rows else ()):
            out.write((row if i == 0 else "," + row).encode())


def write_pftrace(out):
    number, field = perfetto.number, perfetto.field
    trace = perfetto.Trace()
    trace.process(10, 100, "app")
    trace.thread(11, 100, 908, "THREAD 0 (908)", parent=10)
    trace.track(20, "COMPUTE AGENT [1] STREAM [0] (GPU)", parent=10)
    keys = ("begin_ns", "end_ns", "delta_ns", "kind", "agent", "corr_id", "queue", "kernel_id", "private_segment_size",
            "group_segment_size", "workgroup_size", "grid_size", "stream_ID", "tid", "operation", "VGPR_Count", "SGPR_Count")
    iids = {key: trace.main.text(3, key) for key in keys}
    names = {name: trace.main.text(2, name) for name in NAMES + CALLS}
    categories = {name: trace.main.text(1, name) for name in ("hip_api", "kernel_dispatch")}
    trace.main.packet(time=BASE)
    out.write(trace.bytes())
    tail = number(10 << 3) + number(1) + number(13 << 3) + number(2)
    prefix = {key: field(1, iid) + number(6 << 3 | 2 if key == "agent" else 3 << 3) for key, iid in iids.items()}

    def packet(kind, track, start, head=b"", args=()):
        event = [number(9 << 3), number(kind), number(11 << 3), number(track), head]
        for key, value in args:
            data = prefix[key] + (number(len(value)) + value if key == "agent" else number(value))
            event += [b"\x22", number(len(data)), data]
        event = b"".join(event)
        content = number(8 << 3) + number(start) + tail + b"\x5a" + number(len(event)) + event
        return b"\x0a" + number(len(content)) + content

    def slices():
        for i in range(COUNT):
            name, block, grid = shape(i)
            start, end, begin, finish = times(i)
            head = field(3, categories["hip_api"]) + field(10, names["hipLaunchKernel"])
            yield packet(1, 11, start, head, (("begin_ns", start), ("end_ns", end), ("delta_ns", end - start), ("kind", 5),
                                              ("tid", 908), ("corr_id", i + 1), ("operation", 5), ("stream_ID", 0)))
            yield packet(2, 11, end)
            head = field(3, categories["kernel_dispatch"]) + field(10, names[name])
            yield packet(1, 20, begin, head, (("begin_ns", begin), ("end_ns", finish), ("delta_ns", finish - begin), ("kind", 11),
                                              ("agent", b"GPU-0"), ("corr_id", i + 1), ("queue", 16), ("tid", 908),
                                              ("kernel_id", i * 7 % 80), ("private_segment_size", 0), ("group_segment_size", 0),
                                              ("workgroup_size", block), ("grid_size", grid), ("stream_ID", 0), ("VGPR_Count", 64),
                                              ("SGPR_Count", 32)))
            yield packet(2, 20, finish)

    for data in slices():
        out.write(data)


with open(PATH, "wb") as file:
    (write_pftrace if PATH.endswith(".pftrace") else write_json)(file)
