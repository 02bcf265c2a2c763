"""Traces in Perfetto's own format, read by hand: fields of messages, and what a viewer makes of
them. Raises ValueError where a trace breaks the rules of the format."""

import struct


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    """Number and value of each field: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = varint(data, at)
        elif kind == 1:
            value, at = struct.unpack_from("<Q", data, at)[0], at + 8
        elif kind == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
            if len(value) != length:
                raise ValueError("a message breaks off")
        else:
            raise ValueError(f"a field of kind {kind}")
        yield key >> 3, value


def message(data):
    """The fields of a message, lists by number."""
    found = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def one(found, number, otherwise=None):
    return found.get(number, [otherwise])[-1]


def signed(value):
    return value - (1 << 64) if value >= 1 << 63 else value


def real(value):
    return struct.unpack("<d", struct.pack("<Q", value))[0]


class Slice:
    def __init__(self, **members):
        self.__dict__.update(members)


class Trace:
    """slices, instants, counters (samples by track), tracks, flows."""

    def __init__(self, data):
        self.slices, self.instants, self.tracks = [], [], {}
        self.samples, self.begun, self.ended = {}, {}, {}
        self.packets = self.errors = 0
        self.stages, self.gpus, self.launched = [], [], {}  # render stages; calls by what they launched
        self.clocks = {}
        self.words = {}    # by sequence and field
        self.now = {}
        self.open = {}     # slices by track
        for number, value in fields(data):
            if number != 1:
                raise ValueError(f"field {number} of the trace")
            self.packets += 1
            self.take(message(value))
        left = [slice for stack in self.open.values() for slice in stack]
        if left:
            raise ValueError(f"{len(left)} slices do not end: {left[0].name}")

    def take(self, packet):
        sequence = one(packet, 10)
        if one(packet, 13, 0) & 1:
            self.words[sequence], self.now[sequence] = {}, 0
            if one(packet, 87) != 1:
                raise ValueError("a sequence begins in its midst")
        if 6 in packet:
            for clock in message(one(packet, 6))[1]:
                clock = message(clock)
                self.clocks[(sequence, one(clock, 1))] = (one(clock, 2), one(clock, 3, 0))
        if 59 in packet and message(one(packet, 59)) != {58: [64]}:
            raise ValueError("another clock")
        if 60 in packet:
            self.describe(message(one(packet, 60)))
        for field, words in message(one(packet, 12, b"")).items():
            for word in words:
                word = message(word)
                known = self.words[sequence].setdefault(field, {})
                if one(word, 1) in known:
                    raise ValueError(f"word {one(word, 1)} of field {field} twice")
                text = one(word, 2)
                known[one(word, 1)] = text.decode() if isinstance(text, bytes) else text
        for gpu in message(one(packet, 128, b"")).get(1, []):
            gpu = message(gpu)
            self.gpus.append((one(gpu, 1).decode(), one(gpu, 3, b"").decode()))
        if 53 in packet:
            self.stage(sequence, packet, message(one(packet, 53)))
        if 11 in packet:
            self.event(sequence, packet, message(one(packet, 11)))

    def describe(self, track):
        uuid = one(track, 1)
        if uuid in self.tracks:
            raise ValueError(f"track {uuid} twice")
        name, kind = one(track, 2, b"").decode(), "track"
        for field, named in ((3, 6), (4, 5)):
            if field in track:
                inner = message(one(track, field))
                name, kind = one(inner, named, b"").decode(), ("process", "thread")[field - 3]
                track.update({"pid": one(inner, 1), "tid": one(inner, 2)})
        if 8 in track:
            kind = "counter"
            track["unit"] = message(one(track, 8))
        parent = one(track, 5, 0)
        if parent and parent not in self.tracks:
            raise ValueError(f"track {uuid} before its parent")
        self.tracks[uuid] = Slice(name=name, kind=kind, parent=parent, pid=track.get("pid"),
                                  tid=track.get("tid"), unit=track.get("unit"))

    def stage(self, sequence, packet, event):
        self.now[sequence] += one(packet, 8)
        words = self.words[sequence]
        if not one(packet, 13, 0) & 2 or one(event, 5) not in words[23]:
            raise ValueError("words are used without saying so")
        launch, found = message(one(event, 21, b"")), {}
        for field, name in ((1, "grid"), (2, "block")):
            if field in launch:
                found[name] = [one(message(one(launch, field)), axis, 0) for axis in (1, 2, 3)]
        for argument in map(message, launch.get(3, [])):
            found[words[1001][one(argument, 1)]] = signed(one(argument, 3))
        self.stages.append(Slice(name=words[2][one(event, 20)], ts=self.now[sequence], dur=one(event, 2, 0), id=one(event, 1),
                                 queue=words[24][one(event, 13)], stage=words[24][one(event, 14)], gpu=one(event, 11), launch=found))

    def event(self, sequence, packet, event):
        if (sequence, 64) in self.clocks:
            self.now[sequence] += one(packet, 8)
            time = self.now[sequence]
        else:
            time = one(packet, 8)
            if time < self.now[sequence]:
                self.now[sequence] = 0 if one(event, 9) == 4 else time
        words, uuid, kind = self.words[sequence], one(event, 11), one(event, 9)
        if uuid not in self.tracks:
            raise ValueError(f"no track {uuid}")
        if kind == 4:
            value = real(event[44][0]) if 44 in event else signed(one(event, 30))
            samples = self.samples.setdefault(uuid, [])
            if samples and samples[-1][0] >= time:
                raise ValueError("samples go back")
            samples.append((time, value))
            return
        if kind == 2:
            slice = self.open[uuid].pop()
            slice.dur = time - slice.ts
            return
        if not one(packet, 13, 0) & 2:
            raise ValueError("words are used without saying so")
        args = {}
        for annotation in event.get(4, []):
            annotation = message(annotation)
            key = words[3][one(annotation, 1)]
            args[key] = (one(annotation, 3) if 3 in annotation
                         else signed(one(annotation, 4)) if 4 in annotation
                         else real(one(annotation, 5)) if 5 in annotation
                         else words[29][one(annotation, 17)])
        made = Slice(name=words[2][one(event, 10)], cat=words[1][one(event, 3)], ts=time, dur=None,
                     track=uuid, args=args, depth=len(self.open.get(uuid, [])))
        for work in message(one(event, 3000, b"")).get(1, []):
            self.launched[work] = made.name
        for field, flows in ((47, self.begun), (48, self.ended)):
            for flow in event.get(field, []):
                flows.setdefault(flow, []).append(made)
        if kind == 3:
            made.dur = 0
            self.instants.append(made)
            return
        if kind != 1:
            raise ValueError(f"an event of type {kind}")
        self.slices.append(made)
        self.open.setdefault(uuid, []).append(made)
