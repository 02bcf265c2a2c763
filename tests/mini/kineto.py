"""Writes traces as torch.profiler (Kineto) does, from a program that is played on a model of a machine:
threads with a clock each, streams that begin work when it has been launched and they are free.

    machine = Machine(rank=0)
    with machine.op("aten::mm", dims=[[4, 8], [8, 2]], types=["float", "float"]):
        machine.launch(Work("gemm_kernel", 7, 5_000))

Times are whole nanoseconds; what varies is made from a counter, so that a trace is the same each time.
The makers of the miniatures (train.py, serve.py) stand on it; nothing here knows tpq.
"""
import contextlib
import json

START = 1_700_000_000_000_000  # ns of the first event: microseconds of that size are no exact doubles, as in real files
HOST_CATEGORIES = ("cpu_op", "cuda_runtime", "cuda_driver", "python_function", "user_annotation")


class Work:
    """Something that runs on a stream."""

    def __init__(self, name, stream, duration, category="kernel", **more):
        self.name, self.stream, self.duration, self.category, self.more = name, stream, duration, category, more


class Machine:
    def __init__(self, rank=0, ranks=1, start=START, recording=False):
        """`recording`: calls are captured into a graph; they name their kernel, and nothing runs."""
        self.rank, self.ranks, self.start, self.recording = rank, ranks, start, recording
        self.host, self.device, self.flows = [], [], []
        self.clock, self.free, self.depth = {}, {}, 0
        self.count = self.correlation = self.external = 0

    def vary(self, most):
        """A number below `most` that looks like noise."""
        self.count += 1
        return (self.count * self.count * 31 + self.count * 17 + self.rank * 101) % most

    def now(self, thread=1):
        return self.clock.setdefault(thread, self.start)

    def wait(self, duration, thread=1):
        self.clock[thread] = self.now(thread) + duration

    @contextlib.contextmanager
    def slice(self, name, category, thread=1, args=None, lead=700, tail=300):
        event = {"ph": "X", "cat": category, "name": name, "pid": 100 + self.rank, "tid": thread,
                 "ts": self.now(thread), "args": args or {}}
        self.host.append(event)
        self.wait(lead + self.vary(200), thread)
        yield event
        self.wait(tail + self.vary(100), thread)
        event["dur"] = self.now(thread) - event["ts"]

    def op(self, name, thread=1, dims=None, types=None, strides=None, inputs=None, sequence=None):
        self.external += 1
        args = {"External id": self.external, "Ev Idx": self.external}
        if dims is not None:
            args["Input Dims"] = dims
            args["Input type"] = types
            args["Input Strides"] = strides if strides is not None else [contiguous(shape) for shape in dims]
            args["Concrete Inputs"] = inputs if inputs is not None else [""] * len(dims)
        if sequence is not None:
            args["Sequence number"] = sequence
        return self.slice(name, "cpu_op", thread, args)

    def frame(self, name, thread=1):
        return self.slice(name, "python_function", thread, {"Python id": self.count}, lead=900)

    def mark(self, name, thread=1):
        return self.slice(name, "user_annotation", thread, lead=1200)

    def call(self, name, thread=1, category="cuda_runtime", **args):
        return self.slice(name, category, thread, args, lead=1500, tail=500)

    def launch(self, *works, call=None, thread=1, category="cuda_runtime", latency=2_600):
        """A call that launches works; they start in order, each on its own stream when that is free."""
        self.correlation += 1
        number = self.correlation
        memory = {"gpu_memcpy": "cudaMemcpyAsync", "gpu_memset": "cudaMemsetAsync"}
        name = call or memory.get(works[0].category, "cudaLaunchKernel")
        kernel = {"kernel": works[0].name} if self.recording else {}
        with self.call(name, thread, category, correlation=number, **{"External id": self.external}, **kernel) as event:
            pass
        if self.recording:
            return event
        for work in works:
            ready = event["ts"] + latency + self.vary(900)
            begin = max(ready, self.free.get(work.stream, 0))
            length = work.duration + self.vary(1 + work.duration // 20)
            self.free[work.stream] = begin + length + 150
            self.device.append({
                "ph": "X", "cat": work.category, "name": work.name, "pid": 0, "tid": work.stream, "ts": begin,
                "dur": length, "args": {"device": 0, "stream": work.stream, "correlation": number,
                                        "External id": self.external, **work.more}})
        for kind, of in (("s", event), ("f", self.device[-1])):
            self.flows.append({"ph": kind, "cat": "ac2g", "name": "ac2g", "id": number, "pid": of["pid"],
                               "tid": of["tid"], "ts": of["ts"], **({"bp": "e"} if kind == "f" else {})})
        return event

    def unknown(self, name, stream, duration, thread=1):
        """Work whose launch is not in the trace."""
        self.device.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": stream, "ts": self.now(thread),
                            "dur": duration,
                            "args": {"device": 0, "stream": stream, "correlation": 900_000 + self.count}})

    def synchronize(self, thread=1):
        """Waits for all streams."""
        with self.call("cudaDeviceSynchronize", thread, correlation=0):
            self.clock[thread] = max([self.now(thread), *self.free.values()])

    def trace(self):
        """The file as an object; times in microseconds, as Kineto has them."""
        named = [{"ph": "M", "name": "process_name", "pid": 100 + self.rank, "tid": 0, "ts": 0,
                  "args": {"name": "python"}},
                 {"ph": "M", "name": "process_labels", "pid": 100 + self.rank, "tid": 0, "ts": 0,
                  "args": {"labels": "CPU"}},
                 {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "ts": 0, "args": {"name": "python"}},
                 {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "ts": 0, "args": {"labels": "GPU 0"}}]
        named += [{"ph": "M", "name": "thread_name", "pid": 100 + self.rank, "tid": thread, "ts": 0,
                   "args": {"name": f"thread {thread} (python)"}} for thread in sorted(self.clock)]
        timed = []
        for event in [*self.host, *self.device, *self.flows]:
            event = dict(event, ts=event["ts"] / 1000)
            if "dur" in event:
                event["dur"] /= 1000
            timed.append(event)
        return {
            "schemaVersion": 1,
            "deviceProperties": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85_000_000_000,
                                  "computeMajor": 9, "computeMinor": 0, "numSms": 132, "warpSize": 32}],
            "distributedInfo": {"backend": "nccl", "rank": self.rank, "world_size": self.ranks},
            "record_shapes": 1, "with_stack": 1, "traceEvents": named + timed}


def contiguous(shape):
    """Strides of a tensor that lies in a row."""
    strides, size = [], 1
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return strides


def write(path, trace):
    with open(path, "w", encoding="utf-8") as file:
        json.dump(trace, file)
