"""Recomputes the reports on a served model: see reference_pytorch.py, on which it stands.

    Served(trace)                     graphs stay what they are: one call with much work
    Served(trace, capture=object)     work of a graph belongs to the ops that were recorded into it
"""
import re

from figures import grouped, in_one_unit, length, median, shares, union
from reference_pytorch import CALLS, DEVICE, ELEMENT, Trace

MARK = re.compile(r"execute_\d+_context_(\d+)\(sq(\d+)sk(\d+)sqsq(\d+)sqsk(\d+)\)"
                  r"_generation_(\d+)\(sq(\d+)sk(\d+)sqsq(\d+)sqsk(\d+)\)")
FIELDS = ("context_requests", "c_sq", "c_sk", "c_sqsq", "c_sqsk", "generation_requests", "g_sq", "g_sk", "g_sqsq",
          "g_sqsk")
PREFILL = "prefill context prompt initialization first_token".split()  # words in names of kernels
KINDS = (("nvjet", "GEMM"), ("flash", "attention"), ("rotary", "rope-generic"), ("act_and_mul", "activation-gated"))
DECODE = ("decode generation autoregressive continuous_batch paged_attention kv_cache reshape_and_cache incremental "
          "single_token").split()


def merged(trace, capture):
    """The trace, with a copy of what was recorded for each replay, on a thread of its own, and the work of the
    replay below it: the first piece belongs to the first call that was recorded, and so on."""
    events = [dict(event, args=dict(event.get("args", {}))) for event in trace["traceEvents"]]
    recorded = [event for event in capture["traceEvents"]
                if event.get("cat") in ("cpu_op", *CALLS) and "Capture" not in event["name"]]
    for launch in [event for event in events if event["name"] == "cudaGraphLaunch"]:
        replay = launch["args"].pop("correlation")
        works = sorted([event for event in events if event.get("cat") in DEVICE
                        and event["args"]["correlation"] == replay],
                       key=lambda work: work["ts"])
        for event in recorded:
            copy = dict(event, tid=f"replay {replay}", args=dict(event["args"]), at=launch["ts"])
            if copy["cat"] in CALLS:
                copy["args"]["correlation"] = works[0]["args"]["correlation"] = f"{replay} {event['args']['correlation']}"
                assert works.pop(0)["name"] == event["args"]["kernel"]
            events.append(copy)
        assert not works
    return {**trace, "traceEvents": events}


class Served(Trace):
    def __init__(self, trace, compat=False, capture=None):
        super().__init__(merged(trace, capture) if capture else trace, compat)
        marks = sorted([event for event in self.slices if MARK.match(event["name"])], key=lambda event: event["ts"])
        self.steps = [{"event": event, **dict(zip(FIELDS, map(int, MARK.match(event["name"]).groups())))}
                      for event in marks]
        for step in self.steps:
            phases = {(1, 1): "prefilldecode", (1, 0): "prefill_only", (0, 1): "decode_only"}
            step["phase"] = phases[min(step["context_requests"], 1), min(step["generation_requests"], 1)]

    def category(self, op, works):
        """With phases, an op of no category has that of the kernels on which it spends most time."""
        category = super().category(op, works)
        if category not in ("other", "graph"):
            return category
        times = grouped(works, lambda work: [kind for word, kind in KINDS if word in work["name"]][0])
        return max(times, key=lambda kind: sum(work["dur"] for work in times[kind]))

    def step(self, event):
        """The step in which something of the host began; for what was recorded, in which it was replayed."""
        at = event.get("at", event["ts"])
        return [step for step in self.steps
                if step["event"]["ts"] <= at < step["event"]["ts"] + step["event"]["dur"]][0]

    def inference_steps(self):
        rows = []
        for number, step in enumerate(self.steps):
            works = [work for work in self.linked if self.step(self.call(work)) is step]
            starts = [self.exact(work["ts"]) for work in works]
            ends = [start + self.exact(work["dur"]) for start, work in zip(starts, works)]
            rows.append({
                "step_no": number, "annotation": step["event"]["name"], "phase": step["phase"],
                "context_requests": step["context_requests"], "generation_requests": step["generation_requests"],
                "batch_size": step["c_sq"] + step["g_sq"],
                **{name: step[name] for name in ("c_sq", "c_sk", "g_sq", "g_sk")},
                "gpu_events": len(works), "gpu_busy_us": length(union(list(zip(starts, ends)))) / 1000,
                "gpu_span_us": (max(ends) - min(starts)) / 1000, "cpu_dur_us": step["event"]["dur"]})
        return rows

    def inference_phases(self):
        steps, rows = self.inference_steps(), []
        for phase, of in grouped(steps, lambda row: row["phase"]).items():
            busy, tokens = sum(row["gpu_busy_us"] for row in of), sum(row["batch_size"] for row in of)
            rows.append({
                "phase": phase, "steps": len(of), "context_requests": sum(row["context_requests"] for row in of),
                "generation_requests": sum(row["generation_requests"] for row in of), "tokens": tokens,
                "gpu_events": sum(row["gpu_events"] for row in of), "gpu_busy_ms": busy / 1000,
                "gpu_busy_us_mean": busy / len(of), "gpu_span_us_median": median([row["gpu_span_us"] for row in of]),
                "cpu_dur_us_median": median([row["cpu_dur_us"] for row in of]), "gpu_us_per_token": busy / tokens,
                "Percentage (%)": busy * 100 / sum(row["gpu_busy_us"] for row in steps)})
        return sorted(rows, key=lambda row: -row["gpu_busy_ms"])

    # What a launcher's work is for, by its step or by names.
    def phase_by_step(self, launcher):
        return {"prefill_only": "Prefill", "decode_only": "Decode"}.get(self.step(launcher["op"])["phase"])

    @staticmethod
    def phase_by_names(launcher):
        text = " ".join([launcher["name"], *(work["name"] for work in launcher["works"])]).lower()
        assert not re.search(r"sl\d|seqlen[_\s]?\d|seq\d", text)  # lengths in names would count first
        for phase, words in (("Prefill", PREFILL), ("Decode", DECODE)):
            if any(word in text for word in words):
                return phase
        return None

    def ops_of_phase(self, phase, method):
        rows = []
        for name, of in grouped([row for row in self.launchers() if method(row) == phase],
                                lambda row: row["name"]).items():
            time = sum(row["direct"] for row in of)
            rows.append({"name": name, "total_direct_kernel_time_sum": time, "Count": len(of),
                         "total_direct_kernel_time_ms": time / 1000})
        rows.sort(key=lambda row: (-row["total_direct_kernel_time_sum"], row["name"]))
        rows = shares(rows, "total_direct_kernel_time_sum")
        return rows if self.compat else in_one_unit(rows)

    def model(self, op):
        dims, types = op["args"].get("Input Dims"), op["args"].get("Input type")
        if op["name"] == "_C::silu_and_mul":
            rows, columns = dims[0]
            return ({"op_shape": dims[0]}, 5 * rows * columns,
                    rows * columns * (2 * ELEMENT[types[1]] + ELEMENT[types[0]]), "vector", types[0])
        if op["name"] != "vllm::unified_attention_with_output":
            return super().model(op)
        step = self.step(op)
        (_, heads, query), (_, kv_heads, value) = dims[0], dims[1]
        flops = heads * (query + value) * (2 * step["c_sqsk"] - step["c_sqsq"] + 2 * step["g_sqsk"])
        new, old = step["c_sq"] + step["g_sq"], step["c_sk"] - step["c_sq"] + step["g_sk"] - step["g_sq"]
        moved = (new * (heads + kv_heads) * ELEMENT[types[0]] + old * kv_heads * ELEMENT[types[1]]) * (query + value)
        parameters = {name: step[name] for name in FIELDS if not name.endswith("requests")}
        return {"H_Q": heads, "H_KV": kv_heads, **parameters}, flops, moved, "matrix", types[0]


def sheets(trace, capture, compat):
    served = Served(trace, compat, capture)
    method = served.phase_by_names if compat else served.phase_by_step
    made = {
        "inference_steps": served.inference_steps(), "inference_phases": served.inference_phases(),
        "ops_summary_prefill": served.ops_of_phase("Prefill", method),
        "ops_summary_decode": served.ops_of_phase("Decode", method),
        "gpu_timeline": served.gpu_timeline(), "ops_summary_by_category": served.ops_summary_by_category(),
        "GEMM": served.roofline("aten::mm"),
        "InferenceAttention_fwd": served.roofline("vllm::unified_attention_with_output")}
    return {name: rows for name, rows in made.items() if rows}
