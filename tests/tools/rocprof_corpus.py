#!/usr/bin/env python3
"""Writes what the fuzz targets of AMD's profilers start from: rocprof_corpus.py FOLDER."""
import os
import sys

from perfetto import Trace, annotation, field, message
from rocprof_json import GPU, Process, document

FOLDER = sys.argv[1]


def write(target, name, content, way):
    os.makedirs(os.path.join(FOLDER, target), exist_ok=True)
    with open(os.path.join(FOLDER, target, name), "wb") as handle:
        handle.write(bytes([way]) + content)


def process(pid):
    made = Process(pid)
    made.mark("aten::mm, seq = 4, op_id = 1, sizes = [[2, 3], [3, 4]]", 10, 90, 1)
    made.mark("here", 15, 15, 2)
    made.call("hipLaunchKernel", 20, 30, 7, args={"a": "1"})
    made.kernel("gemm", 40, 90, 7)
    made.count(0, SQ_WAVES=[1, 2])
    made.copy("HOST_TO_DEVICE", 50, 60, 8)
    made.memory("ALLOCATE", 20, 64, 1000)
    made.memory("FREE", 30, 64)
    made.record("scratch_memory", "SCRATCH_MEMORY", "SCRATCH_MEMORY_ALLOC", 70, 75, agent_id={"handle": GPU}, flags=0)
    return made


def trace(old):
    made = Trace()
    made.process(10, 100, "app")
    made.thread(11, 100, 1, "THREAD 0 (1)", parent=10)
    made.track(12, "COMPUTE AGENT [0] STREAM [7] (GPU)", parent=10)
    made.descriptor((1, 13), (2, "ALLOCATED"), (8, message((3, 3), (5, 1))))
    made.slice(11, "hip_api", "hipLaunchKernel", 10, 10, {"corr_id": 1, "d": {"x": [1, "two"]}}, flows=[5], old=old)
    made.slice(12, "kernel_dispatch", "gemm", 30, 10, {"corr_id": 1, "begin_ns": 31, "delta_ns": 8, "agent": "GPU-0"}, ending=[5], old=old)
    made.main.packet(field(11, message((9, 4), (11, 13), (30, 7))), time=20)
    made.main.packet(field(6, field(1, message((1, 6), (2, 5000))) + field(1, message((1, 64), (2, 5), (3, 1), (4, 1000)))))
    made.main.packet(field(59, message((58, 64), (11, message((11, 11))))))
    made.main.event(1, None, "a", "x", 1, args={"r": 1.5})
    made.main.event(2, None, time=1, args={"late": True})
    nested = field(10, "o") + field(8, message((1, 1), (2, "k"), (3, message((5, 7)))))
    made.main.packet(field(11, message((23, "b"), (4, nested), (4, annotation("j", "{}")), (6, message((2, ord("X")), (3, 7))))), time=30)
    return made


for number in range(4):
    write("rocprof", "process%d" % number, document(*(process(40 + i) for i in range(1 + number % 2)), seed=number or None), number)
    write("pftrace", "trace%d" % number, trace(number > 1).bytes(compress=number % 2 * 3), number)
