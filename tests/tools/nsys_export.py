"""Exports of Nsight Systems, made by hand: tables with the columns that rows are given.

    export = Export(schema=(3, 25))
    export.call(1, 100, 110, "cudaLaunchKernel_v7000", correlation=7)
    export.kernel(1, 120, 200, "gemm", correlation=7)
    export.range(1, 90, 300, "aten::mm, op_id = 1, sizes = [[2, 3], [3, 4]]")
    export.write("run.sqlite")
"""
import os
import random
import sqlite3

MACHINE = 1 << 48
DEFAULTS = {
    "CUPTI_ACTIVITY_KIND_KERNEL": dict(
        deviceId=0, contextId=1, streamId=7, registersPerThread=32, gridX=2, gridY=1, gridZ=1, blockX=128, blockY=1,
        blockZ=1, staticSharedMemory=1024, dynamicSharedMemory=0, localMemoryPerThread=0, shortName=None,
        mangledName=None, launchType=1, graphNodeId=None),
    "CUPTI_ACTIVITY_KIND_MEMCPY": dict(
        deviceId=0, contextId=1, streamId=7, copyKind=1, srcKind=0, dstKind=2, srcDeviceId=None, dstDeviceId=None,
        graphNodeId=None),
    "CUPTI_ACTIVITY_KIND_MEMSET": dict(deviceId=0, contextId=1, streamId=7, memKind=2, value=0, graphNodeId=None),
    "CUPTI_ACTIVITY_KIND_GRAPH_TRACE": dict(deviceId=0, contextId=1, streamId=7, graphExecId=9),
    "CUPTI_ACTIVITY_KIND_RUNTIME": dict(eventClass=0, returnValue=0, callchainId=None),
    "NVTX_EVENTS": dict(eventType=59, domainId=0, end=None, text=None, textId=None, category=None, endGlobalTid=None,
                        uint64Value=None, doubleValue=None),
    "OSRT_API": dict(eventClass=27, returnValue=0),
}


def process(pid):
    return MACHINE | pid << 24


def thread(pid, tid=None):
    return process(pid) | (tid or pid)


class Export:
    def __init__(self, schema=(3, 25)):
        self.schema, self.tables, self.texts, self.more = schema, {}, {}, []

    def text(self, value):
        return self.texts.setdefault(value, len(self.texts) + 1)

    def add(self, table, **values):
        self.tables.setdefault(table, []).append({**DEFAULTS.get(table, {}), **values})
        return self

    def call(self, pid, start, end, name, correlation=None, tid=None, **more):
        return self.add("CUPTI_ACTIVITY_KIND_RUNTIME", start=start, end=end, nameId=self.text(name), correlationId=correlation,
                        globalTid=thread(pid, tid), **more)

    def switch(self, pid, at, is_in, tid=None, cpu=0, **more):
        return self.add("SCHED_EVENTS", start=at, cpu=cpu, isSchedIn=is_in, globalTid=thread(pid, tid), **more)

    def kernel(self, pid, start, end, name, correlation=None, **more):
        return self.add("CUPTI_ACTIVITY_KIND_KERNEL", start=start, end=end, demangledName=self.text(name),
                        correlationId=correlation, globalPid=process(pid), **more)

    def copy(self, pid, start, end, size, correlation=None, **more):
        return self.add("CUPTI_ACTIVITY_KIND_MEMCPY", start=start, end=end, bytes=size, correlationId=correlation,
                        globalPid=process(pid), **more)

    def set(self, pid, start, end, size, correlation=None, **more):
        return self.add("CUPTI_ACTIVITY_KIND_MEMSET", start=start, end=end, bytes=size, correlationId=correlation,
                        globalPid=process(pid), **more)

    def range(self, pid, start, end, text, tid=None, **more):
        return self.add("NVTX_EVENTS", start=start, end=end, text=text, globalTid=thread(pid, tid), **more)

    def system(self, pid, start, end, name, tid=None, **more):
        return self.add("OSRT_API", start=start, end=end, nameId=self.text(name), globalTid=thread(pid, tid), **more)

    def sql(self, text):
        self.more.append(text)
        return self

    def write(self, path, seed=None, page_size=4096):
        """Writes the tables; with a seed rows stand in an order that it gives."""
        if os.path.exists(path):
            os.unlink(path)
        db = sqlite3.connect(path)
        db.execute("PRAGMA page_size = %d" % page_size)
        db.execute("CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)")
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(number, text) for text, number in self.texts.items()])
        meta = [("EXPORT_SCHEMA_VERSION", ".".join(map(str, self.schema))), ("EXPORT_SCHEMA_VERSION_MAJOR", str(self.schema[0]))]
        self.tables.setdefault("META_DATA_EXPORT", [])[:0] = [dict(name=name, value=value) for name, value in meta]
        for table, rows in self.tables.items():
            columns = sorted({column for row in rows for column in row})
            rows = [[row.get(column) for column in columns] for row in rows]
            if seed is not None:
                random.Random(seed).shuffle(rows)
            db.execute('CREATE TABLE "%s" (%s)' % (table, ", ".join('"%s"' % column for column in columns)))
            db.executemany('INSERT INTO "%s" VALUES (%s)' % (table, ", ".join("?" * len(columns))), rows)
        for text in self.more:
            db.executescript(text)
        db.commit()
        db.close()
        return path
