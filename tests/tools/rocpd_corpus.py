#!/usr/bin/env python3
"""Writes databases of rocprofv3 that the fuzz target of databases starts from: rocpd_corpus.py FOLDER."""
import os
import sys

from rocpd_base import RCCL, Base, write

FOLDER = os.path.join(sys.argv[1], "database")


def keep(name, *bases, way=0, **more):
    os.makedirs(FOLDER, exist_ok=True)
    path = write(os.path.join(FOLDER, name), *bases, page_size=512, **more)
    with open(path, "r+b") as file:
        content = file.read()
        file.seek(0)
        file.write(bytes([way]) + content)


def work(pid=4, version="3"):
    base = Base(pid, version=version, agents=1).range("aten::mm, seq = 1, op_id = 2, sizes = [[2, 3], [3, 4]]", 5, 90)
    base.call("hipLaunchKernel", 10, 12, own=7, arguments=[("int", "n", "1"), ("char *", "p", "0x1")])
    return base.kernel("k", 14, 40, 7)


def libraries():
    base = Base(4, agents=1).call("ncclGroupStart", 1, 2, RCCL).call("ncclSend", 3, 4, RCCL, arguments=[("int", "count", "8"), ("int", "datatype", "7")])
    base.call("ncclGroupEnd", 5, 9, RCCL).call("hipExtLaunchKernel", 6, 7, own=7).kernel("ncclDevKernel", 8, 20, 7).point("here", 8)
    return base.call("rocDecCreate", 30, 40, "ROCDECODE_API", own=8).kernel("decode", 32, 38, 8)


def memory():
    base = work().memory("ALLOC", 1, 2, 64, 8).memory("FREE", 50, 51, 64).memory("ALLOC", 3, 4, None, 9, "SCRATCH").wait("WAIT", 12, 13)
    return base.copy(60, 70, 5, 7).graph(7, 3, 1).range("p", 1, 99, "roctxProcessRangeA")


keep("rocpd_work", work())
keep("rocpd_tracks", work(version="4.1.0"), way=2)
keep("rocpd_libraries", libraries(), way=1)
keep("rocpd_memory", memory(), way=4)
keep("rocpd_two", work(), work(5), ending=False, keyed=False, way=1)
keep("rocpd_odd", work().kernel("k", "soon", 5).kernel("k", 9, 1 << 62, agent=77).range('{"', 9, 8), way=1)
