"""read_parquet: reads what tpq writes of Apache Parquet, by the specification and not by our writer: flat columns,
plain and dictionary pages, gzip. Whatever does not hold is refused: lengths, counts, encodings, least and most.

    table = Parquet(path)
    table.columns           {name: [value, ...]}, NULL is None, texts are bytes
    table.types             {name: "integer", "real" or "text"}
    table.facts             key values of the footer
    table.groups            rows of each row group
"""

import struct
import zlib


class Wrong(Exception):
    pass


def must(condition, words):
    if not condition:
        raise Wrong(words)


class Compact:
    """Thrift's compact protocol."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    def integer(self):
        value = self.varint()
        return value >> 1 ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind in (3, 4, 5, 6):
            return self.integer()
        if kind == 8:
            length = self.varint()
            self.at += length
            return bytes(self.data[self.at - length:self.at])
        if kind == 9:
            head = self.byte()
            count = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(count)]
        must(kind == 12, f"type {kind}")
        return self.struct()

    def struct(self):
        fields, field = {}, 0
        while True:
            head = self.byte()
            if head == 0:
                return fields
            field = field + (head >> 4) if head >> 4 else self.integer()
            must(field not in fields, "a field twice")
            fields[field] = self.value(head & 15)


def hybrid(data, width, count):
    """Runs and groups of eight; all bytes are used up."""
    values, source = [], Compact(data)
    while source.at < len(data):
        head = source.varint()
        if head & 1:
            size = (head >> 1) * width
            bits = int.from_bytes(data[source.at:source.at + size], "little")
            must(source.at + size <= len(data), "groups are cut off")
            source.at += size
            values += [bits >> width * i & (1 << width) - 1 for i in range((head >> 1) * 8)]
        else:
            size = (width + 7) // 8
            values += [int.from_bytes(data[source.at:source.at + size], "little")] * (head >> 1)
            source.at += size
    must(count <= len(values) < count + 8, f"{len(values)} values of {count}")
    must(not any(values[count:]), "what fills up is not 0")
    return values[:count]


def plain(data, kind, count):
    if kind in (2, 5):
        must(len(data) == 8 * count, "numbers of another length")
        return list(struct.unpack(f"<{count}{'q' if kind == 2 else 'd'}", data))
    values, at = [], 0
    for _ in range(count):
        length, = struct.unpack_from("<I", data, at)
        values.append(bytes(data[at + 4:at + 4 + length]))
        must(len(values[-1]) == length, "a text is cut off")
        at += 4 + length
    must(at == len(data), "bytes behind the texts")
    return values


class Parquet:
    TYPES = {2: "integer", 5: "real", 6: "text"}

    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        must(data[:4] == data[-4:] == b"PAR1", f"{path}: no Parquet")
        length, = struct.unpack("<I", data[-8:-4])
        footer = Compact(data, len(data) - 8 - length)
        meta = footer.struct()
        must(footer.at == len(data) - 8, "the footer has another length")
        must(meta[1] == 1, "version")
        root, *fields = meta[2]
        must(root == {4: b"schema", 5: len(fields)}, "the root")
        self.created_by, self.rows = meta[6].decode(), meta[3]
        self.facts = {fact[1].decode(): fact[2].decode() for fact in meta[5]}
        must(meta[7] == [{1: {}}] * len(fields), "orders of columns")
        self.types, self.columns, self.has_dictionary = {}, {}, {}
        for field in fields:
            text = {6: 0, 10: {1: {}}} if field[1] == 6 else {}
            must(field == {1: field[1], 3: 1, 4: field[4], **text}, "a field of the schema")
            self.types[field[4].decode()] = self.TYPES[field[1]]
            self.columns[field[4].decode()] = []
        must(len(self.columns) == len(fields), "two columns of one name")
        self.groups = [group[3] for group in meta[4]]
        must(sum(self.groups) == self.rows and 0 not in self.groups, "rows of the groups")
        at = 4
        for group in meta[4]:
            must(len(group[1]) == len(fields), "columns of a group")
            raw = 0
            for chunk, field in zip(group[1], fields):
                at = self.chunk(data, at, chunk, field, group[3])
                raw += chunk[3][6]
            must(group[2] == raw, "bytes of a group")
        must(at == len(data) - 8 - length, "bytes between the columns and the footer")

    def page(self, data, at):
        """(header, its bytes, place behind it, how many bytes it is before compression)"""
        source = Compact(data, at)
        header = source.struct()
        packed = data[source.at:source.at + header[3]]
        must(packed[4:8] == b"\0\0\0\0", "a time in a gzip member")
        member = zlib.decompressobj(31)
        raw = member.decompress(packed)
        must(member.eof and not member.unused_data and len(raw) == header[2], "a page that is not whole")
        return header, raw, source.at + header[3], source.at - at + len(raw)

    def chunk(self, data, at, chunk, field, rows):
        meta, kind, name = chunk[3], field[1], field[4].decode()
        must(set(chunk) == {2, 3} and chunk[2] == at, f"{name}: its place")
        must((meta[1], meta[3], meta[4], meta[5]) == (kind, [field[4]], 2, rows), f"{name}: what it is")
        start, raw_bytes, values, encodings, dictionary = at, 0, [], {3}, None
        if 11 in meta:
            must(meta[11] == at, f"{name}: place of the dictionary")
            header, raw, at, size = self.page(data, at)
            must(header[1] == 2 and header[7][2] == 0 and set(header) == {1, 2, 3, 7}, f"{name}: the dictionary")
            dictionary = plain(raw, kind, header[7][1])
            must(len({repr(value) for value in dictionary}) == len(dictionary) > 0, f"{name}: a value twice")
            encodings.add(0)
            raw_bytes += size
        must(meta[9] == at, f"{name}: place of the first page")
        while len(values) < rows:
            header, raw, at, size = self.page(data, at)
            values += self.values(header, raw, kind, dictionary, name)
            encodings.add(header[5][2])
            raw_bytes += size
        must(len(values) == rows, f"{name}: rows")
        must(sorted(encodings) == meta[2], f"{name}: encodings {meta[2]}")
        must((meta[6], meta[7]) == (raw_bytes, at - start), f"{name}: bytes")
        there = [value for value in values if value is not None]
        bounds = {5: struct.pack("<q", max(there)), 6: struct.pack("<q", min(there))} if kind == 2 and there else {}
        must(meta[12] == {3: rows - len(there), **bounds}, f"{name}: statistics")
        self.columns[name] += values
        self.has_dictionary.setdefault(name, []).append(dictionary is not None)
        return at

    def values(self, header, raw, kind, dictionary, name):
        must(set(header) == {1, 2, 3, 5} and header[1] == 0, f"{name}: a page")
        count, encoding = header[5][1], header[5][2]
        must(header[5] == {1: count, 2: encoding, 3: 3, 4: 3}, f"{name}: a page")
        length, = struct.unpack_from("<I", raw)
        levels = hybrid(raw[4:4 + length], 1, count)
        rest, there = raw[4 + length:], sum(levels)
        if encoding == 8:
            given = iter([dictionary[index] for index in hybrid(rest[1:], rest[0], there)])
        else:
            must(encoding == 0, f"{name}: encoding {encoding}")
            given = iter(plain(rest, kind, there))
        return [next(given) if level else None for level in levels]
