"""Why reports are empty and what they leave out: each row of those lists holds where it should, and nowhere else."""

import glob
import json
import os
import sqlite3

from support import Case, main, slice_event, trace_of

FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures")
# Of each row the inputs for which it holds: o has one op, r and kernels alone what others lack, t is of two ranks, n
# an export of Nsight Systems, j of JAX, d of tt-metal, p of rocpd. Capitals: with the options below. Nothing, and what is left out
# by choice, is in none of them.
EXPECTED = {
    "no_findings_of_health": "ojdp", "not_included_sound_checks": "", "not_included_cut_steps": "", "no_format": "", "no_peaks": "ornjd",
    "no_events": "", "no_thread_states": "ortnjdp", "not_included_cpu_time": "oOrRtTnNjJdDpP", "no_work": "o", "no_kernels": "od", "no_ops": "rd", "no_launches": "od", "no_launch_shapes": "orjd", "no_attention": "ortnjdp",
    "no_unlinked": "oj", "no_launchers": "od", "no_shapes": "ord", "no_models": "orjd",
    "no_collectives": "ond", "no_p2p": "ortnjdp", "no_pipeline_slots": "ortnjdp", "no_sequences": "otnjdp", "no_waiting": "ornjd", "no_exchanges": "otnjdp", "no_expert_exchanges": "ortnjdp", "not_included_in_exchanges": "r", "no_arrivals": "ornjdp", "no_stepped_arrivals": "ornjdp", "no_splits": "otnjdp", "no_pairs": "", "no_pace": "ornjdp", "no_range_pace": "ornjdp", "no_engine_steps": "otnjdp", "no_decode_fit": "ortnjdp", "no_requests": "ortnjdp", "no_step_intervals": "ortnjdp", "not_included_latency": "", "no_clocked_requests": "ortnjdp", "not_included_requests": "",
    "no_graph_nodes": "ortnjdp", "not_included_annotations": "",
    "no_frames": "ornd", "no_memory": "ord", "no_counters": "otnjdp", "no_snapshot": "ortnjdp", "no_ooms": "ortnjdp", "no_leaks": "ortnjdp", "no_trace_of_snapshot": "ortnjdp", "no_time_in_common": "ortnjdp", "no_modules_in_trace": "ortnjdp", "not_included_outside_traces": "", "no_ranks": "onjd",
    "no_short_kernels": "od", "no_gaps": "od", "no_unmarked_recompute": "ortnjdp", "no_recompute": "ortnjdp", "no_xla_kernels": "ortndp",
    "no_xla_collectives": "ortndp", "no_programs": "ortndp", "no_gemms": "ortnjdp", "no_tt_ops": "ortnjp",
    "no_advice": "d", "no_runtime_calls": "od", "no_differences": "ornjd", "no_ranges": "od",
    "no_nested_ranges": "od", "no_free_ranges": "ortnjdp", "no_projections": "orjd",
    "no_library_calls": "ortjdp", "no_system_calls": "otnjdp", "no_mpi_calls": "otnjdp", "no_messages": "otnjdp", "no_openacc_events": "otnjdp", "no_openmp_events": "otnjdp",
    "no_unified_memory": "otjdp", "no_host_faults": "ortjdp", "no_long_gaps": "otnjdp", "no_low_use": "od",
    "no_waited_copies": "otnjdp", "no_pageable_copies": "otnjdp", "no_waited_sets": "otnjdp",
    "no_waiting_calls": "otnjdp", "no_copies": "ojd", "no_communication": "ond", "no_steps": "orndp",
    "no_calls": "od", "no_hip_calls": "ortnd", "no_hsa_calls": "ortnjdp", "no_rccl_calls": "ortnjd",
    "no_rocdecode_calls": "ortnjdp", "no_rocjpeg_calls": "ortnjdp", "no_directed_copies": "ojd",
    "no_allocations": "ortnjd", "no_scratch_memory": "ortnjdp", "no_summaries": "od",
    "no_timed_names": "od", "not_included_in_ops": "rRtTnNjJdDpP", "not_included_in_timelines": "RTNDP",
    "not_included_without_launch": "rRtTnNdDpP", "not_included_besides_kernels": "rRtTnNpP", "not_included_without_ops": "rRpP",
    "not_included_in_collectives": "rRJP", "not_included_without_model": "rRtTnNjJpP", "not_included_beyond_topk_ops": "T",
    "not_included_beyond_topk_roofline": "T", "not_included_in_short_kernels": "TNJP", "not_included_outside_steps": "rRtTnNjJdDpP", "not_included_outside_serving": "rR",
    "not_included_in_waiting": "r", "not_included_in_arrivals": "rp", "not_included_short_without_op": "rRtTjJpP", "not_included_in_breakdown": "rRtTNdDpP",
    "not_included_in_sequences": "tTjp", "not_included_by_filters": "", "not_included_in_tt_ops": "", "not_included_memcpy": "rRtTnNpP", "not_included_without_limits": "n", "not_included_without_limits_of_sheet": "n",
    "no_device_gaps": "otnjdp", "no_compiled_regions": "ortnjdp", "no_pair": "ornjd", "no_shape_times": "orjd", "no_other_run": "ortnjdp", "no_slower": "ortnjdp", "not_included_figures": "", "no_firing_rules": "ondp", "not_included_unmeasured_rules": "oOrRtTnNjJpP", "not_included_handovers": "", "not_included_in_what_if": "",
}
# Reports that only traces of one format fill, and what they say of others.
OF_A_FORMAT = {"tt_ops": "op tables of tt-metal", "tt_stacked": "op tables of tt-metal", "jax_gpu_timeline": "profiles of XLA",
               "jax_analysis_gemms": "profiles of XLA"}
OPTIONS = {"compat": "1", "topk_ops": "1", "topk_roofline_ops": "1", "topk_short_kernels": "1"}
INPUTS = {"o": ["op.json"], "r": ["rich.json", "kernels.json"], "t": [f"{FIXTURES}/train/rank_0.json.gz", f"{FIXTURES}/train/rank_1.json.gz"],
          "n": sorted(glob.glob(f"{FIXTURES}/nsys/*")), "j": sorted(glob.glob(f"{FIXTURES}/jax/*")),
          "d": sorted(glob.glob(f"{FIXTURES}/tt/*.csv")), "p": sorted(glob.glob(f"{FIXTURES}/rocpd/*.db"))}


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
        """Those of the rows whose SELECT has what they are about; reasons are about none."""
        sql = "".join(f"SELECT tpq_set('{name}', '{value}');" for name, value in options)
        for name, (is_reason, query) in names.items():
            sql += (f"SELECT '{name}' AS name, NOT EXISTS ({query}) AS has;" if is_reason else
                    f"SELECT '{name}' AS name, EXISTS (SELECT 1 FROM ({query}) WHERE count > 0) AS has;")
        out = self.tpq("sql", "--db", database, "-m", "jsonl", sql).out
        rows = map(json.loads, out.splitlines())
        return [row["name"] for row in rows if row.get("has")]

    def test_a_report_about_another_format(self):
        self.write("op.json", trace_of(slice_event("aten::mm", 0, 5)))
        out = self.tpq("report", "op.json", *OF_A_FORMAT).out
        for words in OF_A_FORMAT.values():
            self.assertEqual(out.count(f"No rows: this is about {words}, and what is selected is of the format kineto"), 2)

    def test_rows_of_a_file_are_not_run(self):
        self.write("op.json", trace_of(slice_event("aten::mm", 0, 5)))
        self.tpq("ingest", "-q", "--save-views", "--db", "a.db", "op.json")
        said = self.tpq("report", "--db", "a.db", "kernel_summary").out
        self.assertIn("No rows: no GPU activities are selected", said)
        with sqlite3.connect(self.path("a.db")) as file:
            for name in "empty_reason", "not_included":
                sql, = file.execute(f"SELECT sql FROM sqlite_schema WHERE name = '{name}'").fetchone()
                file.execute(f"DROP VIEW {name}")
                file.execute(sql.replace("are selected", "came along").replace("SELECT count", "SELECT c0unt"))
        file.close()
        self.assertEqual(self.tpq("report", "--db", "a.db", "kernel_summary").out, said)

    def rows(self, table, column):
        out = self.tpq("sql", "--db", "o.db", "-m", "jsonl", f"SELECT name, {column} AS query FROM {table}").out
        return {row["name"]: (table == "empty_reason", row["query"]) for row in map(json.loads, out.splitlines())}

    def test_each_row(self):
        self.write("op.json", trace_of(slice_event("aten::mm", 0, 5)))
        self.write("rich.json", rich())
        self.write("kernels.json", trace_of(slice_event("k", 1, 2, "kernel", thread=7, process=0, args={"device": 0, "stream": 7})))
        found = {}
        for letter, files in INPUTS.items():
            self.tpq("ingest", "-q", "--run", "r", "--db", f"{letter}.db", *files)
            if letter == "o":
                reasons, left_out = self.rows("empty_reason", "missing"), self.rows("not_included", "query")
            for name in self.has_rows(f"{letter}.db", {**reasons, **left_out}):
                found[name] = found.get(name, "") + letter
            for name in self.has_rows(f"{letter}.db", left_out, OPTIONS.items()):
                found[name] = found.get(name, "") + letter.upper()
        for name in {**reasons, **left_out}:
            with self.subTest(row=name):
                self.assertEqual(found.get(name, ""), EXPECTED.get(name), name)


if __name__ == "__main__":
    main()
