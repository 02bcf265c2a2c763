"""The collective that dominates, and the sizes of its messages."""

import csv
import io

from support import Case, main, slice_event, trace_of


class Collectives(Case):
    def ask(self, *kernels, column="words"):
        events, at = [], 0
        for name, dur, args in kernels:
            events.append(slice_event(name, at, dur, "kernel", thread=7, process=0, args={"device": 0, "stream": 7, **args}))
            at += dur + 10
        trace = {**trace_of(*events), "deviceProperties": [{"id": i, "name": "NVIDIA H100 80GB HBM3"} for i in range(8)]}
        self.tpq("ingest", "-q", "--run", "r", self.write("r.json", trace))
        return [row[column] for row in csv.DictReader(io.StringIO(self.tpq("report", "comm_collectives", "--csv", "-").out))]

    def test_recorded_sizes(self):
        said = {"Collective name": "allreduce", "Process Group Name": "0", "Group size": 2, "dtype": "BFloat16"}
        self.assertEqual(self.ask(("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 50, {**said, "In msg nelems": 1 << 20, "Out msg nelems": 1 << 20}),
                                  ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 25, {**said, "In msg nelems": 1 << 19, "Out msg nelems": 1 << 19}),
                                  ("ncclDevKernel_AllGather_RING_LL", 25, {**said, "Collective name": "_allgather_base", "In msg nelems": 4, "Out msg nelems": 1 << 20}), ("gemm", 500, {})),
                         ["allreduce, group 0 of 2, 2 sizes from 1.00 MiB to 2.00 MiB", "_allgather_base, group 0 of 2, 1 size: 2.00 MiB"])

    def test_links(self):
        """Bytes that a rank sends of 64 MiB in 1 ms, against NVLink where the group is on one machine of 8."""
        sent = 64 * 2**20 / 1e6
        for name, size, ranks, bus, link in (("allreduce", 8, "[8, 9, 10, 11, 12, 13, 14, 15]", 2 * 7 / 8, 450), ("_allgather_base", 4, "[0, 1, 2, 3]", 3 / 4, 450),
                                             ("broadcast", 2, "[7, 8]", 1, None), ("allreduce", 2, None, 1, None), ("barrier", 2, "[0, 1]", None, 450)):
            said = {"Collective name": name, "Process Group Name": "0", "Process Group Ranks": ranks, "Group size": size, "dtype": "Float"}
            kernel = ("ncclDevKernel_X", 1000, {**said, "In msg nelems": 1 << 24, "Out msg nelems": 1 << 20})
            for column, figure in (("bus_gbps", bus and sent * bus), ("link_gbps", link), ("link_percent", bus and link and 100 * sent * bus / link)):
                self.db = self.path(f"{name}{size}{column}.db")
                (found,) = self.ask(kernel, column=column)
                self.assertEqual(found and round(float(found), 6), figure and round(figure, 6) or "", (name, column))

    def test_names_alone(self):
        self.assertEqual(self.ask(("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", 30, {}), ("ncclDevKernel_SendRecv(x)", 10, {})),
                         ["reduce_scatter, size not recorded: the PyTorch profiler from 2.1 on records it",
                          "send and receive, size not recorded: the PyTorch profiler from 2.1 on records it"])


if __name__ == "__main__":
    main()
