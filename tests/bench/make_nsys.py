#!/usr/bin/env python3
"""Writes an export of Nsight Systems with many rows: make_nsys.py COUNT FILE [few].

COUNT kernels, as many calls, as many NVTX ranges with texts of PyTorch's emit_nvtx, in steps of 300.
Numbers of calls make nearly every text another one; with `few` they are left out, and ranges in ops
have a place in the program as their text: a few thousand texts.
"""
import os
import sqlite3
import sys

COUNT, STEP = int(sys.argv[1]), 300
HAS_FEW_TEXTS = sys.argv[3:] == ["few"]
PID, MACHINE = 4001, 1 << 48
PROCESS, THREAD = MACHINE | PID << 24, MACHINE | PID << 24 | PID
KERNELS = [f"void at::native::kernel_{i}<float, {i}>(int, float*)" for i in range(80)]
OPS = ["aten::linear", "aten::addmm", "aten::relu", "aten::layer_norm", "aten::softmax"]
TABLES = {
    "StringIds": "id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL",
    "META_DATA_EXPORT": "name TEXT, value TEXT",
    "CUPTI_ACTIVITY_KIND_KERNEL":
        "start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
        "globalPid INTEGER, demangledName INTEGER, shortName INTEGER, mangledName INTEGER, launchType INTEGER, "
        "registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, "
        "blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER, "
        "graphNodeId INTEGER",
    "CUPTI_ACTIVITY_KIND_RUNTIME":
        "start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, "
        "returnValue INTEGER, callchainId INTEGER",
    "NVTX_EVENTS":
        "start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER, category INTEGER, text TEXT, globalTid INTEGER, "
        "endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, doubleValue REAL",
}


def op_of(number):
    """Its range: an op and one in it take turns, a step is around all of its ops."""
    step, at = divmod(number, STEP)
    start = step * STEP * 20_000
    if at == 0:
        return start, start + STEP * 20_000 - 1, f"step {step % 10}"
    start += at * 20_000
    op, shape = OPS[at // 2 % 5], [[8 + at % 16, 128], [256, 128], [256]]
    if HAS_FEW_TEXTS and at % 2:
        return start + 1_000, start + 15_000, f"layer {number // 2 % 2000}: {op}"
    if HAS_FEW_TEXTS:
        return start, start + 38_000, f"{op}, sizes = {shape}"
    if at % 2:
        return start + 1_000, start + 15_000, f"{op}_inner, op_id = {number}, sizes = {shape}"
    return start, start + 38_000, f"{op}, seq = {number}, op_id = {number}, sizes = {shape}"


def main():
    path = sys.argv[2]
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = off")
    for table, columns in TABLES.items():
        db.execute(f"CREATE TABLE {table} ({columns})")

    def fill(table, rows):
        marks = ", ".join("?" * (TABLES[table].count(",") + 1))
        db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)

    fill("StringIds", enumerate(KERNELS + ["cudaLaunchKernel_v7000"], 1))
    fill("META_DATA_EXPORT", [("EXPORT_SCHEMA_VERSION", "3.25.0"), ("EXPORT_SCHEMA_VERSION_MAJOR", "3")])
    fill("CUPTI_ACTIVITY_KIND_KERNEL", (
        (20_000 * i + 30_000, 20_000 * i + 42_000 + i % 7000, 0, 1, 7, i + 1, PROCESS, 1 + i * 7 % 80, 1 + i * 7 % 80,
         None, 1, 32, 128, 1, 1, 256, 1, 1, 1024, 0, 0, None) for i in range(COUNT)))
    fill("CUPTI_ACTIVITY_KIND_RUNTIME", (
        (20_000 * i + 4_000, 20_000 * i + 9_000 + i % 900, 0, THREAD, i + 1, len(KERNELS) + 1, 0, None)
        for i in range(COUNT)))
    fill("NVTX_EVENTS", (
        (start, end, 59, None, None, text, THREAD, None, None, 0, None, None)
        for start, end, text in map(op_of, range(COUNT))))
    db.commit()
    db.close()


main()
