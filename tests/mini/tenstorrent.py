"""The miniature of ops on Tenstorrent devices: three rounds through two layers on four devices, as the profiler of
tt-metal writes them into ops_perf_results.csv. Some 290 lines.

    lines()      the lines of the file; the first one is the header

In it: signposts of which a name comes twice, ops on the host, collectives, products of matrices that are bound by
everything there is, convolutions with their halo, and a device whose last op is missing.
"""
DEVICES, LAYERS, CORES = 4, 2, 110

SHAPE = [f"{{}}_{axis}_PAD[LOGICAL]" for axis in "WZYX"] + ["{}_LAYOUT", "{}_DATATYPE", "{}_MEMORY"]
COLUMNS = ["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "DEVICE ARCH", "ATTRIBUTES", "MATH FIDELITY",
           "CORE COUNT", "AVAILABLE WORKER CORE COUNT", "PARALLELIZATION STRATEGY", "HOST START TS", "HOST END TS",
           "HOST DURATION [ns]",
           "DEVICE FW DURATION [ns]", "DEVICE KERNEL DURATION [ns]", "OP TO OP LATENCY [ns]",
           *[name.format(tensor) for tensor in ("INPUT_0", "INPUT_1", "OUTPUT_0") for name in SHAPE], "PM IDEAL [ns]"]

DRAM, L1, SHARDED = "DRAM_INTERLEAVED", "L1_INTERLEAVED", "L1_HEIGHT_SHARDED"
BF16, BFP8, BFP4 = "BFLOAT16", "BFLOAT8_B", "BFLOAT4_B"


def config(kind, *numbers):
    """How a product is parted: the block of the inner dimension, and the subblocks of the output."""
    return f"{{'bcast_batch': '1'; 'program_config': '{kind}(in0_block_w=%d;out_subblock_h=%d;out_subblock_w=%d)'}}" % numbers


REUSE = "MatmulMultiCoreReuseMultiCastProgramConfig"
BY_BANKS = "MatmulMultiCoreReuseMultiCastDRAMShardedProgramConfig"
WINDOW = ("window_hw=(3;3); stride_hw=(2;2); padding=((1; 1); (1; 1)); dilation_hw=(1;1); ")
HALO = (f"{{'config': 'SlidingWindowConfig({WINDOW}num_cores_nhw=98)'; "
        "'output': 'MemoryConfig(memory_layout=TensorMemoryLayout::HEIGHT_SHARDED;buffer=L1)'}")
CONVOLUTION = (f"{{'sliding_window_config': 'SlidingWindowConfig({WINDOW}num_cores_nhw=98)'; "
               "'parallelization_config': '(num_cores=98; per_core_out_matrix_height_ntile=13; "
               "per_core_out_matrix_width_ntile=2)'; "
               "'block_config': '(act_block_w_ntiles=9; act_block_h_ntiles=4; out_subblock_h_ntiles=1)'; "
               "'enable_act_double_buffer': 'true'; 'enable_split_reader': 'false'}")

# (name, ns, cores, fidelity, attributes, input 0, input 1, output); a tensor is (W, Z, Y, X, type, memory)
HIDDEN = (1, 1, 512, 2048, BF16, DRAM)
LAYER = [
    ("LayerNormDeviceOperation", 21_400, 64, "HiFi4", "{}", HIDDEN, None, HIDDEN),
    # slow: input in DRAM, small blocks
    ("MatmulDeviceOperation", 91_000, 96, "HiFi4", config(REUSE, 1, 1, 1), HIDDEN, (1, 1, 2048, 3072, BFP8, DRAM),
     (1, 1, 512, 3072, BF16, L1)),
    # a batch for each head, without a configuration
    ("MatmulDeviceOperation", 20_300, 80, "HiFi2", "{'program_config': 'std::nullopt'}", (1, 16, 512, 64, BFP8, L1),
     (1, 16, 64, 512, BFP8, DRAM),
     (1, 16, 512, 512, BFP8, L1)),
    ("SoftmaxDeviceOperation", 33_700, 110, "HiFi4", "{}", (1, 16, 512, 512, BFP8, L1), None,
     (1, 16, 512, 512, BFP8, L1)),
    # nothing in DRAM: no bound
    ("MatmulDeviceOperation", 17_100, 80, "LoFi", config(REUSE, 4, 2, 2), (1, 16, 512, 512, BFP8, L1),
     (1, 16, 512, 64, BFP8, L1),
     (1, 16, 512, 64, BFP8, L1)),
    # as fast as its cores
    ("MatmulDeviceOperation", 47_000, 48, "HiFi2", config(REUSE, 4, 2, 4), (1, 1, 512, 2048, BFP8, L1),
     (1, 1, 2048, 2048, BFP4, DRAM),
     (1, 1, 512, 2048, BFP8, L1)),
    ("ReduceScatterDeviceOperation", 150_200, 20, "", "{'topology': 'Ring'}", HIDDEN, None,
     (1, 1, 512, 512, BF16, DRAM)),
    ("BinaryNgDeviceOperation", 12_100, 110, "HiFi4", "{}", HIDDEN, (1, 1, 512, 2048, BF16, L1),
     (1, 1, 512, 2048, BFP8, L1)),
    # one row of tiles against all weights: bound by the memory, by the banks the first time
    ("MatmulDeviceOperation", 41_000, 60, "HiFi2", config(BY_BANKS, 8, 1, 4),
     ("1", "1", "32[17]", "2048[2048]", BF16, SHARDED),
     (1, 1, 2048, 8192, BFP8, DRAM), (1, 1, 32, 8192, BF16, L1)),
    ("MatmulDeviceOperation", 48_700, 110, "LoFi", config(REUSE, 8, 1, 4), (1, 1, 32, 2048, BF16, L1),
     (1, 1, 2048, 8192, BFP8, DRAM),
     (1, 1, 32, 8192, BF16, DRAM)),
]
HEAD = [
    ("HaloDeviceOperation", 9_300, 98, "", HALO, (1, 1, 12544, 32, BF16, SHARDED), None,
     (1, 1, 12544, 32, BF16, SHARDED)),
    ("Conv2dDeviceOperation", 31_000, 98, "LoFi", CONVOLUTION, (1, 1, 12544, 32, BF16, SHARDED),
     (1, 1, 288, 64, BFP8, DRAM),
     (1, 1, 3136, 64, BF16, SHARDED)),
    ("TilizeDeviceOperation", 7_700, 110, "", "{}", (1, 1, 3136, 64, BF16, L1), None, (1, 1, 3136, 64, BF16, L1)),
]


def tensor(name, of):
    if of is None:
        return {}
    sides = [side if isinstance(side, str) else f"{side}[{side}]" for side in of[:4]]
    cells = [*sides, "TILE", of[4], f"DEV_0_{of[5]}"]
    return {column.format(name): cell for column, cell in zip(SHAPE, cells)}


class Table:
    def __init__(self):
        self.rows, self.time, self.calls = [], 1_000_000, 0

    def add(self, **cells):
        self.time += 400
        cells["HOST START TS"] = self.time
        self.rows.append(cells)

    def signpost(self, name):
        self.add(**{"OP CODE": name, "OP TYPE": "signpost"})

    def host(self, name):
        self.add(**{"OP CODE": f"(torch) {name}", "OP TYPE": "python_fallback", "HOST DURATION [ns]": 88_000})

    def op(self, name, duration, cores, fidelity, attributes, first, second, out, devices=DEVICES):
        self.calls += 1
        for device in range(devices):
            noise = (self.calls * 37 + device * 53) % 97 * duration // 4000
            gap = 700 + (self.calls * 131 + device * 71) % 900 + (9_000 if self.calls % 7 == 0 else 0)
            self.add(**{
                "OP CODE": name, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": self.calls * 1024 + device,
                "DEVICE ID": device,
                "DEVICE ARCH": "blackhole", "ATTRIBUTES": attributes, "MATH FIDELITY": fidelity, "CORE COUNT": cores,
                "AVAILABLE WORKER CORE COUNT": CORES, "DEVICE FW DURATION [ns]": duration + noise + 900,
                "DEVICE KERNEL DURATION [ns]": duration + noise, "OP TO OP LATENCY [ns]": gap,
                **tensor("INPUT_0", first), **tensor("INPUT_1", second), **tensor("OUTPUT_0", out)})


def lines():
    table = Table()
    for number, name in enumerate(["compile", "iteration", "iteration"]):
        table.signpost(name)
        for op in HEAD:
            table.op(*op)
        for _ in range(LAYERS):
            for op in LAYER:
                table.op(*op)
            table.host("gelu")
        table.op("InterleavedToShardedDeviceOperation", 6_600, 64, "", "{}", HIDDEN, None,
                 (1, 1, 512, 2048, BF16, SHARDED),
                 devices=DEVICES - (number == 2))
    texts = [",".join(COLUMNS)]
    for row in table.rows:
        texts.append(",".join(str(row.get(column, "")) for column in COLUMNS))
    return texts
