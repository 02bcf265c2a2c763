"""kernel_sequences and gpu_gaps: what ops launch again and again, and what the host did while nothing ran."""

import csv
import io

from support import Case, main, slice_event, trace_of


class Host:
    """Ops and calls, by hand: times in us."""

    def __init__(self):
        self.events, self.number = [], 0

    def op(self, name, start, end, category="cpu_op"):
        self.events.append(slice_event(name, start, end - start, category))
        return self

    def run(self, name, called, start, end, stream=7):
        self.number += 1
        self.events += [
            slice_event("cudaLaunchKernel", called, 1, "cuda_runtime", args={"correlation": self.number}),
            slice_event(name, start, end - start, "kernel", thread=stream, process=0,
                        args={"correlation": self.number, "device": 0, "stream": stream})]
        return self


class Reports(Case):
    def rows_of(self, host, *call):
        path = self.write("t.json", trace_of(*host.events))
        return list(csv.DictReader(io.StringIO(self.tpq("report", path, *call, "--csv", "-").out)))

    def test_sequences(self):
        host = Host()
        for start in (0, 100, 200):
            host.op("outer", start, start + 50).op("inner", start + 1, start + 40).op("outer", start + 2, start + 39)
            host.run("a", start + 3, start + 10, start + 12).run("b", start + 5, start + 14, start + 15)
            # launched last, and runs first on another stream: the order is that of starts
            host.run("c" if start < 200 else "d", start + 7, start + 8, start + 9, stream=8)
        rows = self.rows_of(host, "kernel_sequences")
        self.assertEqual([(row["op"], row["pattern"], row["length"], row["count"], row["launches_saved"]) for row in rows],
                         [("inner", "c | a | b", "3", "2", "4"), ("outer", "c | a | b", "3", "2", "4")])
        self.assertEqual([(float(row["work_ms"]), float(row["host_ms"])) for row in rows], [(0.008, 0.078), (0.008, 0.1)])
        self.assertEqual(self.rows_of(host, "kernel_sequences", "--sequence-min", "4"), [])


if __name__ == "__main__":
    main()
