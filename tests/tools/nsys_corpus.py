#!/usr/bin/env python3
"""Writes what the fuzz target of databases starts from: nsys_corpus.py FOLDER."""
import os
import struct
import sys

from nsys_export import Export, process, thread

FOLDER = os.path.join(sys.argv[1], "database")


def write(name, export, way=0, **more):
    os.makedirs(FOLDER, exist_ok=True)
    path = export.write(os.path.join(FOLDER, name), page_size=512, **more)
    with open(path, "r+b") as file:
        content = file.read()
        file.seek(0)
        file.write(bytes([way]) + content)


def work(pid=4, device=0):
    export = Export().range(pid, 5, 90, "aten::mm, seq = 1, op_id = 2, sizes = [[2, 3], [3, 4]]")
    export.call(pid, 10, 12, "cudaLaunchKernel_v7000", 7).kernel(pid, 14, 40, "k", 7, deviceId=device)
    return export


def marks():
    export = Export().range(4, 1, None, "lib", eventType=75, domainId=3).range(4, 1, None, "io", eventType=33, category=2)
    export.range(4, 5, 9, "in", domainId=3).range(4, 6, None, "open").range(4, 7, 8, "to", eventType=60, endGlobalTid=thread(4, 5))
    export.range(4, 8, None, "at", eventType=34, doubleValue=1.5).range(4, 8, 9, "bad, seq = x").range(4, 8, 9, b"\xff")
    return export


def beside():
    export = work().copy(4, 50, 60, 100, 8).set(4, 60, 70, 5, 9).system(4, 1, 2, "poll")
    export.add("TARGET_INFO_GPU", id=0, cuDevice=0, smCount=10, name="G", totalMemory=1, computeMajor=8, computeMinor=0)
    export.add("TARGET_INFO_CUDA_STREAM", streamId=7, processId=4, flag=3, priority=0)
    export.add("CUDA_GPU_MEMORY_USAGE_EVENTS", start=5, globalPid=process(4), deviceId=0, bytes=8, memoryOperationType=0, correlationId=7)
    export.add("ThreadNames", nameId=export.text("main"), globalTid=thread(4)).add("PROCESSES", globalPid=process(4), name="/a/b")
    export.add("CUDA_UM_CPU_PAGE_FAULT_EVENTS", start=5, globalPid=process(4), address=4096, CpuInstruction=export.text("main"))
    export.add("CUDA_UM_GPU_PAGE_FAULT_EVENTS", start=5, end=6, globalPid=process(4), deviceId=0, address=4096,
               numberOfPageFaults=2, faultAccessType=2)
    export.add("CUPTI_ACTIVITY_KIND_CUDA_EVENT", deviceId=0, streamId=7, correlationId=7, globalPid=process(4))
    for at, is_in, tid in ((1, 0, 4), (2, 1, 4), (3, 1, 4), (8, 0, 4), (8, 0, 5), (8, 1, 5), (9, 1, 5)):
        export.switch(4, at, is_in, tid)
    return export


def two():
    export = work()
    for table, rows in work(5, 1).tables.items():
        export.tables[table] += rows
    return export


def payload():
    export = work().range(4, 1, None, "NCCL", eventType=75, domainId=1)
    export.add("NVTX_PAYLOAD_SCHEMA_ENTRIES", domainId=1, schemaId=9, idx=0, type=18, name="NCCL communicator ID")
    export.add("NVTX_PAYLOAD_SCHEMA_ENTRIES", domainId=1, schemaId=9, idx=1, type=1 << 24, name="Reduction operation", offset=8)
    export.add("NVTX_PAYLOAD_ENUM_ENTRIES", domainId=1, schemaId=1 << 24, value=1, name="Max")
    export.range(4, 9, 13, "ncclAllReduce", domainId=1, binaryData=struct.pack("<4QQi", 1, 9, 12, 32, 7, 1))
    export.range(4, 20, 21, "ncclSend", domainId=1, jsonText='{"Rank": 1}').range(4, 30, 31, "ncclRecv", domainId=1, eventId=77)
    return export.add("DYNAMIC_NVTXPAYLOAD_DATATYPE_1_1_9", eventId=77, NCCL_communicator_ID=3, Reduction_operation=0.5)


write("work", work())
write("payload", payload(), 3)
write("marks", marks(), 2)
write("beside", beside(), 1)
write("two", two(), 4)
write("odd", work().kernel(4, "soon", 5, "k").kernel(4, 9, 1 << 62, "k").add("CUPTI_ACTIVITY_KIND_KERNEL", start=9, end=8, globalPid=None).sql(
    "CREATE VIEW OSRT_API AS SELECT * FROM SYSCALL; CREATE VIEW SYSCALL AS SELECT * FROM OSRT_API"))
