"""Writes profiles of XLA (XSpace) and programs (HloProto), byte by byte.

    profile = Profile()
    host = profile.plane("/host:CPU")
    host.line("python", 1).event("f", 0, 5_000, {"correlation_id": 7})
    data = profile.bytes()

Numbers of fields are those of the protobuf messages. Run as a program it writes a large profile:
    xplane.py FILE EVENTS
"""
import struct
import sys

TYPES = {name: number for number, name in enumerate(
    "invalid pred s8 s16 s32 s64 u8 u16 u32 u64 f16 f32 f64 tuple opaque c64 bf16 token c128 f8e5m2 f8e4m3fn s4 u4 "
    "f8e4m3b11fnuz f8e5m2fnuz f8e4m3fnuz s2 u2 f8e4m3 f8e3m4 s1 u1 f4e2m1fn f8e8m0fnu buffer".split())}


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def real(field, value):
    return varint(field << 3 | 1) + struct.pack("<d", value)


def packed(field, values):
    return data(field, b"".join(varint(value) for value in values))


class Ref(str):
    """A text that stands in the table of names."""


class Plane:
    def __init__(self, name, number_=0):
        self.name, self.id, self.lines, self.types, self.names, self.own = name, number_, [], {}, {}, []
        self.type_stats, self.display, self.maps_first = {}, {}, False

    def type(self, name):
        return self.types.setdefault(name, len(self.types) + 1)

    def stat_name(self, name):
        return self.names.setdefault(name, len(self.names) + 1)

    def stat(self, name, value):
        head = number(1, self.stat_name(name))
        if isinstance(value, Ref):
            return head + number(7, self.stat_name(str(value)))
        if isinstance(value, str):
            return head + data(5, value)
        if isinstance(value, bytes):
            return head + data(6, value)
        if isinstance(value, float):
            return head + real(2, value)
        return head + number(4 if value < 0 else 3, value)

    def line(self, name, number_, start=0, display=None, display_id=0):
        line = Line(self, name, number_, start, display, display_id)
        self.lines.append(line)
        return line

    def bytes(self):
        lines = b"".join(data(3, line.bytes()) for line in self.lines)
        own = b"".join(data(6, self.stat(name, value)) for name, value in self.own)
        types = b""
        for name, key in self.types.items():
            body = number(1, key) + data(2, name)
            if name in self.display:
                body += data(4, self.display[name])
            for stat, value in self.type_stats.get(name, {}).items():
                body += data(5, self.stat(stat, value))
            types += data(4, number(1, key) + data(2, body))
        names = b"".join(data(5, number(1, key) + data(2, number(1, key) + data(2, name)))
                         for name, key in self.names.items())
        head = number(1, self.id) + data(2, self.name)
        return head + (types + names + lines if self.maps_first else lines + types + names) + own


class Line:
    def __init__(self, plane, name, number_, start, display, display_id):
        self.plane, self.name, self.id, self.start = plane, name, number_, start
        self.display, self.display_id, self.events = display, display_id, []

    def event(self, name, offset_ps, duration_ps, stats=None, occurrences=None):
        body = number(1, self.plane.type(name))
        body += number(5, occurrences) if occurrences else number(2, offset_ps)
        body += number(3, duration_ps)
        for stat, value in (stats or {}).items():
            body += data(4, self.plane.stat(stat, value))
        self.events.append(body)
        return self

    def bytes(self):
        body = number(1, self.id) + data(2, self.name) + number(3, self.start)
        body += b"".join(data(4, event) for event in self.events)
        if self.display_id:
            body += number(10, self.display_id)
        return body + (data(11, self.display) if self.display else b"")


class Profile:
    def __init__(self, hostname="host0"):
        self.planes, self.hostname = [], hostname

    def plane(self, name, number_=0):
        plane = Plane(name, number_)
        self.planes.append(plane)
        return plane

    def programs(self, programs):
        """programs: id -> (name, HloProto as bytes)"""
        plane = self.plane("/host:metadata")
        for key, (name, proto) in programs.items():
            title = "%s(%d)" % (name, key)
            plane.types[title] = key
            plane.type_stats[title] = {"Hlo Proto": proto}
        return plane

    def bytes(self):
        return b"".join(data(1, plane.bytes()) for plane in self.planes) + data(4, self.hostname)


# ---------------------------------------------------------------- programs


def shape(text):
    """'bf16[2,3]{1,0}' or a list of such for a tuple."""
    if isinstance(text, list):
        return number(2, TYPES["tuple"]) + b"".join(data(4, shape(member)) for member in text)
    kind, rest = text.split("[")
    extents, _, order = rest.partition("]")
    body = number(2, TYPES[kind])
    if extents:
        body += packed(3, [int(extent) for extent in extents.split(",")])
    if order:
        body += data(5, packed(1, [int(place) for place in order.strip("{}").split(",")]))
    return body


def instruction(id_, name, opcode, shape_, operands=(), **more):
    body = data(1, name) + data(2, opcode) + data(3, shape(shape_))
    if "op_name" in more or "op_type" in more:
        origin = (data(1, more["op_type"]) if "op_type" in more else b"") + data(2, more.get("op_name", ""))
        if "source" in more:
            origin += data(3, more["source"][0]) + number(4, more["source"][1])
        body += data(7, origin)
    if "fusion" in more:
        body += data(11, more["fusion"])
    if "dimensions" in more:
        body += packed(14, more["dimensions"])
    if "window" in more:  # lists of (size, stride)
        body += data(15, b"".join(data(1, number(1, size) + number(2, stride)) for size, stride in more["window"]))
    if "convolution" in more:  # field -> number or list
        body += data(16, b"".join(packed(field, value) if isinstance(value, list) else number(field, value)
                                  for field, value in more["convolution"].items()))
    if "target" in more:
        body += data(28, more["target"])
    if "dot" in more:  # four lists
        body += data(30, b"".join(packed(i + 1, values) for i, values in enumerate(more["dot"]) if values))
    body += number(35, id_)
    for operand in operands:
        body += number(36, operand)
    if "calls" in more:
        body += packed(38, more["calls"])
    if "config" in more:
        body += data(43, more["config"])
    for group in more.get("groups", ()):
        body += data(49, packed(1, group))
    if "feature_groups" in more:
        body += number(50, more["feature_groups"])
    for source, target in more.get("pairs", ()):
        body += data(52, number(1, source) + number(2, target))
    if "iota" in more:  # groups, size, dimensions, order
        groups, size, dimensions, order = more["iota"]
        body += data(87, data(2, number(1, groups) + number(2, size) + packed(3, dimensions) +
                              (packed(4, order) if order else b"")))
    return body


def computation(id_, name, instructions, root=0):
    return (data(1, name) + b"".join(data(2, item) for item in instructions) + number(5, id_) +
            (number(6, root) if root else b""))


def program(name, id_, computations, entry=None):
    module = data(1, name) + data(2, entry or "main") + b"".join(data(3, item) for item in computations)
    return data(1, module + number(5, id_)) + data(3, b"\xff" * 100)  # the second is never looked at


def write_large(path, events):
    profile = Profile("big")
    gpu = profile.plane("/device:GPU:0")
    host = profile.plane("/host:CPU")
    stream, python = gpu.line("Stream #1(Kernel)", 1), host.line("python", 2)
    launches = host.line("Host Threads/3", 3)
    with_stats = {"hlo_module": Ref("jit_f"), "program_id": 1}
    at = 0
    for i in range(events // 10):
        for j in range(8):
            python.event("$file.py:%d function_%d" % (j, i % 5000), at + j * 1000, 16000 - 2 * j * 1000)
        launches.event("hipModuleLaunchKernel", at + 100, 9000, {"correlation_id": i})
        stream.event("fusion_%d" % (i % 300), at + 3000, 12000,
                     dict(with_stats, correlation_id=i, hlo_op=Ref("fusion.%d" % (i % 300))))
        at += 20000
    with open(path, "wb") as handle:
        handle.write(profile.bytes())


if __name__ == "__main__":
    write_large(sys.argv[1], int(sys.argv[2]))
