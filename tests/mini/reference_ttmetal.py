"""Recomputes the op table and the summary of Tenstorrent devices from the lines of the file and the rules that the
reports promise; no line is shared with tpq. Which advice an op gets is worked out here; the words are tpq's.

    sheets(lines, compat)     the rows of the reports, by the names of their files
"""
import csv
import re

from figures import deviation, grouped, mean

PEAK = {"LoFi": 4096 * 1.35 / 1000, "HiFi2": 4096 * 1.35 / 2000, "HiFi4": 4096 * 1.35 / 4000}  # TFLOPs of a core
BANDWIDTH, SHARDED_CORES, ENOUGH = 512, 12, 65
BYTES = {"BFLOAT16": 2, "BFLOAT8_B": 1, "BFLOAT4_B": 0.5}
BITS = {"BFLOAT16": 8, "BFLOAT8_B": 7, "BFLOAT4_B": 3}
SHORT = {"BFLOAT16": "BF16", "BFLOAT8_B": "BFP8", "BFLOAT4_B": "BFP4"}
CATEGORIES = {"LayerNorm": "Compute", "Matmul": "Compute", "Softmax": "Compute", "BinaryNg": "Compute",
              "Conv2d": "Compute",
              "ReduceScatter": "DM", "Halo": "DM", "InterleavedToSharded": "DM", "Tilize": "TM"}
PASS_ALL = ("LayerNorm", "Softmax", "BinaryNg", "InterleavedToSharded", "Tilize")  # read and write each tensor once


def number(cell):
    return int(cell) if cell else None


class Op:
    """A line of the file."""

    def __init__(self, line, cells):
        self.id, self.cells = line, cells
        self.name, self.device = cells["OP CODE"], number(cells["DEVICE ID"])
        self.on_host, self.is_signpost = "(torch)" in self.name, cells["OP TYPE"] == "signpost"
        self.duration, self.gap = number(cells["DEVICE KERNEL DURATION [ns]"]), number(cells["OP TO OP LATENCY [ns]"])
        self.attributes, self.fidelity = cells["ATTRIBUTES"], cells["MATH FIDELITY"]

    def side(self, tensor, axis):
        """A side of a tensor as it lies in memory: what stands before the bracket."""
        return number(self.cells[f"{tensor}_{axis}_PAD[LOGICAL]"].split("[")[0])

    def sides(self, tensor):
        return [self.side(tensor, axis) for axis in "WZYX"]

    def type(self, tensor):
        return self.cells[f"{tensor}_DATATYPE"]

    def memory(self, tensor):
        return self.cells[f"{tensor}_MEMORY"]

    def dram_bytes(self):
        total = 0
        for tensor in ("INPUT_0", "INPUT_1", "OUTPUT_0"):
            if "DRAM" in self.memory(tensor):
                w, z, y, x = self.sides(tensor)
                total += w * z * y * x * BYTES[self.type(tensor)]
        return total

    def attribute(self, pattern):
        found = re.search(pattern, self.attributes)
        return int(found[1]) if found else None


def read(lines):
    return [Op(line, cells) for line, cells in enumerate(csv.DictReader(lines), 2)]


def window(ops, compat):
    """What lies behind the last signpost; once it was the first one of that name."""
    posts = [op for op in ops if op.is_signpost]
    last = posts[-1]
    if compat:
        last = [op for op in posts if op.name == last.name][0]
    return [op for op in ops if op.id > last.id and not op.is_signpost]


def merge(ops):
    """The ops of all devices as one: the slowest, and the mean of a collective. Each device is a queue."""
    rows = [op for op in ops if op.on_host]
    devices = sorted({op.device for op in ops if op.device is not None})
    queues = [[op for op in ops if op.device == device] for device in devices]
    while any(queues):
        name = next(queue[0].name for queue in queues if queue)
        block = [queue.pop(0) for queue in queues if queue and queue[0].name == name]
        if re.search("AllGather|ReduceScatter|AllReduce", name):
            row = block[0]
            row.duration = mean([op.duration for op in block])
        else:
            row = max(block, key=lambda op: op.duration)  # the first of equals
        row.least, row.most = min(op.duration for op in block), max(op.duration for op in block)
        rows.append(row)
    return sorted(rows, key=lambda op: op.id)


def measure(op, compat):
    """What is known about an op by itself: label, cores, DRAM and FLOPs with their shares, and its bound."""
    op.label, op.cores = op.name, number(op.cells["CORE COUNT"])
    op.dram = op.dram_percent = op.flops = op.flops_percent = None
    op.bound = "HOST" if op.on_host else None
    op.sharded = "DRAMShardedProgramConfig" in op.attributes
    if op.on_host:
        op.types = ""
        return
    seconds = op.duration * 1e-9
    types = [SHORT[op.type(tensor)] if op.type(tensor) else None for tensor in ("INPUT_0", "INPUT_1", "OUTPUT_0")]
    op.types = ", ".join(filter(None, types[:2])) + f" => {types[2]}"
    if "Matmul" in op.name:
        m, k, n = op.side("INPUT_0", "Y"), op.side("INPUT_0", "X"), op.side("INPUT_1", "X")
        w, z = (max(op.side("INPUT_0", axis), op.side("INPUT_1", axis)) for axis in "WZ")
        batch = w * z
        op.label = f"{op.name} " + (f"b={{{batch}}} x " if batch > 1 else "") + f"{m} x {k} x {n}"
        op.cores = SHARDED_CORES if op.sharded else op.cores
        op.flops = 2 * m * k * n * batch / seconds / 1e12
        op.flops_percent = 100 * op.flops / (PEAK[op.fidelity] * op.cores)
        op.types = f"{op.fidelity} {types[0]} x {types[1]} => {types[2]}"
    elif "Conv2d" in op.name:
        m, k, n = op.side("OUTPUT_0", "Y"), op.side("INPUT_0", "X") * 9, op.side("INPUT_1", "X")
        blocks = [op.attribute(name + r"=(\d+);")
                  for name in ("per_core_out_matrix_height_ntile", "act_block_h_ntiles")]
        op.label = f"{op.name} {m} x {k} x {n} [ABH={blocks[0]}|{blocks[1]}"
        op.label += "".join(flag for flag, key in ((" ADB", "enable_act_double_buffer"), (" SR", "enable_split_reader"))
                            if f"{key}': 'true'" in op.attributes) + "]"
        op.flops = 2 * m * k * n / seconds / 1e12
        op.flops_percent = 100 * op.flops / (PEAK[op.fidelity] * number(op.cells["AVAILABLE WORKER CORE COUNT"]))
        op.types = f"{op.fidelity} {types[0]} x {types[1]} => {types[2]}"
    elif "Halo" in op.name:
        op.label = f"{op.name} w=(3,3) s=(2,2) p=((1, 1), (1, 1)) d=(1,1) | HEIGHT_SHARDED"
    passes_all = not compat and op.name.replace("DeviceOperation", "") in PASS_ALL
    if op.dram_bytes() and ("Matmul" in op.name or passes_all):
        op.dram = op.dram_bytes() / seconds / 1e9
        op.dram_percent = 100 * op.dram / BANDWIDTH
    if "Matmul" in op.name and op.dram_percent and op.flops_percent:
        memory, compute = op.dram_percent >= ENOUGH, op.flops_percent >= ENOUGH
        op.bound = "BOTH" if memory and compute else "DRAM" if memory else "FLOP" if compute else "SLOW"


def fidelity(op):
    """(class, advice) of the math fidelity of a product."""
    a, w, o = (BITS[op.type(tensor)] for tensor in ("INPUT_0", "INPUT_1", "OUTPUT_0"))
    place = ("HiFi4", "HiFi2", "LoFi").index(op.fidelity)
    enough = ("too_high", "HiFi2 is enough for BFP8, and takes half the time")
    lofi = ("too_high", "LoFi is enough for weights in BFP4, and takes the least time")
    if a == 8 and o >= 7:
        return (("sufficient", "HiFi2 may be enough: it leaves out the lowest bit of the activations and takes half the time"),
                ("too_low", "HiFi4 keeps all bits of BF16 activations; use it unless the op is bound by FLOPs"),
                ("too_low", "LoFi is rough for BF16 activations; HiFi2 or HiFi4 is more accurate"))[place]
    assert a != 8 and o >= 7  # nothing else is in the miniature
    if w >= 7:
        return (enough, ("sufficient", None),
                ("too_low", "HiFi2 is better: LoFi leaves out the two lowest bits of the weights"))[place]
    return (lofi, lofi, ("sufficient", None))[place]


def advice(op, grid):
    if "Matmul" not in op.name:
        return None
    items, (verdict, words) = [], fidelity(op)
    block, height, width = (op.attribute(name + r"=(\d+)") for name in ("in0_block_w", "out_subblock_h",
                                                                           "out_subblock_w"))
    if op.bound in ("DRAM", "BOTH"):
        if not op.sharded:
            items.append("shard the weights over the DRAM banks: a DRAM-sharded program configuration reads them faster")
        if (verdict == "too_low" and op.flops_percent < 40) or verdict == "too_high":
            items.append(words)
    if op.bound == "FLOP":
        if op.cores < grid:
            items.append(f"use more cores: it runs on {op.cores} of {grid}")
        if verdict == "too_high":
            items.append(words)
    if op.bound == "SLOW":
        if "L1" not in op.memory("INPUT_0"):
            items.append(f"keep input 0 in L1; it lies in {op.memory('INPUT_0')}")
        if block is None:  # the miniature states all three or none
            items.append("give it a program configuration: then in0_block_w, out_subblock_h and out_subblock_w can be chosen")
        else:
            if block < 2:
                items.append(f"try in0_block_w of 2 or more, now {block}")
            if height * width < 2:
                items.append(f"try output subblocks of 2 tiles or more, now {height}x{width}")
            if block >= 2 and height * width >= 2:
                items.append(f"in0_block_w {block} and subblocks of {height}x{width} look good")
            items += [words] if words else []
    return " • ".join(items)


def table(ops, compat):
    grid = 64 if compat else number(next(op for op in ops if not op.on_host).cells["AVAILABLE WORKER CORE COUNT"])
    first, rows = True, []
    for op in ops:
        measure(op, compat)
        op.gap = None if first else op.gap
        first = False
    total = sum(op.duration or 0 for op in ops) + sum(op.gap or 0 for op in ops)
    for op in ops:
        known = op.duration is not None or op.gap is not None
        rows.append({
            "ID": op.id, "Total %": 100 * ((op.duration or 0) + (op.gap or 0)) / total if known else None,
            "Bound": op.bound,
            "OP Code": op.label, "Device": op.device, "Device Time": None if op.on_host else op.duration / 1000,
            "Op-to-Op Gap": op.gap / 1000 if op.gap is not None else None, "Cores": op.cores, "DRAM": op.dram,
            "DRAM %": op.dram_percent, "FLOPs": op.flops, "FLOPs %": op.flops_percent, "Math Fidelity": op.types,
            "Output Datatype": op.type("OUTPUT_0"), "Input 0 Datatype": op.type("INPUT_0"),
            "Input 1 Datatype": op.type("INPUT_1"),
            "DRAM Sharded": str(op.sharded), "Input 0 Memory": op.memory("INPUT_0"),
            "Inner Dim Block Size": op.attribute(r"in0_block_w=(\d+)"),
            "Output Subblock H": op.attribute(r"out_subblock_h=(\d+)"),
            "Output Subblock W": op.attribute(r"out_subblock_w=(\d+)"),
            "Global Call Count": number(op.cells["GLOBAL CALL COUNT"]),
            "Advice": advice(op, grid)})
    return rows


def stacked(ops):
    def key(op):
        memory = op.memory("INPUT_0")
        name = op.label.split(" ")[0]
        return f"{name} (in0:{'_'.join(memory.lower().split('_')[-2:])})" if memory else name

    rows, total = [], sum(op.duration or 0 for op in ops) / 1000
    for name, of in grouped(ops, key).items():
        time = sum(op.duration or 0 for op in of) / 1000
        shares = [op for op in of if op.flops_percent is not None]
        flops = [op.flops_percent for op in shares]
        base = name.split(" ")[0].replace("DeviceOperation", "")
        rows.append({
            "Total % [%]": 100 * time / total, "Op Code": name, "Device Time Sum [μs]": time, "Op Count": len(of),
            "Op Category": "Host" if base == "(torch)" else CATEGORIES[base], "Min FLOPs [%]": min(flops, default=None),
            "Max FLOPs [%]": max(flops, default=None), "Mean FLOPs [%]": mean(flops),
            "Std FLOPs [%]": deviation(flops) if flops else None,
            "Weighted Mean FLOPs [%]": sum(op.flops_percent * op.duration for op in shares)
            / sum(op.duration for op in shares) if shares else None})
    return sorted(rows, key=lambda row: (-row["Device Time Sum [μs]"], row["Op Code"]))


def sheets(lines, compat):
    ops = merge(window(read(lines), compat))
    return {"ops": table(ops, compat), "stacked": stacked(ops)}
