"""Makes traces in the format of Perfetto, for tests: packets with track events.

    trace = Trace()
    trace.thread(7, pid=100, tid=1, name="main")
    trace.slice(7, "hip_api", "hipLaunchKernel", 1000, 20, {"corr_id": 1})
    bytes = trace.bytes()
"""
import random
import struct
import zlib


def number(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def field(key, value):
    """A field by the type of its value: integers, bytes and texts, and real numbers."""
    if isinstance(value, bool) or isinstance(value, int):
        return number(key << 3) + number(int(value))
    if isinstance(value, float):
        return number(key << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return number(key << 3 | 2) + number(len(data)) + data


def fixed(key, value):
    return number(key << 3 | 1) + struct.pack("<Q", value)


def message(*fields):
    return b"".join(field(key, value) for key, value in fields)


def annotation(name, value, iid=None):
    head = field(1, iid) if iid is not None else field(10, name)
    if isinstance(value, bool):
        return head + field(2, value)
    if isinstance(value, int):
        return head + (field(3, value) if value >= 0 else field(4, value))
    if isinstance(value, float):
        return head + field(5, value)
    if isinstance(value, dict):
        return head + b"".join(field(11, annotation(key, item)) for key, item in value.items())
    if isinstance(value, list):
        return head + b"".join(field(12, annotation("", item)) for item in value)
    return head + field(6, value)


class Sequence:
    """What one writer has: numbers of texts, and packets in order."""

    def __init__(self, trace, identity, interned=True):
        self.trace, self.id, self.interned = trace, identity, interned
        self.known, self.new, self.first = {}, [], True

    def text(self, table, text):
        key = (table, text)
        if key not in self.known:
            self.known[key] = len(self.known) + 1
            self.new.append((table, message((1, self.known[key]), (2, text))))
        return self.known[key]

    def packet(self, *parts, time=None, clock=None, flags=None):
        flags = (1 if self.first else 0) | 2 if flags is None else flags
        self.first = False
        content = b"".join(parts) + field(10, self.id) + field(13, flags)
        if time is not None:
            content += field(8, time)
        if clock is not None:
            content += field(58, clock)
        if self.new:  # stands behind what refers to it
            content += field(12, message(*self.new))
            self.new = []
        self.trace.packets.append(content)

    def event(self, kind, track=None, name=None, category=None, time=0, flows=(), ending=(), clock=None, legacy=None, old=False, args=None):
        parts = [field(9, kind)] if legacy is None else []
        if track is not None:
            parts.append(field(11, track))
        if category is not None:
            parts.append(field(3, self.text(1, category)) if self.interned else field(22, category))
        if name is not None:
            parts.append(field(10, self.text(2, name)) if self.interned else field(23, name))
        for key, value in (args or {}).items():
            iid = self.text(3, key) if self.interned else None
            parts.append(field(4, annotation(key, value, iid)))
        parts += [field(36, flow) if old else fixed(47, flow) for flow in flows]
        parts += [field(42, flow) if old else fixed(48, flow) for flow in ending]
        if legacy is not None:
            parts.append(field(6, legacy))
        self.packet(field(11, b"".join(parts)), time=time, clock=clock)


class Trace:
    def __init__(self):
        self.packets = []
        self.main = self.sequence(1)

    def sequence(self, identity, interned=True):
        return Sequence(self, identity, interned)

    def descriptor(self, *fields):
        self.packets.append(field(60, message(*fields)))

    def process(self, uuid, pid, name):
        self.descriptor((1, uuid), (3, message((1, pid), (6, name))))

    def thread(self, uuid, pid, tid, name, parent=None):
        self.descriptor((1, uuid), *([(5, parent)] if parent is not None else []), (4, message((1, pid), (2, tid), (5, name))))

    def track(self, uuid, name, parent=None):
        self.descriptor((1, uuid), (2, name), *([(5, parent)] if parent is not None else []))

    def slice(self, track, category, name, start, duration, args=None, **more):
        self.main.event(1, track, name, category, start, args=args, **more)
        self.main.event(2, track, time=start + duration)

    def shuffle(self, seed):
        random.Random(seed).shuffle(self.packets)

    def bytes(self, compress=0):
        packets = self.packets
        if compress:  # so many a piece
            packets = [field(50, zlib.compress(b"".join(field(1, packet) for packet in packets[i:i + compress])))
                       for i in range(0, len(packets), compress)]
        return b"".join(field(1, packet) for packet in packets)


# Events of a small program, as rocprofv3 has them: category, name, pid, tid, begin, duration, correlation, the rest.
SCENE = [
    ("hip_api", "hipModuleLaunchKernel", 100, 1, 1000000, 10000, 1, {"operation": 5, "stream_ID": 2}),
    ("hip_api", "hipModuleLaunchKernel", 100, 1, 1100000, 8000, 2, {"operation": 5, "stream_ID": 2}),
    ("hip_api", "hipMemcpyHtoDAsync", 100, 1, 1200000, 6000, 3, {"operation": 9, "stream_ID": 2}),
    ("hip_api", "hipStreamSynchronize", 100, 1, 1300000, 400000, 4, {"operation": 11}),
    ("hip_api", "hipModuleLaunchKernel", 100, 1, 1750000, 4000, 5, {"operation": 5, "stream_ID": 3}),
    ("kernel_dispatch", "Cijk_Alik_Bljk_MT64x64x64.kd", 0, 7, 1030000, 100000, 1,
     {"agent": "GPU-0", "grid_size": 4096, "workgroup_size": 256, "VGPR_Count": 64, "SGPR_Count": 32}),
    ("kernel_dispatch", "loop_add_fusion_12", 0, 7, 1140000, 20000, 2, {"agent": "GPU-0", "grid_size": 1024, "workgroup_size": 64}),
    ("memory_copy", "MEMORY_COPY_HOST_TO_DEVICE", 0, 8, 1210000, 30000, 3, {"agent": "GPU-0", "copy_bytes": 4096, "src_agent": 0, "dst_agent": 1}),
    ("kernel_dispatch", "ncclDevKernel_Generic_1", 0, 9, 1100000, 50000, 6, {"agent": "GPU-0"}),
    ("kernel_dispatch", "loop_add_fusion_13", 0, 7, 1760000, 12000, 5, {"agent": "GPU-1", "grid_size": 1024, "workgroup_size": 64}),
    ("kernel_dispatch", "tiny", 0, 7, 1780000, 1000, 7, {"agent": "GPU-1"}),
]


def scene(seed=None):
    """Those events as packets: threads, and a track for each queue of an accelerator."""
    trace = Trace()
    trace.process(10, 100, "app")
    trace.thread(11, 100, 1, "THREAD 0 (1)", parent=10)
    queues = {}
    for category, name, pid, tid, start, duration, correlation, more in SCENE:
        track = 11
        if pid == 0:
            key = (more["agent"], tid)
            if key not in queues:
                queues[key] = 20 + len(queues)
                trace.track(queues[key], "COMPUTE AGENT [%s] STREAM [%d] (GPU)" % (more["agent"][-1], tid), parent=10)
            track = queues[key]
        trace.slice(track, category, name, start, duration, {"begin_ns": start, "end_ns": start + duration, "delta_ns": duration, "kind": 1,
                                                             "corr_id": correlation, "tid": tid, **more})
    return trace


def chrome():
    """The same as a list of events."""
    return {"traceEvents": [
        {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": start / 1000, "dur": duration / 1000,
         "args": {"begin_ns": start, "end_ns": start + duration, "delta_ns": duration, "corr_id": correlation, "tid": tid, **more}}
        for category, name, pid, tid, start, duration, correlation, more in SCENE]}
