"""run_setup: each fact of a run with its source, or with the option that records it; ranks are merged."""

import json
import os

from support import Case, main, slice_event, trace_of

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
GROUPS = (("default_pg", [0, 1, 2, 3]), ("TENSOR_MODEL_PARALLEL_GROUP", [0, 1]), ("mesh_dp", [0, 2]), ("undefined", [0, 1]))


def rank(number, memory=64 << 30, **more):
    """A rank of four: a step of 40 us and three of 10 us, each with a compiled region and a CUDA graph."""
    events, id = [], 0
    for step in range(4):
        start, length = 1000 + 100 * step, 40 if step == 0 else 10
        events.append(slice_event(f"ProfilerStep#{step}", start, length, "user_annotation"))
        for op, types, shape, launch, kernel, at in (
                ("Torch-Compiled Region: 0/0", [], [], None, None, 0),
                ("aten::mm", ["c10::BFloat16"] * 2, [[64, 64], [64, 64]], "cudaLaunchKernel", ("gemm_bf16", 6), 1),
                ("aten::embedding", ["float", "long int"], [[99, 8], [4, 512]], "cudaGraphLaunch", ("gather", 3), 5),
                ("aten::mm", ["float"] * 2, [[64, 64], [64, 64]], "cudaLaunchKernel", ("ampere_sgemm_32x32_tn", 2), 7)):
            id += 1
            args = {"Input type": types, "Input Dims": shape} if types else {}
            events.append(slice_event(op, start + at, 4 if launch is None else 1, args=args))
            if launch:
                events.append(slice_event(launch, start + at, 1, "cuda_runtime", args={"correlation": id}))
                events.append(slice_event(kernel[0], start + at + 2, kernel[1], "kernel", thread=7, process=0,
                                          args={"correlation": id, "device": 0, "stream": 7}))
    events.append({"ph": "i", "name": "[memory]", "cat": "cpu_instant_event", "ts": 1001, "pid": 1, "tid": 1, "s": "t", "args": {
        "Total Reserved": 16 << 30, "Total Allocated": 8 << 30, "Bytes": 8 << 30, "Device Id": 0, "Device Type": 1, "Addr": 1}})
    device = {"id": 0, "name": "NVIDIA H100", "computeMajor": 9, "computeMinor": 0, "numSms": 132, "totalGlobalMem": memory}
    return trace_of(*events, **{
        "schemaVersion": 1, "deviceProperties": [device], "cuda_runtime_version": 12040, "cuda_driver_version": 12090,
        "record_shapes": 1, "profile_memory": 1, "host_name": "secret-host", "distributedInfo": {
            "backend": "nccl", "rank": number, "world_size": 4, "nccl_version": "2.21.5", "pg_config": [
                {"pg_name": str(i), "pg_desc": name, "pg_size": len(ranks), "ranks": ranks}
                for i, (name, ranks) in enumerate(GROUPS)]}, **more})


class Setup(Case):
    def facts(self, *arguments):
        """By name: value, source, how."""
        out = self.tpq("sql", "-m", "json", "SELECT run, name, value, source, how FROM run_setup", *arguments).out
        return {row["name"]: row for row in json.loads(out)}

    def ingest(self, run, *traces):
        self.tpq("ingest", "-q", "--run", run, *traces)
        return self.facts("--run", run)

    def test_ranks_are_merged(self):
        facts = self.ingest("a", self.write("r0.json", rank(0)), self.write("r1.json", rank(1, cuda_driver_version=13000)))
        value = {name: row["value"] for name, row in facts.items()}
        self.assertEqual(value["devices"], "2 × NVIDIA H100")
        self.assertEqual((value["multiprocessors"], value["memory"]), ("132", "64.0 GiB"))
        self.assertEqual(value["memory peak"], "16.0 GiB of 64.0 GiB (25.0 %)")
        self.assertEqual(value["CUDA or HIP runtime"], "CUDA 12.4")
        self.assertEqual(value["CUDA or HIP driver API"], "CUDA 12.9 (rank 0); CUDA 13.0 (rank 1)")
        self.assertEqual((value["NCCL or RCCL"], value["world size"], value["ranks in the run"]), ("NCCL 2.21.5", "4", "2"))
        self.assertEqual(value["parallelism"], "TP 2 × DP 2")
        self.assertIn("undefined 2", value["process groups"])
        self.assertEqual(value["framework"], "PyTorch, Megatron")
        self.assertEqual(value["steps"], "4 profiler steps, median 10.0 us")
        self.assertEqual(value["shapes"], "on")
        self.assertNotIn("secret", str(facts))

    def test_shares_of_time(self):
        """Of a step: 6 us bf16, 2 us fp32, 3 us by a graph; the first two are below compiled code."""
        facts = self.ingest("a", self.write("r0.json", rank(0)))
        self.assertEqual(facts["dtype"]["value"], "bf16 75 %, fp32 25 % of 32.0 us GEMM, attention, conv")
        self.assertEqual(facts["dtype"]["source"], "dtypes of ops")
        self.assertEqual(facts["graph launches"]["value"], "27 % of 44.0 us GPU time")
        self.assertEqual(facts["torch.compile"]["value"], "55 % of 44.0 us GPU time")
        self.assertEqual((facts["batch"]["value"], facts["sequence"]["value"]), ("4", "512"))
        self.assertEqual(facts["batch"]["source"], "shapes of embeddings")
        self.assertEqual(facts["warm-up"]["value"], "step 0 takes 4.0 × the median of the others: warm-up")

    def test_what_is_not_recorded(self):
        facts = self.ingest("b", self.write("t.json", trace_of(
            slice_event("aten::mm", 1, 5), slice_event("cudaLaunchKernel", 2, 1, "cuda_runtime", args={"correlation": 1}),
            slice_event("unknown_gemm", 4, 9, "kernel", thread=7, args={"correlation": 1, "device": 0}))))
        for name, how in (("batch", "record_shapes=True"), ("dtype", "record_shapes=True"), ("memory peak", "profile_memory=True"),
                          ("steps", "schedule=..., prof.step()"), ("parallelism", "mesh_dim_names, group_desc")):
            self.assertEqual((facts[name]["value"], facts[name]["how"]), (None, "not recorded: " + how), name)
        self.assertEqual((facts["stacks"]["value"], facts["stacks"]["how"]), ("off", "not recorded: with_stack=True"))
        self.assertEqual(facts["links"]["how"], "not recorded by the PyTorch profiler")
        self.assertEqual((facts["graph launches"]["value"], facts["torch.compile"]["value"]), ("none", "no compiled region"))

    def test_other_formats(self):
        for file, framework, profiler in (("nsys/small.sqlite", "PyTorch", "Nsight Systems"), ("jax/small.xplane.pb", "JAX", "XLA profiler")):
            facts = self.ingest(file, os.path.join(FIXTURES, file))
            self.assertIn(framework, facts["framework"]["value"], file)
            self.assertIn(profiler, facts["profiler"]["value"], file)
            self.assertNotIn("record_shapes=True of", str(facts))

    def test_patterns_are_rows(self):
        self.ingest("a", self.write("r0.json", rank(0)))
        self.tpq("sql", "--write", "INSERT INTO setup_pattern (fact, place, pattern, position, value) "
                 "VALUES ('framework', 'kernel', '^gather$', 0, 'Ours')")
        self.assertEqual(self.facts()["framework"]["value"], "Ours, PyTorch, Megatron")

    def test_names_of_kernels(self):
        known = {"nvjet_tst_192x192_64x4_2x1_v": "bf16", "Cijk_Alik_Bljk_BBS_BH_Bias_HA": "bf16", "ampere_fp16_s16816gemm_fp16_128": "fp16",
                 "Cijk_Ailk_Bljk_HHS_BH_MT": "fp16", "cutlass_80_tensorop_s1688gemm_128": "tf32", "Cijk_Ailk_Bljk_SB_MT128": "fp32",
                 "gemm_f8f8bf16_fp8": "fp8", "void gemm<double, 4>": "fp64", "paged_attention<__hip_bfloat16, Fp8KVCacheDataType>": "bf16",
                 "volta_h884gemm_128x64": "fp16", "sm90_xmma_gemm_f64f64_f64f64_f64": "fp64", "unknown_gemm": None}
        self.write("t.json", trace_of(*(slice_event(name, 10 * i, 5, "kernel") for i, name in enumerate(known))))
        self.tpq("ingest", "-q", "t.json")
        for name, dtype in known.items():
            found = self.tpq("sql", "-m", "json", "SELECT value FROM setup_pattern WHERE fact = 'dtype' AND place = 'kernel' "
                             f"AND '{name}' REGEXP pattern ORDER BY position LIMIT 1").out
            self.assertEqual([row["value"] for row in json.loads(found)], [dtype] if dtype else [], name)

    def test_the_head_of_the_page(self):
        self.tpq("report", self.write("r0.json", rank(0)), "--html=p.html")
        with open(self.path("p.html"), encoding="utf-8") as file:
            self.assertIn("<br>PyTorch, Megatron · CUDA 12.4 · world size 4 · TP 2 × DP 2 · bf16 75 %", file.read())


if __name__ == "__main__":
    main()
