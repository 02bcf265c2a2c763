"""Waves of blocks: blocks at a time from limits of the device, units of grids, and the rules about blocks."""

import csv
import io

from support import Case, main, slice_event, trace_of

H100 = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132, "computeMajor": 9, "computeMinor": 0, "maxThreadsPerMultiprocessor": 2048,
        "regsPerMultiprocessor": 65536, "sharedMemPerMultiprocessor": 233472}
MI300X = {"id": 0, "name": "AMD Instinct MI300X", "numSms": 304}
GEMM = "cutlass_80_tensorop_s16816gemm"


class Waves(Case):
    def read(self, device, *launches):
        """Kernels of 100 us one after another: their name, launch, and arguments; without them there is no grid."""
        events = []
        for at, (name, call, args) in enumerate(launches):
            events += [slice_event("aten::mm" if name == GEMM else "aten::add", 100 * at, 9), slice_event(call, 100 * at + 2, 5, "cuda_runtime", args={"correlation": at + 1}),
                       slice_event(name, 100 * at + 10, 100, "kernel", thread=7, process=0, args={"correlation": at + 1, "device": 2, "stream": 7, **args})]
        self.tpq("ingest", "-q", "--run", "r", self.write("r.json", {**trace_of(*events), "deviceProperties": [device]}))

    def ask(self, report, *more):
        return list(csv.DictReader(io.StringIO(self.tpq("report", report, *more, "--csv", "-").out)))

    def figures(self, key):
        return {row["kernel_name"]: row[key] for row in self.ask("kernel_waves")}

    def rule(self, name):
        (row,) = [row for row in self.ask("advice", "--all") if row["rule"] == name]
        return row

    def test_blocks_at_a_time_from_limits(self):
        shape = {"block": [128, 1, 1], "registers per thread": 128, "shared memory": 49152}
        self.read(H100, (GEMM, "cudaLaunchKernel", {"grid": [5, 16, 16], **shape}), ("exact", "cudaLaunchKernel", {"grid": [528, 2, 1], **shape}),
                  ("persistent", "cudaLaunchKernel", {"grid": [132, 1, 1], **shape}), ("small", "cudaLaunchKernel", {"grid": [1, 1, 1], "block": [1024, 1, 1], "registers per thread": 65, "shared memory": 0}))
        self.assertEqual(self.figures("blocks_at_a_time"), {GEMM: "4", "exact": "4", "persistent": "4", "small": "1"})
        self.assertEqual(self.figures("lost_ms")["exact"], self.figures("lost_ms")["persistent"], "0.0")
        self.assertAlmostEqual(float(self.figures("last_wave_percent")[GEMM]), (1280 / 528 - 2) * 100)
        row = self.rule("wave-quantisation")
        self.assertAlmostEqual(float(row["value"]), (1 - 1280 / 528 / 3) * 25)
        self.assertEqual(row["cause"], f"Worst: {GEMM}, grid [5,16,16]: 1,280 blocks in 2.42 waves, the last wave is 42 % full")

    def test_occupancy_and_assumption(self):
        few = {key: H100[key] for key in ("id", "name", "numSms", "maxThreadsPerMultiprocessor")}
        self.read(few, (GEMM, "cudaLaunchKernel", {"grid": [300, 1, 1], "block": [384, 1, 1], "est. achieved occupancy %": 38}),
                  ("other", "cudaLaunchKernel", {"grid": [300, 1, 1], "block": [384, 1, 1]}))
        self.assertEqual(self.figures("blocks_from"), {GEMM: "occupancy", "other": "assumed"})
        self.assertEqual(self.figures("waves"), {GEMM: str(300 / 264), "other": str(300 / 132)})

    def test_grids_in_work_items(self):
        self.read(MI300X, (GEMM, "hipExtModuleLaunchKernel", {"grid": [19456, 1, 1], "block": [256, 1, 1]}), ("k", "hipLaunchKernel", {"grid": [19456, 1, 1], "block": [256, 1, 1]}))
        self.assertEqual(self.figures("grid"), {GEMM: "[76,1,1]", "k": "[19456,1,1]"})
        self.assertAlmostEqual(float(self.rule("few-blocks")["value"]), 50)  # the first of two kernels
        self.assertEqual(self.rule("wave-quantisation")["verdict"], "nothing found")

    def test_not_recorded(self):
        self.read(MI300X, (GEMM, "hipGraphLaunch", {"kind": "Dispatch Task"}))
        self.assertIn("No rows: grids of kernels or multiprocessors of the device were not recorded", " ".join(self.tpq("report", "kernel_waves").out.split()))
        self.assertEqual((self.rule("wave-quantisation")["verdict"], self.rule("few-blocks")["lacks"]), ("not measured", "blocks"))


if __name__ == "__main__":
    main()
