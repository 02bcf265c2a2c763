"""Why reports are empty and what they leave out: every such view has rows where it should, and none elsewhere."""

import glob
import json
import os
import re

from support import Case, main, slice_event, trace_of

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
SQL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sql")
# Of each view the inputs of which it has rows: o has one op, r and kernels alone what others lack, t is of two ranks, n
# an export of Nsight Systems, j of JAX, d of tt-metal, p of rocpd. Capitals: with the options below. Nothing, and what is left out
# by choice, is in none of them.
EXPECTED = {
    "lacks_events": "", "lacks_work": "o", "lacks_kernels": "od", "lacks_ops": "rd", "lacks_launches": "od",
    "lacks_unlinked": "oj", "lacks_launchers": "od", "lacks_shapes": "ord", "lacks_models": "orjd",
    "lacks_frames": "ornd", "lacks_memory": "ord", "lacks_counters": "otnjdp", "lacks_ranks": "onjd",
    "lacks_collectives": "ond", "lacks_sequences": "otnjdp", "lacks_waiting": "ornjd", "lacks_exchanges": "otnjdp", "lacks_arrivals": "ornjdp", "lacks_stepped_arrivals": "ornjdp", "lacks_splits": "otnjdp", "lacks_pairs": "", "lacks_pace": "ornjdp", "lacks_range_pace": "ornjdp", "lacks_engine_steps": "otnjdp",
    "lacks_short_kernels": "od", "lacks_gaps": "od", "lacks_recompute": "ortnjdp", "lacks_xla_kernels": "ortndp",
    "lacks_xla_collectives": "ortndp", "lacks_programs": "ortndp", "lacks_gemms": "ortnjdp", "lacks_tt_ops": "ortnjp",
    "lacks_advice": "d", "lacks_runtime_calls": "od", "lacks_differences": "ornjd", "lacks_ranges": "od",
    "lacks_nested_ranges": "od", "lacks_free_ranges": "ortnjdp", "lacks_projections": "orjd",
    "lacks_library_calls": "ortjdp", "lacks_system_calls": "otnjdp", "lacks_mpi_calls": "otnjdp", "lacks_messages": "otnjdp", "lacks_openacc_events": "otnjdp", "lacks_openmp_events": "otnjdp",
    "lacks_unified_memory": "otjdp", "lacks_host_faults": "ortjdp", "lacks_long_gaps": "otnjdp", "lacks_low_use": "od",
    "lacks_waited_copies": "otnjdp", "lacks_pageable_copies": "otnjdp", "lacks_waited_sets": "otnjdp",
    "lacks_waiting_calls": "otnjdp", "lacks_copies": "ojd", "lacks_communication": "ond", "lacks_steps": "orndp",
    "lacks_calls": "od", "lacks_hip_calls": "ortnd", "lacks_hsa_calls": "ortnjdp", "lacks_rccl_calls": "ortnjd",
    "lacks_rocdecode_calls": "ortnjdp", "lacks_rocjpeg_calls": "ortnjdp", "lacks_directed_copies": "ojd",
    "lacks_allocations": "ortnjd", "lacks_scratch_memory": "ortnjdp", "lacks_summaries": "od",
    "lacks_timed_names": "od", "left_out_of_ops": "rRtTnNjJdDpP", "left_out_of_timelines": "RTNDP",
    "left_out_without_launch": "rRtTnNdDpP", "left_out_but_kernels": "rRtTnNpP", "left_out_without_ops": "rRpP",
    "left_out_of_collectives": "rRJP", "left_out_without_model": "rRtTnNjJpP", "left_out_beyond_topk_ops": "T",
    "left_out_beyond_topk_roofline": "T", "left_out_of_short_kernels": "TNJP", "left_out_outside_steps": "rRtTnNjJdDpP",
    "left_out_of_waiting": "rtTp", "left_out_of_arrivals": "rtTp", "left_out_short_without_op": "rRtTjJpP", "left_out_of_breakdown": "rRtTNdDpP",
    "left_out_of_sequences": "tTjp", "left_out_by_filters": "", "left_out_of_tt_ops": "", "left_out_copies": "rRtTnNpP", "left_out_without_limits": "n", "left_out_without_limits_of_sheet": "n",
    "lacks_device_gaps": "otnjdp", "lacks_firing_rules": "ondp", "left_out_unmeasured_rules": "oOrRtTnNjJdDpP", "left_out_of_what_if": "",
}
# Reports that only traces of one format fill, and what they say of others.
OF_A_FORMAT = {"tt_ops": "op tables of tt-metal", "tt_stacked": "op tables of tt-metal", "jax_gpu_timeline": "profiles of XLA",
               "jax_analysis_gemms": "profiles of XLA"}
OPTIONS = {"compat": "1", "topk_ops": "1", "topk_roofline_ops": "1", "topk_short_kernels": "1"}
INPUTS = {"o": ["op.json"], "r": ["rich.json", "kernels.json"], "t": [f"{FIXTURES}/train/rank_0.json.gz", f"{FIXTURES}/train/rank_1.json.gz"],
          "n": sorted(glob.glob(f"{FIXTURES}/nsys/*")), "j": sorted(glob.glob(f"{FIXTURES}/jax/*")),
          "d": sorted(glob.glob(f"{FIXTURES}/tt/*.csv")), "p": sorted(glob.glob(f"{FIXTURES}/rocpd/*.db"))}


def views(kind):
    with open(os.path.join(SQL, "views", f"{kind}.sql"), encoding="utf-8") as file:
        return re.findall(r"(?m)^CREATE VIEW (\w+)", file.read())


def launch(number, call, name, category, start, duration, **more):
    """A call of the runtime, and the work that it launches."""
    return [slice_event(call, start, 5, "cuda_runtime", args={"correlation": number}),
            slice_event(name, start + 10, duration, category, thread=7, process=0,
                        args={"correlation": number, "device": 0, "stream": 7, **more})]


def rich():
    """What other traces lack."""
    words = "execute_1_context_1(sq5sk8sqsq25sqsk40)_generation_0(sq0sk0sqsq0sqsk0)"
    return trace_of(
        slice_event(words, 0, 50, "user_annotation"), slice_event("read", 3, 2, "syscall"),
        slice_event("Enter Data", 8, 1, "openacc"), slice_event("Task", 9, 1, "openmp"),
        slice_event("MPI_Send", 6, 2, "mpi", args={"source": "p2p", "size": 8}),
        {"ph": "C", "name": "power", "pid": 0, "tid": 0, "ts": 4, "args": {"watt": 300}},
        slice_event("cudaDeviceSynchronize", 2000000, 9, "cuda_runtime", args={"correlation": 99}),
        *launch(1, "cudaMemcpy", "Memcpy HtoD (Pageable -> Device)", "gpu_memcpy", 100, 5, bytes=640000),
        *launch(4, "cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", 150, 5, bytes=64),
        slice_event("Memcpy Unified HtoD (Managed -> Device)", 180, 5, "gpu_memcpy", thread=7, process=0,
                    args={"device": 0, "stream": 7, "bytes": 64, "address": 4096}),
        *launch(2, "cudaMemset", "Memset (Managed)", "gpu_memset", 200, 5, bytes=64),
        *launch(3, "cudaLaunchKernel", "ncclDevKernel_SendRecv", "kernel", 1900000, 20,
                **{"Collective name": "all_to_allv", "dtype": "Float", "Group size": 2, "In msg nelems": 8,
                   "Out msg nelems": 16, "In split size": "[4, 4]", "Out split size": "[8, 8]", "Process Group Name": "0",
                   "Seq": 3}))


class Reasons(Case):
    def has_rows(self, database, names, options=()):
        sql = "".join(f"SELECT tpq_set('{name}', '{value}');" for name, value in options)
        sql += "".join(f"SELECT '{name}' AS name, EXISTS (SELECT 1 FROM {name}) AS has;" for name in names)
        out = self.tpq("sql", "--db", database, "-m", "jsonl", sql).out
        rows = map(json.loads, out.splitlines())
        return [row["name"] for row in rows if row.get("has")]

    def test_a_report_about_another_format(self):
        self.write("op.json", trace_of(slice_event("aten::mm", 0, 5)))
        out = self.tpq("report", "op.json", *OF_A_FORMAT).out
        for words in OF_A_FORMAT.values():
            self.assertEqual(out.count(f"No rows: this is about {words}, and what is selected is of the format kineto"), 2)

    def test_each_view(self):
        self.write("op.json", trace_of(slice_event("aten::mm", 0, 5)))
        self.write("rich.json", rich())
        self.write("kernels.json", trace_of(slice_event("k", 1, 2, "kernel", thread=7, process=0, args={"device": 0, "stream": 7})))
        lacks, left_out, found = views("lacks"), views("left_out"), {}
        for letter, files in INPUTS.items():
            self.tpq("ingest", "-q", "--run", "r", "--db", f"{letter}.db", *files)
            for name in self.has_rows(f"{letter}.db", [*lacks, *left_out]):
                found[name] = found.get(name, "") + letter
            for name in self.has_rows(f"{letter}.db", left_out, OPTIONS.items()):
                found[name] = found.get(name, "") + letter.upper()
        for name in [*lacks, *left_out]:
            with self.subTest(view=name):
                self.assertEqual(found.get(name, ""), EXPECTED.get(name), name)


if __name__ == "__main__":
    main()
