"""Recomputes the reports on the profile of xla.py from what ran on the GPUs and what the instructions work on, by the
formulas that the reports promise; nothing is shared with tpq.

    sheets(compat)     the rows of the reports, by the names of their files
"""
import math

import xla
from figures import deviation, grouped, in_one_unit, length, mean, median, minus, percentile, shares, union
from reference_pytorch import statistics

GROUPS = {"all-reduce.7": xla.EVERYONE, "all-gather-start.1": xla.PAIRS, "reduce-scatter.5": xla.EVERYONE}
ELEMENT = {"bf16": 2, "f32": 4}


def size(of):
    return math.prod(of[1]) * ELEMENT[of[0]]


def kind(event):
    if event["name"].lower().startswith("memcpy"):
        return "memcpy"
    return "communication" if "nccl" in event["name"] else "computation"


def category(event):
    """The name of the instruction decides before that of the kernel."""
    for name in (event["op"] or "", event["name"]):
        for found, words in (("GEMM", ("Cijk", "gemm", "nvjet", "cublasLt")), ("Conv", ("conv_", "conv.", "conv-")),
                             ("Communication rccl/nccl", ("rccl", "nccl"))):
            if any(word in name for word in words):
                return found
    return "Uncategorized Events/XLA"


def timeline(gpu):
    """Of one GPU, in ps."""
    events = [event for event in xla.EVENTS if event["gpu"] == gpu]
    spans = {name: union([(event["start"], event["start"] + event["dur"]) for event in events if kind(event) == name])
             for name in ("computation", "communication", "memcpy")}
    busy = union([(event["start"], event["start"] + event["dur"]) for event in events])
    total = busy[-1][1] - busy[0][0]
    return {"computation_time": length(spans["computation"]),
            "exposed_comm_time": length(minus(spans["communication"], spans["computation"])),
            "exposed_memcpy_time": length(minus(minus(spans["memcpy"], spans["computation"]), spans["communication"])),
            "busy_time": length(busy), "idle_time": total - length(busy), "total_time": total,
            "total_comm_time": length(spans["communication"]), "total_memcpy_time": length(spans["memcpy"])}


def gpu_timeline():
    rows = []
    for gpu in range(xla.GPUS):
        times = timeline(gpu)
        rows += [{"type": type_, "time ms": time / 1e9, "percent": 100 * time / times["total_time"], "gpu_pid": gpu + 1}
                 for type_, time in times.items()]
    return rows


def averages():
    of = [timeline(gpu) for gpu in range(xla.GPUS)]
    means = {type_: mean([times[type_] for times in of]) for type_ in of[0]}
    return [{"type": type_, "time ms": time / 1e9, "percent": 100 * time / means["total_time"]}
            for type_, time in means.items()]


def in_order():
    """All that ran, with its place in the file: by GPU, stream and start."""
    events = sorted(xla.EVENTS, key=lambda event: (event["gpu"], event["stream"], event["start"]))
    return [dict(event, uid=uid) for uid, event in enumerate(events)]


def kernels():
    return [event for event in in_order() if kind(event) != "memcpy"]


def kernel_launchers():
    return [{"name": event["name"], "UID": event["uid"], "op category": category(event),
             "total_direct_kernel_time": event["dur"] / 1e6, "direct_kernel_count": 1, "pid": event["gpu"] + 1,
             "tid": event["stream"], "GPU_kernel_launch_latency": (event["start"] - event["launched"]) / 1e6}
            for event in kernels()]


def by_name(compat):
    rows = []
    for name, of in grouped(kernels(), lambda event: event["name"]).items():
        time = sum(event["dur"] for event in of) / 1e6
        rows.append({"name": name, "total_direct_kernel_time_sum": time, "total_subtree_kernel_time_sum": time,
                     "total_direct_kernel_time_ms": time / 1000, "Count": len(of),
                     "Categories": sorted({category(event) for event in of}),
                     "time ms per gpu": time / 1000 / xla.GPUS})
    rows.sort(key=lambda row: -row["total_direct_kernel_time_sum"])
    rows = shares(rows, "total_direct_kernel_time_sum")
    return rows if compat else in_one_unit(rows)


def by_category():
    rows = []
    for name, of in grouped(kernels(), category).items():
        time = sum(event["dur"] for event in of) / 1e9
        rows.append({"op category": name, "Count": len(of), "total_direct_kernel_time_ms": time,
                     "time ms per gpu": time / xla.GPUS})
    rows.sort(key=lambda row: -row["total_direct_kernel_time_ms"])
    return shares(rows, "total_direct_kernel_time_ms")


def analysis_categories(compat):
    """Computation alone, and the name of the kernel decides before that of the instruction."""
    def named(event):
        found = category(dict(event, op=event["name"], name=event["op"] or ""))
        return "Uncategorized Events" if found.startswith("Uncategorized") else found

    computing = sum(timeline(gpu)["computation_time"] for gpu in range(xla.GPUS))
    rows = []
    for name, of in grouped([event for event in xla.EVENTS if kind(event) == "computation"], named).items():
        time = sum(event["dur"] for event in of)
        figures = {"time ms": time / 1e9, "time ms per gpu": time / 1e9 / xla.GPUS, "percent": time / computing * 100}
        if compat:
            figures = {column: round(value, 2) for column, value in figures.items()}
        rows.append({"name": name, "count": len(of), **figures})
    return sorted(rows, key=lambda row: -row["percent"])


def analysis_gemms():
    parameters = gemm("custom-call.4")[0]
    return [{"name": "%custom-call.4", "Batch": parameters["B"], **{name: parameters[name] for name in "MNK"},
             "Beta": 0, "Type": "bf16"}]


def gemm(op):
    """(parameters, FLOPs, bytes)"""
    if op == "custom-call.4":  # the second operand's rows are M: libraries count by columns
        (n, k), (m, _), b, e = xla.LEFT[1], xla.RIGHT[1], 1, 2
    else:
        (b, n, k), (_, _, m), e = xla.BATCH_LEFT[1], xla.BATCH_RIGHT[1], 4
    return {"B": b, "M": m, "N": n, "K": k}, b * 2 * m * n * k, b * e * (m * k + k * n + m * n)


def convolution(compat):
    """(FLOPs, bytes): once, the filter had lost its channels, and its first extent did not count."""
    x, filter_, y = xla.IMAGE[1], xla.FILTER[1], xla.CONVOLVED[1]
    if compat:
        filter_ = filter_[2:]
    return math.prod(y) * 2 * math.prod(filter_[1:]), 2 * (math.prod(x) + math.prod(filter_) + math.prod(y))


def calls_of(op, compat):
    """The kernels of each call of an instruction; in the older tools each kernel is a call."""
    events = [event for event in in_order() if event["op"] == op]
    if compat:
        return [[event] for event in events]
    if op != "cudnn-conv.1":
        return [[event] for event in events]
    return [events[place:place + 2] for place in range(0, len(events), 2)]


def operations(calls, parameters, flops, moved):
    rows = []
    for name, of in grouped(calls, lambda call: max(call, key=lambda event: event["dur"])["name"]).items():
        times = [sum(event["dur"] for event in call) / 1e6 for call in of]
        rows.append({
            "name": name, **{f"param: {name}": value for name, value in parameters.items()},
            "GFLOPS_first": flops / 1e9,
            "Data Moved (MB)_first": moved / 1048576, "FLOPS/Byte_first": flops / moved,
            **statistics("TB/s", [moved / 1e6 / time for time in times]),
            **statistics("TFLOPS/s", [flops / 1e6 / time for time in times]),
            **statistics("Kernel Time (µs)", times, sum_too=True), "name_count": len(of),
            "UID_first": min(event["uid"] for event in of[0])})
    return rows


def op_gemm(compat):
    rows = []
    for op in ("custom-call.4", "gemm_fusion_dot.2"):
        if op == "custom-call.4" or not compat:  # what XLA fused had no model
            rows += operations(calls_of(op, compat), *gemm(op))
    return sorted(rows, key=lambda row: -row["Kernel Time (µs)_sum"])


def op_conv(compat):
    return sorted(operations(calls_of("cudnn-conv.1", compat), {}, *convolution(compat)),
                  key=lambda row: -row["Kernel Time (µs)_sum"])


def collectives():
    """By kind: bytes as XLA counts them, by the time of the fastest rank of each group."""
    rates = {"all-reduce": lambda b, n: (2 * b, 2 * (n - 1) / n),
             "all-gather": lambda b, n: (2 * b * (n - 1), (n - 1) / n),
             "reduce-scatter": lambda b, n: (b + b / n, (n - 1) / n)}
    given = {"all-reduce": size(xla.GRADIENTS), "all-gather": size(xla.WHOLE) / 2,
             "reduce-scatter": size(xla.SCATTERED)}
    rows = []
    for type_, rate in rates.items():
        op = [name for name in GROUPS if name.startswith(type_)][0]
        by_gpu = [sorted([event for event in xla.EVENTS if event["op"] == op and event["gpu"] == gpu],
                         key=lambda event: event["start"])
                  for gpu in range(xla.GPUS)]
        algorithmic, bus = [], []
        for slice_ in zip(*by_gpu):
            of_groups = []
            for group in GROUPS[op]:
                moved, factor = rate(given[type_], len(group))
                seconds = min(slice_[gpu]["dur"] for gpu in group) / 1e12
                of_groups.append((moved / 2 ** 30 / seconds, moved / 2 ** 30 / seconds * factor))
            algorithmic.append(mean([group[0] for group in of_groups]))
            bus.append(mean([group[1] for group in of_groups]))
        row = {"type": type_, "num_operations": 1, "total_slices": len(algorithmic),
               "total_measurements": len(algorithmic) * len(GROUPS[op])}
        for name, values in (("bandwidth_gbps", algorithmic), ("bus_bandwidth_gbps", bus)):
            row.update({f"avg_{name}": mean(values), f"median_{name}": median(values), f"min_{name}": min(values),
                        f"max_{name}": max(values), f"std_{name}": deviation(values, sample=False),
                        f"p25_{name}": percentile(values, 25), f"p75_{name}": percentile(values, 75)})
        rows.append({**row, "avg_data_size_mb": given[type_] / 2 ** 20})
    return sorted(rows, key=lambda row: -row["avg_bandwidth_gbps"])


def renamed(value):
    """By default communication is not called after two of its libraries."""
    if isinstance(value, dict):
        return {key: renamed(of) for key, of in value.items()}
    if isinstance(value, list):
        return [renamed(of) for of in value]
    return "Communication" if value == "Communication rccl/nccl" else value


def sheets(compat):
    made = {"gpu_timeline": gpu_timeline(), "gpu_events_averages": averages(), "kernel_launchers": kernel_launchers(),
            "kernel_launchers_summary": by_name(compat), "kernel_launchers_summary_by_category": by_category(),
            "op_gemm": op_gemm(compat), "op_conv": op_conv(compat), "jax_collectives": collectives(),
            "gpu_events_categorized_mean": analysis_categories(compat), "gemms": analysis_gemms()}
    return made if compat else renamed(made)
