"""The collective that dominates, and the sizes of its messages."""

import csv
import io

from support import Case, main, slice_event, trace_of


class Collectives(Case):
    def ask(self, *kernels):
        events, at = [], 0
        for name, dur, args in kernels:
            events.append(slice_event(name, at, dur, "kernel", thread=7, process=0, args={"device": 0, "stream": 7, **args}))
            at += dur + 10
        self.tpq("ingest", "-q", "--run", "r", self.write("r.json", trace_of(*events)))
        return [row["words"] for row in csv.DictReader(io.StringIO(self.tpq("report", "comm_collectives", "--csv", "-").out))]

    def test_recorded_sizes(self):
        said = {"Collective name": "allreduce", "Process Group Name": "0", "Group size": 2, "dtype": "BFloat16"}
        self.assertEqual(self.ask(("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 50, {**said, "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20}),
                                  ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 25, {**said, "In msg nelems": 1 << 19, "Out msg nelems": 1 << 19}),
                                  ("ncclDevKernel_AllGather_RING_LL", 25, {**said, "Collective name": "_allgather_base", "In msg nelems": 4, "Out msg nelems": 1 << 20}), ("gemm", 500, {})),
                         ["allreduce, group 0 of 2, 2 sizes from 1.0 to 2.0 MiB; 75.0 % of communication", "_allgather_base, group 0 of 2, 1 size: 2.0 MiB; 25.0 % of communication"])

    def test_names_alone(self):
        self.assertEqual(self.ask(("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", 30, {}), ("ncclDevKernel_SendRecv(x)", 10, {})),
                         ["reduce_scatter, size not recorded: the PyTorch profiler from 2.1 on records it; 75.0 % of communication",
                          "send and receive, size not recorded: the PyTorch profiler from 2.1 on records it; 25.0 % of communication"])


if __name__ == "__main__":
    main()
