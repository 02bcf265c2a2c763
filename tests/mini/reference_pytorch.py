"""Recomputes what tpq reports about a trace of PyTorch, from the events of the file alone and the formulas
that the reports promise. Nothing is indexed: who encloses whom, and who launched what, is found by looking at
all events, so that the code can be checked by reading it. It shares no line with tpq.

    trace = Trace(object)            as the file has it
    Trace(object, compat=True)       calls and ops as the older tools have them: by their rules, and with
                                     microseconds as doubles whose ends are sums
    trace.gpu_timeline() ...         the rows of a report, as dicts

Only what the miniatures hold is provided for: slices that nest properly, and one piece of work for a call
that is no graph.
"""
import json
import math

from figures import deviation, grouped, in_one_unit, length, mean, median, minus, percentile, shares, union

CALLS = ("cuda_runtime", "cuda_driver")
DEVICE = ("kernel", "gpu_memcpy", "gpu_memset")
NO_SHAPES = ("aten::_foreach_add_",)  # by default they have a model, which asks for the shapes of a list
MEMORY_OPS = ("aten::zero_", "aten::_local_scalar_dense")  # by default they have a category

CATEGORIES = {
    "aten::mm": "GEMM", "aten::addmm": "GEMM", "aten::bmm": "GEMM",
    "aten::_scaled_dot_product_efficient_attention": "SDPA_fwd", "aten::_efficient_attention_forward": "SDPA_fwd",
    "aten::_scaled_dot_product_efficient_attention_backward": "SDPA_bwd",
    "aten::convolution": "CONV_fwd", "aten::cudnn_convolution": "CONV_fwd", "aten::convolution_backward": "CONV_bwd",
    "aten::native_batch_norm": "NORM_fwd", "aten::layer_norm": "NORM_fwd", "aten::native_layer_norm": "NORM_fwd",
    "aten::native_layer_norm_backward": "NORM_bwd",
    "aten::mul": "elementwise", "aten::add": "elementwise", "aten::add_": "elementwise", "aten::copy_": "elementwise",
    "aten::sum": "reduce", "vllm::unified_attention_with_output": "InferenceAttention",
    "_C_cache_ops::reshape_and_cache_flash": "InferenceAttention", "_C::silu_and_mul": "elementwise",
}
MODELLED = [name for name in CATEGORIES if not name.startswith(("aten::_efficient", "aten::cudnn", "_C_cache"))
            and not name.endswith("attention_backward")]
ELEMENT = {"float": 4, "c10::BFloat16": 2}
PRECISION = {"float": "fp32", "c10::BFloat16": "bf16"}
ARCHITECTURE = {"name": "mini", "mem_bw_gbps": 2000, "memory_gb": 80, "max_achievable_tflops": {
    "matrix_bf16": 400, "matrix_fp32": 150, "vector_bf16": 60, "vector_fp32": 30}}


def is_communication(name):
    return any(word in name.lower() for word in ("nccl", "rccl", "cross_device_reduce"))


def statistics(name, values, sum_too=False):
    row = {f"{name}_mean": mean(values), f"{name}_median": median(values), f"{name}_std": deviation(values),
           f"{name}_min": min(values), f"{name}_max": max(values)}
    return {**row, f"{name}_sum": sum(values)} if sum_too else row


class Trace:
    def __init__(self, trace, compat=False):
        self.compat, self.around, self.window = compat, {}, None
        self.events = [dict(event, uid=uid) for uid, event in enumerate(trace["traceEvents"])]
        self.slices = [event for event in self.events if event["ph"] == "X"]
        for event in self.slices:
            event["args"] = event.get("args", {})
            if compat:  # microseconds as doubles, and the end as their sum
                event["start"], event["end"] = event["ts"], event["ts"] + event["dur"]
            else:  # nanoseconds, exactly
                event["start"] = round(event["ts"] * 1000)
                event["end"] = event["start"] + round(event["dur"] * 1000)
        self.host = [event for event in self.slices if event["cat"] in ("cpu_op", *CALLS)]
        self.device = [event for event in self.slices if event["cat"] in DEVICE]
        self.linked = [event for event in self.device if self.call(event)]
        self.timed = self.linked if compat else self.device

    def only_within(self, name):
        """Leaves the work that was launched inside a mark; questions of time are about all that runs in it."""
        mark = [event for event in self.slices if event["name"] == name][0]
        self.window = self.exact(mark["ts"]), self.exact(mark["ts"]) + self.exact(mark["dur"])
        self.linked = [work for work in self.linked if mark["start"] <= self.call(work)["start"] < mark["end"]]
        return self

    # Times are in nanoseconds or, with compat, in microseconds; reports have microseconds.
    def us(self, time):
        return time if self.compat else time / 1000

    def busy(self, works):
        return self.us(length(union([(work["start"], work["end"]) for work in works])))

    # Who encloses and who launched what.
    def ancestors(self, event):
        """What encloses a slice on its thread, innermost first."""
        if event["uid"] in self.around:  # it is asked for again and again
            return self.around[event["uid"]]
        around = [other for other in self.host
                  if other is not event and other["tid"] == event["tid"] and other["pid"] == event["pid"]
                  and other["start"] <= event["start"] and event["end"] <= other["end"]]
        return self.around.setdefault(event["uid"], sorted(around, key=lambda other: other["end"] - other["start"]))

    def call(self, work):
        """The call that launched it."""
        calls = [event for event in self.slices if event["cat"] in CALLS
                 and event["args"].get("correlation") == work["args"]["correlation"]]
        return calls[0] if calls else None

    def op(self, work):
        """The innermost op around the call."""
        ops = [event for event in self.ancestors(self.call(work)) if event["cat"] == "cpu_op"]
        return ops[0] if ops else None

    def launcher(self, work):
        """The op that launched it, or the call where there is none. A call inside another call ended the
        search in the older tools."""
        around = self.ancestors(self.call(work))
        if self.compat and around and around[0]["cat"] in CALLS:
            return self.call(work)
        return self.known(work)

    def known(self, work):
        return self.op(work) or self.call(work)

    def below(self, op):
        """The work that was launched inside an op."""
        return [work for work in self.linked if self.call(work) is op or op in self.ancestors(self.call(work))]

    def category(self, op, works):
        if op["name"] in CATEGORIES:
            return CATEGORIES[op["name"]]
        for start in ("triton", "record_param_comms"):
            if op["name"].startswith(start):
                return start
        first = min(works, key=lambda work: work["start"])["name"] if works else ""
        if first.startswith("void at::native"):
            for word in ("elementwise", "reduce", "multi_tensor_apply"):
                if word in first:
                    return word
        for word, kind in (("GraphLaunch", "graph"), ("rotary_embedding", "RoPE_fwd")):
            if word in op["name"] and not self.compat:
                return kind
        return "memory" if op["name"] in MEMORY_OPS and not self.compat else "other"

    def launchers(self):
        """A row for each op that launched work other than collectives, in the order of their starts."""
        works = [work for work in self.linked if not is_communication(work["name"])]
        rows = []
        for direct in grouped(works, lambda work: self.launcher(work)["uid"]).values():
            op = self.launcher(direct[0])
            rows.append({"op": op, "name": op["name"], "category": self.category(op, direct), "works": direct,
                         "direct": self.busy(direct), "subtree": self.busy(self.below(op))})
        return sorted(rows, key=lambda row: row["op"]["start"])

    # Reports.
    def kind(self, work):
        if work["cat"] == "gpu_memcpy" or (work["cat"] == "gpu_memset" and not self.compat):
            return "memcpy"  # setting memory computes nothing
        return "communication" if is_communication(work["name"]) else "computation"

    def gpu_timeline(self):
        """Exact in both modes."""
        def span(work):
            return self.exact(work["ts"]), self.exact(work["ts"]) + self.exact(work["dur"])

        whole = union([span(work) for work in self.timed])
        first, last = self.window or (whole[0][0], whole[-1][1])

        def runs(kinds):
            spans = [span(work) for work in self.timed if self.kind(work) in kinds]
            return union([(max(start, first), min(end, last)) for start, end in spans if start < last and end > first])

        parts = {kind: runs([kind]) for kind in ("computation", "communication", "memcpy")}
        everything, total = runs(parts), last - first
        times = {
            "computation_time": length(parts["computation"]),
            "exposed_comm_time": length(minus(parts["communication"], parts["computation"])),
            "exposed_memcpy_time": length(minus(minus(parts["memcpy"], parts["computation"]), parts["communication"])),
            "busy_time": length(everything), "idle_time": total - length(everything), "total_time": total,
            "total_comm_time": length(parts["communication"]), "total_memcpy_time": length(parts["memcpy"])}
        return [{"type": type_, "time ms": time / 1e6, "percent": time / total * 100}
                for type_, time in times.items()]

    def total_us(self):
        return [row["time ms"] * 1000 for row in self.gpu_timeline() if row["type"] == "total_time"][0]

    def ops_summary_by_category(self):
        rows = [{"op category": category, "Count": len(rows),
                 "total_direct_kernel_time_ms": sum(row["direct"] for row in rows) / 1000}
                for category, rows in grouped(self.launchers(), lambda row: row["category"]).items()]
        rows.sort(key=lambda row: (-row["total_direct_kernel_time_ms"], row["op category"]))
        return shares(rows, "total_direct_kernel_time_ms")

    def ops_summary(self):
        rows = []
        for name, of in grouped(self.launchers(), lambda row: row["name"]).items():
            direct, subtree = sum(row["direct"] for row in of), sum(row["subtree"] for row in of)
            rows.append({"name": name, "total_direct_kernel_time_sum": direct, "total_subtree_kernel_time_sum": subtree,
                         "total_direct_kernel_time_ms": direct / 1000, "total_subtree_kernel_time_ms": subtree / 1000,
                         "Count": len(of), "Categories": sorted({row["category"] for row in of})})
        rows.sort(key=lambda row: (-row["total_direct_kernel_time_sum"], row["name"]))
        rows = shares(rows, "total_direct_kernel_time_sum")
        return rows if self.compat else in_one_unit(rows)

    def details(self, groups):
        """The kernels of calls that are alike, the first of a name and stream together, the second, and so on;
        with compat position by position."""
        lists = [sorted(works, key=lambda work: work["start"]) for works in groups]
        together = {}
        for works in lists:
            seen = []
            for work in works:
                who = (work["name"], work["args"]["stream"])
                together.setdefault((*who, seen.count(who)), []).append(work)
                seen.append(who)
        if self.compat:
            together = {place: [works[place] for works in lists if len(works) == len(lists[0])]
                        for place in range(len(lists[0]))}
        rows = []
        for of in together.values():
            template, times = of[0], [work["dur"] for work in of]
            rows.append({"name": template["name"], "stream": template["args"]["stream"], "count": len(times),
                         "total_duration_us": math.fsum(times), "mean_duration_us": mean(times),
                         "median_duration_us": median(times), "std_dev_duration_us": deviation(times, sample=False),
                         "min_duration_us": min(times), "max_duration_us": max(times)})
        return sorted(rows, key=lambda row: (row["total_duration_us"], row["name"]))

    def ops_unique_args(self):
        names = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")
        alike = grouped(self.launchers(), lambda row: json.dumps(
            [row["name"], row["category"], row["op"]["tid"], *(row["op"]["args"].get(name) for name in names)]))
        rows = []
        for of in alike.values():
            op = of[0]["op"]
            row = {"name": op["name"], "op category": of[0]["category"], "process_name": "python",
                   "process_label": "CPU",
                   "thread_name": f"thread {op['tid']} (python)", **{name: op["args"].get(name) for name in names},
                   "operation_count": len(of)}
            for key, values in (("direct", [row["direct"] for row in of]), ("subtree", [row["subtree"] for row in of])):
                row.update(statistics(f"total_{key}_kernel_time", values, sum_too=True))
            rows.append({**row, "ex_UID": op["uid"],
                         "kernel_details_summary": self.details([row["works"] for row in of])})
        rows.sort(key=lambda row: (-row["total_direct_kernel_time_sum"], row["ex_UID"]))
        return shares(rows, "total_direct_kernel_time_sum")

    def kernel_summary(self):
        works = [work for work in self.device if work["cat"] == "kernel"]

        def parent(work):
            if not self.call(work):
                return None, None
            op = self.op(work)
            if op:
                direct = [other for other in self.linked if self.launcher(other) is op]
                return self.category(op, direct), op["name"]
            name = self.call(work)["name"]
            return "graph" if "graphlaunch" in name.lower() else "runtime", name

        rows, of_all = [], math.fsum(work["dur"] for work in works)
        for of in grouped(works, lambda work: (*parent(work), work["name"], work["args"]["stream"])).values():
            times = [work["dur"] for work in of]
            category, name = parent(of[0])
            rows.append({"Parent op category": category, "Parent cpu_op": name, "Kernel name": of[0]["name"],
                         "Kernel stream": of[0]["args"]["stream"], "Kernel duration (µs)_sum": math.fsum(times),
                         "Kernel duration (µs)_count": len(times), "Kernel duration (µs)_mean": mean(times),
                         "Kernel duration (µs)_min": min(times), "Kernel duration (µs)_max": max(times),
                         "Percent of kernels time (%)": math.fsum(times) / of_all * 100,
                         "Percent of total time (%)": math.fsum(times) / self.total_us() * 100})
        return sorted(rows, key=lambda row: -row["Kernel duration (µs)_sum"])

    def coll_analysis(self):
        names = ("Process Group Name", "Process Group Ranks", "Collective name", "Group size", "dtype", "In msg nelems",
                 "Out msg nelems", "In split size", "Out split size", "stream")
        works = [work for work in self.device if work["cat"] == "kernel" and is_communication(work["name"])]
        rows = []
        for of in grouped(works, lambda work: json.dumps([work["args"][name] for name in names])).values():
            args, times = of[0]["args"], [work["dur"] for work in of]
            size = {"Float": 4, "BFloat16": 2}[args["dtype"]] / 1024 ** 2
            rows.append({"rank": 0, **{name: args[name] for name in names},
                         "In msg size (MB)_first": args["In msg nelems"] * size,
                         "Out msg size (MB)_first": args["Out msg nelems"] * size, "dur_sum": math.fsum(times),
                         "dur_mean": mean(times), "dur_std": deviation(times), "dur_min": min(times),
                         "dur_max": max(times), "operation_count": len(times)})
        return sorted(rows, key=lambda row: -row["dur_sum"])

    def launch_delay(self):
        """Of each call the first work that it launched, by op. No older tool has it: both modes are the same."""
        first = [min(of, key=lambda work: work["start"])
                 for of in grouped(self.linked, lambda work: self.call(work)["uid"]).values()]
        rows = []
        for name, of in grouped(first, lambda work: self.known(work)["name"]).items():
            delays = [self.exact(work["ts"]) - self.exact(self.call(work)["ts"]) for work in of]
            after = [delay - self.exact(self.call(work)["dur"]) for delay, work in zip(delays, of)]
            rows.append({"name": name, "launches": len(of), "delay_sum_ms": sum(delays) / 1e6,
                         "delay_mean_us": mean(delays) / 1000, "delay_median_us": median(delays) / 1000,
                         "delay_p95_us": percentile(delays, 95) / 1000, "delay_max_us": max(delays) / 1000,
                         "after_call_mean_us": mean(after) / 1000,
                         "started_before_end": sum(time < 0 for time in after)})
        return sorted(rows, key=lambda row: (-row["delay_sum_ms"], row["name"]))

    @staticmethod
    def exact(microseconds):
        return round(microseconds * 1000)

    def idle_causes(self):
        """Each gap between GPU activities of all streams, by what the work that ended it had waited for."""
        gaps = []
        for work in self.device:
            start = self.exact(work["ts"])
            before = [self.exact(other["ts"]) + self.exact(other["dur"]) for other in self.device
                      if other["ts"] < work["ts"]]
            if not before or max(before) >= start:
                continue
            begun, call = max(before), self.call(work)
            launched = self.exact(call["ts"]) if call else None
            cause = "other" if call is None else "launch-bound" if launched > begun else "GPU waiting"
            gaps.append({"cause": cause, "gap": start - begun, "name": self.known(work)["name"] if call else None,
                         "before": max(min(launched, start) - begun, 0) if call else 0})
        rows = []
        for cause, of in grouped(gaps, lambda gap: gap["cause"]).items():
            idle = sum(gap["gap"] for gap in of)
            by_name = {name: sum(gap["gap"] for gap in named)
                       for name, named in grouped(of, lambda gap: gap["name"]).items()}
            name = max(by_name, key=by_name.get)
            rows.append({"cause": cause, "gaps": len(of), "time_ms": idle / 1e6,
                         "percent_of_idle": idle * 100 / sum(gap["gap"] for gap in gaps),
                         "mean_us": idle / 1000 / len(of),
                         "longest_us": max(gap["gap"] for gap in of) / 1000,
                         "before_launch_ms": sum(gap["before"] for gap in of) / 1e6 if cause != "other" else None,
                         "main_op": name, "main_op_percent": by_name[name] * 100 / idle if name else None})
        return sorted(rows, key=lambda row: (-row["time_ms"], row["cause"]))

    # Rooflines: what a call computes and moves, and how long its work took.
    def model(self, op):
        """(parameters, FLOPs, bytes, kind, type) of a call, or None."""
        args = op["args"]
        dims, types, inputs = (args.get(name) for name in ("Input Dims", "Input type", "Concrete Inputs"))
        name = op["name"]
        size = math.prod
        if name in ("aten::mm", "aten::addmm"):
            bias = name == "aten::addmm"
            (m, k), (_, n) = dims[1:3] if bias else dims[:2]
            type_ = types[1 if bias else 0]
            return ({"M": m, "N": n, "K": k, "bias": bias}, 2 * m * n * k + m * n * bias,
                    ELEMENT[type_] * (m * k + k * n + m * n + n * bias), "matrix", type_)
        if name == "aten::_scaled_dot_product_efficient_attention":
            (b, h, n, d), type_ = dims[0], types[0]
            element = 2 if self.compat else ELEMENT[type_]
            causal = inputs[6] == "True"
            return ({"B": b, "N_Q": n, "H_Q": h, "N_KV": n, "d_h_qk": d, "causal": causal},
                    2 * b * h * n * n * (d + d) / (2 if causal else 1),
                    element * b * (n * h * 2 * d + n * h * 2 * d), "matrix", type_)
        if name in ("aten::convolution", "aten::convolution_backward"):
            return self.convolution(op, backward=name == "aten::convolution_backward")
        if name in ("aten::native_batch_norm", "aten::layer_norm", "aten::native_layer_norm"):
            channels = dims[0][1] if "batch" in name else size(json.loads(inputs[1]))
            training = inputs[5] == "True" if "batch" in name and not self.compat else True
            count, element = size(dims[0]), ELEMENT[types[0]]
            return ({"num_channels": channels, "is_training": training},
                    6 * channels + 2 * count + 3 * count * training,
                    2 * count * element + channels * element * (2 + 2 + 2 * training), "vector", types[0])
        if name == "aten::native_layer_norm_backward":
            channels, count, element = size(json.loads(inputs[2])), size(dims[1]), ELEMENT[types[1]]
            return ({"num_channels": channels, "is_training": True}, 9 * count,
                    count * element * 3 + channels * element * (1 + 1 + 2), "vector", types[1])
        if name in ("aten::mul", "aten::add_"):
            out = size(max(a, b) for a, b in zip(*dims[:2]))
            elements = [ELEMENT[type_] for type_ in types[:2]]
            return ({}, out, size(dims[0]) * elements[0] + size(dims[1]) * elements[1] + out * max(elements),
                    "vector", types[0])
        if name == "aten::copy_":
            return {}, size(dims[0]), size(dims[0]) * (ELEMENT[types[0]] + ELEMENT[types[1]]), "vector", types[0]
        if name == "aten::sum":
            return {}, size(dims[0]), size(dims[0]) * ELEMENT[types[0]] + ELEMENT[types[0]], "vector", types[0]
        if name == "aten::_local_scalar_dense" and not self.compat:  # read and written, and nothing computed
            return {}, 0, 2 * size(dims[0]) * ELEMENT[types[0]], None, None
        return None

    def convolution(self, op, backward):
        args = op["args"]
        dims, types, inputs = (args[name][1 if backward else 0:]
                               for name in ("Input Dims", "Input type", "Concrete Inputs"))
        x, w = dims[:2]
        stride, padding, dilation = (json.loads(inputs[3 + place]) for place in range(3))
        spatial = [(x[2 + i] + 2 * padding[i] - dilation[i] * (w[2 + i] - 1) - 1) // stride[i] + 1 for i in range(2)]
        out = [x[0], w[0], *spatial]
        element, bias = ELEMENT[types[0]], not self.compat
        outputs, moved = math.prod(out), math.prod(x) + math.prod(w) + math.prod(out)
        products = outputs * 2 * math.prod(w[1:])
        parameters = {"filter_shape": w, "stride": stride}
        if backward:
            return (parameters, 2 * products + outputs * bias, (2 * moved + (outputs + out[1]) * bias) * element,
                    "matrix", types[0])
        return parameters, products + outputs * bias, (moved + out[1] * bias) * element, "matrix", types[0]

    def roofline(self, *names, compute=None):
        """The rows of a sheet of calls with these names."""
        calls = []
        for op in self.host:
            if op["name"] not in names:
                continue
            parameters, flops, moved, kind, type_ = self.model(op)
            works = self.below(op)
            calls.append({"op": op, "parameters": parameters, "flops": flops, "bytes": moved, "works": works,
                          "spec": f"{kind}_{PRECISION[type_]}", "time": self.busy(works)})
        rows = []
        alike = grouped(calls, lambda call: json.dumps([call["op"]["name"], call["parameters"], call["flops"]]))
        for of in alike.values():
            first, times = of[0], [call["time"] for call in of]
            at_peak = first["flops"] / (ARCHITECTURE["max_achievable_tflops"][first["spec"]] * 1e12) * 1e6
            at_bandwidth = first["bytes"] / (ARCHITECTURE["mem_bw_gbps"] * 1e9) * 1e6
            least = max(at_peak, at_bandwidth)
            limits = {
                "Roofline Time (µs)_first": least,
                "Roofline Bound_first": "COMPUTE_BOUND" if at_peak >= at_bandwidth else "MEMORY_BOUND",
                **statistics("Pct Roofline", [least / time * 100 for time in times])}
            if not self.compat and any("Host" in work["name"] or "HtoD" in work["name"] or "DtoH" in work["name"]
                                       for work in first["works"]):
                limits = {}  # they pass the link to the host, whose speed nobody stated
            rows.append({
                "name": first["op"]["name"], **{f"param: {name}": value for name, value in first["parameters"].items()},
                "GFLOPS_first": first["flops"] / 1e9, "Data Moved (MB)_first": first["bytes"] / 1048576,
                "FLOPS/Byte_first": first["flops"] / first["bytes"],
                **statistics("TB/s", [first["bytes"] / 1e12 / (time / 1e6) for time in times]),
                **statistics("TFLOPS/s", [first["flops"] / 1e12 / (time / 1e6) for time in times]),
                "Compute Spec": first["spec"], **limits,
                "kernel_details__summarize_kernel_stats": self.details([call["works"] for call in of]),
                **statistics("Kernel Time (µs)", times, sum_too=True), "name_count": len(of),
                "UID_first": first["op"]["uid"]})
        return sorted(rows, key=lambda row: (-row["Kernel Time (µs)_sum"], row["UID_first"]))


    # Each piece of work once: outermost calls with a model, and what launches work elsewhere.
    def children(self, op):
        """The ops and calls right below an op."""
        return [event for event in self.host if op in self.ancestors(event)[:1]]

    def collected(self):
        """The calls that the work is collected in."""
        found, has_work = [], {id(op): self.below(op) for op in self.host}

        def modelled(op):
            return op["cat"] == "cpu_op" and op["name"] in MODELLED and has_work[id(op)]

        def launches_itself(op):
            calls = [event for event in self.children(op) if event["cat"] in (CALLS[:1] if self.compat else CALLS)]
            return any(has_work[id(call)] for call in calls)

        def visit(op):
            if op["cat"] != "cpu_op" or not has_work[id(op)]:
                return
            deeper = any(modelled(event) for event in self.host if op in self.ancestors(event))
            if modelled(op) or (self.backward_of(op) and not deeper):
                found.append(op)
            elif not deeper and launches_itself(op):
                if not any(is_communication(work["name"]) for work in has_work[id(op)]):
                    found.append(op)
            else:
                for child in self.children(op):
                    visit(child)

        for op in sorted(self.host, key=lambda op: op["start"]):
            if not self.ancestors(op):
                visit(op)
        return found

    def backward_of(self, op):
        """The call of attention that an op of the backward pass differentiates: of all that the miniature has, only
        attention has formulas for that and no op with a model in its backward pass."""
        number = op["args"].get("Sequence number")
        if op["name"] != "ScaledDotProductEfficientAttentionBackward0":
            return None
        return [event for event in self.host if event["args"].get("Sequence number") == number
                and event["tid"] != op["tid"]][0]

    def backward_model(self, op):
        """Both products once more, and three for what is not kept: gradients of attention."""
        parameters, _, _, kind, type_ = self.model(op)
        b, n, h, d = (parameters[name] for name in ("B", "N_Q", "H_Q", "d_h_qk"))
        element = 2 if self.compat else ELEMENT[type_]
        return (parameters, b * h * 2 * n * n * 4 * d / (2 if parameters["causal"] else 1),
                element * b * (2 * n * h * d + n * h * d + 2 * n * h * 2 * d), kind, type_)

    def unified_perf_summary(self):
        ops = self.collected()
        calls = [{"op": op, "name": op["name"], "uid": op["uid"], "works": self.below(op), "duration": op["dur"]}
                 for op in ops]
        seen = [work for call in calls for work in call["works"]]
        rest = [work for work in self.linked if work not in seen and not is_communication(work["name"])]
        # what is left: first work without an op, call by call, then work of an op; a row of its own is known by its
        # work, and was numbered on after the events of the file
        alone = [work for of in grouped([work for work in rest if not self.op(work)],
                                        lambda work: self.call(work)["uid"]).values() for work in of]
        for work in alone + [work for work in rest if self.op(work)]:
            op = self.op(work) or self.call(work)
            calls.append({"op": op, "name": f"{op['name']}->{work['name']} (Synthetic Op)", "works": [work],
                          "uid": len(self.events) + len(calls) - len(ops) if self.compat else work["uid"],
                          "duration": op["dur"] if self.compat else None})
        names = ("Input Dims", "Input type", "Input Strides", "Concrete Inputs")
        rows = []
        for of in grouped(calls, lambda call: json.dumps(
                [call["name"], call["op"]["tid"], *(call["op"]["args"].get(name) for name in names)])).values():
            first, times = of[0], [self.busy(call["works"]) for call in of]
            op, known = first["op"], None
            if first["name"] == op["name"]:
                forward = self.backward_of(op)
                known = self.backward_model(forward) if forward else self.model(op)
            category = "SDPA_bwd" if self.backward_of(op) else self.category(
                dict(op, name=first["name"]), [work for work in self.linked if self.launcher(work) is op])
            durations = [call["duration"] for call in of if call["duration"] is not None]
            row = {"name": first["name"], "op category": category, "thread_name": f"thread {op['tid']} (python)",
                   "Input Dims": op["args"].get("Input Dims"), "ex_UID": first["uid"], "operation_count": len(of),
                   "total_duration_us": math.fsum(durations) if durations else None,
                   "mean_duration_us": mean(durations)}
            flops, moved = known[1:3] if known else (None, None)
            row.update({"GFLOPS": flops / 1e9 if known else None, "Data Moved (MB)": moved / 1048576 if known else None,
                        "FLOPS/Byte": flops / moved if known else None,
                        "Compute Spec": f"{known[3]}_{PRECISION[known[4]]}" if known and known[3] else None,
                        "TB/s_mean": mean([moved / 1e6 / time for time in times]) if known else None,
                        "TFLOPS/s_mean": mean([flops / 1e6 / time for time in times]) if known else None,
                        **statistics("Kernel Time (µs)", times, sum_too=True), "has_perf_model": str(bool(known) or (first["name"] in NO_SHAPES and not self.compat))})
            rows.append(row)
        rows.sort(key=lambda row: (-row["Kernel Time (µs)_sum"], row["ex_UID"]))
        return shares(rows, "Kernel Time (µs)_sum")


def sheets(trace, compat):
    """All reports of a trace, by the names of their files."""
    trace = Trace(trace, compat)
    return {
        "gpu_timeline": trace.gpu_timeline(), "ops_summary_by_category": trace.ops_summary_by_category(),
        "ops_summary": trace.ops_summary(), "ops_unique_args": trace.ops_unique_args(),
        "unified_perf_summary": trace.unified_perf_summary(),
        "kernel_summary": trace.kernel_summary(), "coll_analysis": trace.coll_analysis(),
        "launch_delay": trace.launch_delay(), "idle_causes": trace.idle_causes(),
        "GEMM": trace.roofline("aten::mm", "aten::addmm"),
        "SDPA_fwd": trace.roofline("aten::_scaled_dot_product_efficient_attention"),
        "CONV_fwd": trace.roofline("aten::convolution"), "CONV_bwd": trace.roofline("aten::convolution_backward"),
        "Normalization": trace.roofline("aten::native_batch_norm", "aten::layer_norm", "aten::native_layer_norm",
                                        "aten::native_layer_norm_backward"),
        "BinaryElementwise": trace.roofline("aten::mul", "aten::add_"),
        "UnaryElementwise": trace.roofline("aten::copy_"),
        "Reduce_fwd": trace.roofline("aten::sum")}


def sheets_of_step(trace, name):
    trace = Trace(trace).only_within(name)
    return {"gpu_timeline": trace.gpu_timeline(), "ops_summary": trace.ops_summary(),
            "ops_unique_args": trace.ops_unique_args()}
