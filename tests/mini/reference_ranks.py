"""Recomputes the reports over all ranks of a run from the traces of the ranks: see reference_pytorch.py.
Collectives are paired by their number in the process group; the miniature's ranks have the same ones.
"""
import math

from figures import deviation, grouped, mean
from reference_pytorch import CALLS, Trace, is_communication

SIZES = {"Float": 4, "BFloat16": 2}
KINDS = {"allreduce": "allreduce", "_allgather_base": "allgather"}
GROUPS = {"Attention": ["aten::_efficient_attention_forward"], "GEMM": ["aten::mm", "aten::addmm"],
          "Conv": ["aten::cudnn_convolution"], "Norm": ["aten::native_layer_norm"], "UpSample": [], "Pad": [],
          "Elemwise": ["aten::mul", "aten::add_", "aten::copy_"], "Concat": [], "MoE": [],
          "Triton": ["triton_poi_fused_exp_0"]}


def sheets(objects, compat):
    """All reports on traces of ranks 0, 1, ..., by the names of their files."""
    ranks = [Trace(trace, compat) for trace in objects]
    since = clock(ranks)
    synchronised = [collective(number, works, since) for number, works in enumerate(zip(*map(collectives, ranks)))]
    return {
        "gpu_timelines": timelines(ranks), "kernel_launchers": launchers(ranks),
        "linked_and_short_kernels": linked(ranks), "unlinked_short_kernels_summary": unlinked(ranks),
        "short_cpu_op_counts": short_ops(ranks), "cuda_events_summary": calls(ranks),
        "grouped_breakdown": breakdown(ranks), "gemm": gemms([Trace(trace) for trace in objects]), "long": long(ranks, since),
        "nccl_implicit_sync_cat": [row for row, _ in synchronised],
        "nccl_implicit_sync_cat_detailed": [{**row, **each} for row, each in synchronised],
        "summary_nccl_implicit_sync_cat": summary([row for row, _ in synchronised], compat)}


def timelines(ranks):
    rows = []
    for of in zip(*(trace.gpu_timeline() for trace in ranks)):
        row, times = {"type": of[0]["type"]}, [one["time ms"] for one in of]
        for rank, one in enumerate(of):
            row[f"time_ms_{rank}"], row[f"percent_{rank}"] = one["time ms"], one["percent"]
        rows.append({**row, "time_ms_avg": mean(times), "time_ms_std": deviation(times, sample=False),
                     "time_ms_min": min(times), "time_ms_max": max(times)})
    return rows


def launchers(ranks):
    rows = []
    for name, of in grouped([row for trace in ranks for row in trace.launchers()], lambda row: row["name"]).items():
        rows.append({"name": name, "count": len(of), "kernel_time_ms": sum(row["direct"] for row in of) / 1000})
    rows.sort(key=lambda row: (-row["kernel_time_ms"], row["name"]))
    total, so_far = sum(row["kernel_time_ms"] for row in rows), 0
    for row in rows:
        so_far += row["kernel_time_ms"]
        row.update({"pct": row["kernel_time_ms"] / total * 100, "cum_pct": so_far / total * 100,
                    "time_ms_avg": row["kernel_time_ms"] / len(ranks), "count_avg": row["count"] / len(ranks)})
    return rows


def linked(ranks):
    rows = []
    for rank, trace in enumerate(ranks):
        with_op = [work for work in trace.device if "External id" in work["args"]]
        short = [work for work in trace.device if work["dur"] < 10]
        short_with = [work for work in short if "External id" in work["args"]]
        rows.append({"rank": rank, "num_kernel_events": len(trace.device), "num_kernel_events_linked": len(with_op),
                     "num_kernel_events_unlinked": len(trace.device) - len(with_op),
                     "num_short_kernel_events_linked": len(short_with),
                     "num_short_kernel_events_unlinked": len(short) - len(short_with)})
    return rows


def unlinked(ranks):
    works = [work for trace in ranks for work in trace.device if "External id" not in work["args"]]
    rows = []
    for (name, category), of in grouped(works, lambda work: (work["name"], work["cat"])).items():
        times = [work["dur"] for work in of]
        rows.append({"name": name, "cat": category, "count": len(of), "min_dur": min(times), "max_dur": max(times),
                     "mean_dur": mean(times)})
    return sorted(rows, key=lambda row: (-row["count"], row["name"]))


def short_ops(ranks):
    names = [trace.op(work)["name"] for trace in ranks for work in trace.linked
             if work["cat"] == "kernel" and work["dur"] < 10 and trace.op(work)]
    rows = [{"cpu_op": name, "count": names.count(name)} for name in set(names)]
    rows.sort(key=lambda row: (-row["count"], row["cpu_op"]))
    return [*rows, {"cpu_op": "Total", "count": len(names)}]


def calls(ranks):
    of = [[event for event in trace.slices if event["cat"] in CALLS] for trace in ranks]
    rows = []
    for name, category in sorted({(event["name"], event["cat"]) for events in of for event in events}):
        times = [[event["dur"] for event in events if (event["name"], event["cat"]) == (name, category)]
                 for events in of]
        row = {"name": name, "cat": category}
        for figure, function in (("count", len), ("min_dur", min), ("max_dur", max), ("mean_dur", mean)):
            row.update({f"{figure}_{rank}": function(one) for rank, one in enumerate(times)})
        rows.append(row)
    return rows


def breakdown(ranks):
    """Time of launchers by group, the mean over ranks; then collectives and copies, and what is in no group."""
    times = {row["name"]: row["time_ms_avg"] / 1000 for row in launchers(ranks)}
    rows = {group: sum(times.get(name, 0) for name in names) for group, names in GROUPS.items()}
    for group, type_ in (("Comms", "total_comm_time"), ("Memcpy", "total_memcpy_time")):
        rows[group] = mean([row["time ms"] for trace in ranks for row in trace.gpu_timeline()
                            if row["type"] == type_]) / 1000
    in_groups = {name for names in GROUPS.values() for name in names}
    rows["Other"] = sum(time for name, time in times.items() if name not in in_groups)
    rows["Total"] = sum(rows.values())
    return [{"Group": group, "Time (s)": time} for group, time in rows.items()]


def gemms(ranks):
    """Figures over all ranks, and what the first call says. Times are exact in both modes."""
    found = [row for trace in ranks for row in trace.roofline("aten::mm", "aten::addmm")]
    rows = []
    for of in grouped(found, lambda row: (row["name"], row["param: M"], row["param: N"], row["param: K"])).values():
        first, count = of[0], sum(row["name_count"] for row in of)
        total = sum(row["Kernel Time (µs)_sum"] for row in of)
        rows.append({**{key: first[key] for key in ("name", "param: M", "param: N", "param: K", "param: bias",
                                                    "GFLOPS_first",
                                                    "Data Moved (MB)_first", "FLOPS/Byte_first")},
                     "TFLOPS/s_mean": sum(row["TFLOPS/s_mean"] * row["name_count"] for row in of) / count,
                     "TB/s_mean": sum(row["TB/s_mean"] * row["name_count"] for row in of) / count,
                     "Kernel Time (µs)_mean": total / count, "Kernel Time (µs)_sum": total, "name_count": count})
    return sorted(rows, key=lambda row: -row["Kernel Time (µs)_sum"])


def clock(ranks):
    """What says when work started: from the first start of the run, with compat as the file has it."""
    begin = min(round(event["ts"] * 1000) for trace in ranks for event in trace.slices)
    return lambda work: work["ts"] if ranks[0].compat else (round(work["ts"] * 1000) - begin) / 1000


def collectives(trace):
    return sorted([work for work in trace.device if is_communication(work["name"])], key=lambda work: work["ts"])


def sizes(args):
    return tuple(args[f"{side} msg nelems"] * SIZES[args["dtype"]] / 1024 ** 2 for side in ("In", "Out"))


def long(ranks, since):
    rows = []
    for rank, trace in enumerate(ranks):
        for number, work in enumerate(collectives(trace)):
            args = work["args"]
            rows.append({
                "collective_id": f"{args['Process Group Name']}_{number}", "index_in_group": number, "rank": rank,
                **{name: args[name] for name in ("Process Group Name", "Process Group Ranks", "Collective name",
                                                 "Group size",
                                                 "dtype", "In msg nelems", "Out msg nelems")},
                "In msg size (MB)": sizes(args)[0], "Out msg size (MB)": sizes(args)[1], "stream": args["stream"],
                "ts": since(work), "dur": work["dur"]})
    return rows


def collective(number, works, since):
    """A row about a collective of all ranks, and its columns for each rank."""
    args = works[0]["args"]
    starts = [round(work["ts"] * 1000) for work in works]  # ns: differences are to be exact
    ends = [start + round(work["dur"] * 1000) for start, work in zip(starts, works)]
    waits = [(max(starts) - start) / 1000 for start in starts]
    latency, ranks = min(work["dur"] for work in works), args["Group size"]
    kind = KINDS[args["Collective name"]]
    full = sizes(args)[1 if kind == "allgather" else 0]
    speed = full / 1024 / (latency / 1e6)
    row = {
        "collective_id": f"{args['Process Group Name']}_{number}",
        **{name: args[name] for name in ("Process Group Name", "Process Group Ranks", "Collective name",
                                         "Group size", "dtype",
                                         "In msg nelems", "Out msg nelems")},
        "In msg size (MB)": sizes(args)[0], "Out msg size (MB)": sizes(args)[1], "Full msg size (MB)": full,
        "comm_latency": latency, "skew in start time": max(waits),
        "earliest arrival rank": max(rank for rank, wait in enumerate(waits) if wait == max(waits)),
        "avg_wait_time": mean(waits), "skew in end time": (max(ends) - min(ends)) / 1000, "algo bw (GB/s)": speed,
        "bus bw (GB/s)": speed * (ranks - 1) / ranks * (2 if kind == "allreduce" else 1)}
    each = {}
    for rank, work in enumerate(works):
        each[f"rank_{rank}_ts"], each[f"rank_{rank}_dur"] = since(work), work["dur"]
    each.update({f"rank_{rank}_wait_time": wait for rank, wait in enumerate(waits)})
    return row, each


def summary(rows, compat):
    """Times of a call are in ms like their sum, with compat in µs."""
    found = []
    times = {"comm_latency": "comm_latency_mean_ms", "skew in start time": "skew_start_mean_ms",
             "skew in end time": "skew_end_mean_ms"}
    for (name, dtype, elements), of in grouped(rows, lambda row: (row["Collective name"], row["dtype"],
                                                                  row["In msg nelems"])).items():
        found.append({
            "Collective name": name, "dtype": dtype, "In msg nelems": elements,
            "Process Group Name": of[0]["Process Group Name"],
            "Group size": of[0]["Group size"], "Full msg size (MB)": of[0]["Full msg size (MB)"],
            **{f"{metric}_mean" if compat else name: mean([row[metric] for row in of]) / (1 if compat else 1000)
               for metric, name in times.items()},
            **{f"{metric}_mean": mean([row[metric] for row in of]) for metric in ("algo bw (GB/s)", "bus bw (GB/s)")},
            "count": len(of), "Total comm latency (ms)": math.fsum(row["comm_latency"] for row in of) / 1000})
    return sorted(found, key=lambda row: -row["Total comm latency (ms)"])
