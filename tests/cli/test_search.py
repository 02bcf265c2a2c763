"""Words of users find what answers them: tpq describe, tpq report --list, tpq help, errors and assistants."""

import json
import re

from support import Case, main

# Words, and right names: one stands among the first three.
FOUND = (
    ("why is my step slow", "findings step_bounds idle_causes critical_path_sum"), ("slow step", "findings step_bounds idle_causes"),
    ("pin_memory", "nsys_pageable_copies pageable-copy"), ("pin memory", "nsys_pageable_copies pageable-copy"),
    ("flash attention", "roofline unfused-attention"), ("tensor core", "fp32-matrix unified_perf_summary"), ("nvlink", "coll_analysis"),
    ("gc", "idle_causes gpu_gaps"), ("recompile", "recompiles compiled_regions"), ("framework", "idle_causes host-bound"),
    ("small kernels", "short_kernels_summary small-kernels"), ("item", "scalar-read"), ("aten::item", "scalar-read"),
    ("out of memory", "snapshot_oom"), ("ttft", "serving_latency"), ("p99 latency", "serving_latency"), ("time to first token", "serving_latency"), ("dataloader", "data-loading"), ("straggler", "ranks_stragglers"),
    ("nccl", "coll_analysis"), ("all-reduce", "coll_analysis"), ("kv cache", "roofline inference_phases"), ("batch size", "serving_batch"),
    ("occupancy", "kernel_shape"), ("launch overhead", "launch_stats"), ("cuda graph", "graph_nodes"), ("h2d", "memory_bandwidth"),
    ("copy", "memory_bandwidth"), ("bubble", "pipeline_ranks"), ("pipeline", "pipeline_summary"), ("expert", "moe_layers"),
    ("mfu", "step_mfu"), ("flops", "unified_perf_summary"), ("bandwidth", "memory_bandwidth"), ("idle", "idle_causes"),
    ("gaps", "gpu_gaps"), ("bottleneck", "findings critical_path_sum"), ("memory leak", "snapshot_leaks"),
    ("fragmentation", "snapshot_devices snapshot_pools"), ("top kernels", "kernel_summary"), ("longest op", "ops_summary"),
    ("sync", "explicit-sync nsys_sync_calls"), ("cudaMalloc", "allocations cuda_api_sum"), ("compile", "host-bound-compiled"),
    ("gemm", "unified_perf_summary roofline"), ("quantization", "roofline"), ("bf16", "unified_perf_summary"),
    ("layer", "nn_module_time"), ("python stack", "gpu_gaps kernel_launchers"), ("tokens per second", "serving_latency"),
    ("prefill", "inference_phases"), ("regression", "time_parts"), ("two runs", "time_parts diff_summary"), ("dram bound", "tt_ops"),
    ("op to op gap", "tt_ops gpu_gaps"), ("tpu", "jax_kernel_launchers_summary jax_op"), ("power", "counters"), ("sm clock", "counters"),
    ("disk", "data-loading"), ("gpu utilization", "gpu_timeline"), ("where does the time go", "gpu_timeline time_parts"),
    ("infiniband", "coll_analysis"), ("step time", "step_bounds time_parts"), ("unified memory", "um_sum um_total_sum"),
    ("gpu timeline", "gpu_timeline"), ("torch.compile", "host-bound-compiled"), ("memory usage", "memory_peak"),
    ("GIL", "thread_use"), ("cpu usage", "thread_use"), ("cpu bound thread", "thread_use busy-thread"), ("cutlass", "kernel_summary roofline"), ("jitter", "kernel_pace"),
    ("outliers", "kernel_pace step_bounds"), ("deadlock", "ranks_waits"), ("numa", "osrt_sum"), ("num_workers", "data-loading"),
    ("cudaStreamWaitEvent", "nsys_sync_calls"), ("goodput", "serving_requests serving_ledger"), ("empty_cache", "allocations memory_curve"),
    ("who calls this kernel", "kernel_launchers"), ("non_blocking", "nsys_pageable_copies"),
    ("stragglers in allreduce", "ranks_stragglers"), ("number of kernel launches", "launch_stats"), ("mutex contention", "osrt_sum"),
    ("context switch", "osrt_sum"), ("speculative decoding", "serving_requests serving_steps"),
    ("all to all", "coll_analysis ranks_all2allv"), ("zero", "coll_analysis comm_overlap"), ("cudaMemcpyAsync", "memory_bandwidth"),
    ("ncclAllReduce", "coll_analysis"), ("hipLaunchKernel", "launch_stats"), ("DataLoader", "data-loading"),
    ("ProfilerStep", "step_bounds time_parts"), ("cudaLaunchKernelExC", "launch_stats"), ("record_param_comms", "coll_analysis"),
    ("hipGraphLaunch", "graph_nodes"), ("cudaHostAlloc", "nsys_pageable_copies"), ("OutOfMemoryError", "snapshot_oom"),
    ("CUDACachingAllocator", "allocations memory_curve"), ("cuLaunchKernel", "launch_stats"), ("GroupedGEMM", "unified_perf_summary"),
    ("TensorCore usage", "unified_perf_summary"), ("concurrent kernels", "kind_overlap"), ("sequence parallel", "coll_analysis"),
    ("math fidelity", "tt_ops"), ("thread blocks", "kernel_shape"), ("pmap", "jax_kernel_launchers_summary jax_op"),
    ("percent of peak", "roofline unified_perf_summary"), ("pipeline stall", "pipeline_ranks"),
    ("model runner execute_model", "serving_steps inference_steps inference_phases serving_requests"),
    ("what is this run", "run_setup"), ("which gpu", "run_setup"), ("framework", "run_setup"), ("batch size", "run_setup"),
    ("dtype", "run_setup"), ("cuda version", "run_setup"), ("continuous integration", "ci"), ("garbage collection", "idle_causes gpu_gaps"),
)


class Search(Case):
    def found(self, words):
        """Names in order, of rules and guides without the word before them."""
        out = self.tpq("describe", *words.split()).out
        return re.findall(r"(?m)^(?:advice |help )?([\w./-]+) +(?:report|rule|view|table|guide|option|lever|column|function) ", out)

    def test_words_of_users(self):
        for words, right in FOUND:
            self.assertTrue(set(self.found(words)[:3]) & set(right.split()), f"{words}: {self.found(words)}")

    def test_the_list_is_short(self):
        for words in ("memory", "gpu time", "kernel"):
            self.assertLessEqual(len(self.found(words)), 10, words)

    def test_a_word_counts_where_others_are_unknown(self):
        self.assertEqual(self.found("xyzzy straggler")[0], "ranks_stragglers")

    def test_what_is_not_recorded(self):
        for words, told in (("disk", "Disk traffic is not recorded"), ("nvlink", "links is not recorded"), ("loss", "are not recorded"),
                            ("power", "only there as counters")):
            self.assertIn(told, " ".join(self.tpq("describe", words).out.split()))
            self.assertIn(told, " ".join(self.tpq("report", "--list", words).out.split()))

    def test_a_name_is_described_with_what_people_mean_by_it(self):
        out = self.tpq("describe", "item").out
        self.assertTrue(out.startswith("item(list, k)\n"), out)
        self.assertIn("\nMore about 'item', the best of ", out)
        self.assertNotIn("More about", self.tpq("describe", "gpu_event").out)

    def test_nothing_at_all(self):
        self.one_line(self.tpq("describe", "xyzzy", status=2), "there is no 'xyzzy'; see tpq describe$")
        self.one_line(self.tpq("report", "--list", "xyzzy", status=2), "no report speaks of 'xyzzy'; see tpq report --list all$")
        self.one_line(self.tpq("report", "--list", "ci", status=2), "no report speaks of 'ci'; see tpq help ci$")

    def test_lists_help_and_errors_search_alike(self):
        listed = re.findall(r"(?m)^    (\w+)", self.tpq("report", "--list", "small", "kernels").out)
        self.assertIn("short_kernels_summary", listed[:3])
        self.assertEqual(self.tpq("help", "pin_memory").out, self.tpq("describe", "pin_memory").out)
        self.make_trace("t.json")
        self.one_line(self.tpq("report", "t.json", "nccl", status=2), "reports about it: coll_analysis, ")

    def test_programs_and_assistants(self):
        rows = json.loads(self.tpq("describe", "--json", "ttft").out)["objects"]
        self.assertEqual((rows[0]["name"], rows[0]["kind"]), ("serving_latency", "report"))
        self.assertIn("links is not recorded", json.loads(self.tpq("describe", "--json", "nvlink").out)["meta"]["note"])
        for call in (["--find", "disk"], ["disk"]):
            rows = json.loads(self.tpq("describe", "--envelope", *call).out)["rows"]
            self.assertEqual(rows[0][1], "not recorded")
            self.assertIn("advice data-loading", [row[0] for row in rows])

    def test_names_of_rows_exist(self):
        """Each name that a row stands for is one of tpq, or a word that something says."""
        known = set(self.tpq("help", "names", "described").out.split())
        self.make_trace("t.json")
        self.tpq("ingest", "-q", "t.json")
        known |= {rule for rule, in self.rows("SELECT rule FROM advice_rule")}
        for words, means in self.rows("SELECT words, means FROM search_word"):
            for name in means.split():
                self.assertTrue(name in known or name.isalnum(), f"{words}: {name}")


if __name__ == "__main__":
    main()
