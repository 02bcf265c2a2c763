"""Databases of rocprofv3 (rocpd), made by hand: one process of given rows, or several in a file.

    base = Base(pid=7001)
    base.call("hipLaunchKernel", 100, 110, own=5)
    base.kernel("gemm", 120, 200, caller=5)
    base.range("aten::mm, op_id = 1, sizes = [[2, 3], [3, 4]]", 90, 300)
    write("run.db", base)

Tables have the columns that rows are given, and end in the id of the process. Version 4 says by
tracks where rows are.
"""
import json
import os
import random
import sqlite3

HIP, COMPILER, HSA, RCCL, MARKER = ("HIP_RUNTIME_API_EXT", "HIP_COMPILER_API_EXT", "HSA_CORE_API",
                                    "RCCL_API", "MARKER_CORE_RANGE_API")
PLACE = ("pid", "tid", "agent_id", "queue_id", "stream_id")


class Base:
    def __init__(self, pid=7001, guid=None, version="3", agents=2):
        self.pid, self.version, self.tables, self.texts, self.tracks = pid, version, {}, {}, {}
        self.guid = guid or "00000000-0000-7000-8000-%012d" % pid
        self.add("rocpd_metadata", tag="schema_version", value=version)
        self.add("rocpd_metadata", tag="guid", value=self.guid)
        self.add("rocpd_info_process", id=pid, nid=1, pid=pid, command="train --token secret-word", environment='{"KEY":"secret-word"}')
        self.add("rocpd_info_node", id=1, machine_id="0123456789abcdef", system_name="Linux", hostname="secret-host")
        self.add("rocpd_info_agent", id=1, type="CPU", type_index=0, name="EPYC", product_name="EPYC", extdata="{}")
        for i in range(agents):
            self.add("rocpd_info_agent", id=2 + i, type="GPU", type_index=i, absolute_index=1 + i, logical_index=1 + i, name="gfx942",
                     product_name="AMD Instinct MI300X", extdata='{"simd_count":1216,"cu_count":304,"gfx_target_version":90402}')
        self.thread(pid, "main")
        self.symbols, self.owns = {}, 1 << 20

    def add(self, table, **values):
        rows = self.tables.setdefault(table, [])
        values.setdefault("id", len(rows) + 1)
        if table != "rocpd_metadata":
            values["guid"] = self.guid
        if self.version.startswith("4") and "start" in values:
            place = tuple(values.pop(name, None) for name in PLACE)
            if place not in self.tracks:
                self.tracks[place] = self.add("rocpd_track", **dict(zip(PLACE, place)))
            values["track_id"] = self.tracks[place]
        rows.append(values)
        return values["id"]

    def text(self, value):
        if value not in self.texts:
            self.texts[value] = self.add("rocpd_string", string=value)
        return self.texts[value]

    def thread(self, tid, name=None):
        self.add("rocpd_info_thread", id=tid, pid=self.pid, tid=tid, name=name)
        return self

    def category(self, value):
        if not self.version.startswith("4"):
            return self.text(value)
        for row in self.tables.get("rocpd_info_category", []):
            if row["name"] == value:
                return row["id"]
        return self.add("rocpd_info_category", name=value)

    def event(self, category, stack, parent=0, external=0, **extra):
        return self.add("rocpd_event", category_id=self.category(category), stack_id=stack, parent_stack_id=parent, correlation_id=external,
                        extdata=json.dumps(extra))

    def region(self, name, start, end, category=HIP, own=None, tid=None, message=None, arguments=(), **more):
        """A call, or what was marked; arguments are (type, name, value)."""
        if own is None:
            self.owns += 1
            own = self.owns
        event = self.event(category, own, **({"message": message} if message is not None else {}))
        for i, (kind, word, value) in enumerate(arguments):
            self.add("rocpd_arg", event_id=event, position=i, type=kind, name=word, value=value)
        self.add("rocpd_region", start=start, end=end, name_id=self.text(name), event_id=event, pid=self.pid, tid=tid or self.pid, **more)
        return self

    call = region

    def range(self, message, start, end, function="roctxThreadRangeA", **more):
        return self.region(function, start, end, MARKER, message=message, **more)

    def point(self, message, time, tid=None):
        event = self.event(MARKER, 0, message=message)
        track = self.add("rocpd_track", pid=self.pid, tid=tid or self.pid, name_id=self.text(MARKER))
        self.tables.setdefault("rocpd_sample", []).append(dict(id=event, guid=self.guid, track_id=track, timestamp=time, event_id=event))
        return self

    def symbol(self, name, **more):
        if name not in self.symbols:
            self.symbols[name] = self.add("rocpd_info_kernel_symbol", **{"kernel_name": "_Z" + name + ".kd", "display_name": name,
                                          "arch_vgpr_count": 64, "accum_vgpr_count": 32, "sgpr_count": 16, "extdata": "{}", **more})
        return self.symbols[name]

    def kernel(self, name, start, end, caller=0, agent=2, stream=0, queue=1, **more):
        event = self.event("KERNEL_DISPATCH", caller, caller, more.pop("external", 0))
        values = dict(kernel_id=self.symbol(name), dispatch_id=len(self.tables.get("rocpd_kernel_dispatch", [])) + 1, start=start, end=end,
                      private_segment_size=0, group_segment_size=1024, workgroup_size_x=128, workgroup_size_y=1, workgroup_size_z=1,
                      grid_size_x=256, grid_size_y=1, grid_size_z=1, region_name_id=self.text(name), event_id=event, pid=self.pid,
                      tid=self.pid, agent_id=agent, queue_id=queue, stream_id=stream)
        self.add("rocpd_kernel_dispatch", **{**values, **more})
        return self

    def copy(self, start, end, size, caller=0, way="HOST_TO_DEVICE", source=1, target=2, stream=0, **more):
        event = self.event("MEMORY_COPY", caller, caller)
        self.add("rocpd_memory_copy", start=start, end=end, name_id=self.text("MEMORY_COPY_" + way), src_agent_id=source, dst_agent_id=target,
                 size=size, event_id=event, pid=self.pid, tid=self.pid, stream_id=stream, **more)
        return self

    def memory(self, kind, start, end, address, size=0, level="REAL", agent=2, **more):
        event = self.event("MEMORY_ALLOCATION", 0)
        self.add("rocpd_memory_allocate", type=kind, level=level, start=start, end=end, address=address, size=size, event_id=event,
                 pid=self.pid, tid=self.pid, agent_id=agent, **more)
        return self

    def graph(self, own, graph, kernels):
        """How many kernels the launch of a graph by a call ran."""
        event = next(row["id"] for row in self.tables["rocpd_event"] if row["stack_id"] == own)
        self.add("rocpd_graph_launch", event_id=event, graph_exec_id=graph, kernel_dispatch_count=kernels)
        return self

    def counter(self, name, unit=None, agent=2):
        return self.add("rocpd_info_pmc", name=name, symbol=name, units=unit, agent_id=agent)

    def count(self, counter, value, event=None, **more):
        """What a counter says of an event; the last one where none is given."""
        self.add("rocpd_pmc_event", pmc_id=counter, value=value, event_id=len(self.tables["rocpd_event"]) if event is None else event, **more)
        return self

    def sample(self, time, category="device_busy", **more):
        """A moment at which counters were looked at; gives the ids of its event and of itself."""
        event = self.event(category, 0)
        return event, self.add("rocpd_sample", timestamp=time, event_id=event, **more)

    def wait(self, kind, start, end, agent=2, stream=0):
        self.add("rocpd_event_operation", type=kind, start=start, end=end, pid=self.pid, agent_id=agent, stream_id=stream,
                 event_id=self.event("KERNEL_DISPATCH", 0))
        return self


def write(path, *bases, seed=None, page_size=4096, ending=True, keyed=True, more=()):
    """Writes the tables, and views over them; with a seed rows stand in an order that it gives, and
    without keys in the order of a table that has none."""
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA page_size = %d" % page_size)
    names = {}
    for base in bases:
        end = "_" + base.guid.replace("-", "_") if ending else ""
        for table, rows in base.tables.items():
            columns = sorted({column for row in rows for column in row})
            rows = [[row.get(column) for column in columns] for row in rows]
            if seed is not None:
                random.Random(seed).shuffle(rows)
            key = ' INTEGER PRIMARY KEY' if keyed else ""
            db.execute('CREATE TABLE IF NOT EXISTS "%s%s" (%s)' % (table, end, ", ".join(
                '"%s"%s' % (column, key if column == "id" else "") for column in columns)))
            db.executemany('INSERT INTO "%s%s" (%s) VALUES (%s)' % (table, end, ", ".join('"%s"' % column for column in columns),
                                                                    ", ".join("?" * len(columns))), rows)
            names.setdefault(table, []).append(table + end)
    for table, parts in names.items():
        if ending:
            db.execute('CREATE VIEW "%s" AS %s' % (table, " UNION ALL ".join('SELECT * FROM "%s"' % part for part in parts[:1])))
    for text in more:
        db.executescript(text)
    db.commit()
    db.close()
    return path
