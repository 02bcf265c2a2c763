#!/usr/bin/env python3
"""What a veteran asks of a slow job: each question has a call that answers it, on traces that record it.

Runs on the reference traces that lie beside the checkout (../shared/conformance, or the folder in
$TPQ_CONFORMANCE) and is skipped where they are not. Two questions no sample records: their trace
is made here. Prints the first line of each answer.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("TPQ_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))
TPQ = os.environ.get("TPQ", os.path.join(HERE, "../../build/tpq"))
SKIPPED = 77
QWEN, OWL, NCCL = (f"pytorch/{name}/trace.json.gz" for name in ("qwen_h100", "owlv2_h100", "train_nccl_a100"))
RESNET, VLLM = "pytorch/resnet_recompute_mi300/trace.json.gz", "inference/vllm_prefilldecode_piecewise/graph_execution.json.gz"
CLOVER, TRAIN = "nsys/cloverleaf_a100_v313.sqlite", "nsys/train_2xh100_v325.sqlite"
BEFORE, XDIT = "expert/inputs/nsysai_mfu_before.sqlite", "inference/xdit_sd_3.5/profile_trace_rank_0.json.gz"

# question, verb and report, traces, what the answer says
QUESTIONS = [
    ("Which device is it?", "report run_setup", [QWEN], r"devices\s+1 × NVIDIA H100 80GB HBM3"),
    ("How many devices, which parallelism?", "report run_setup", ["multirank"], r"devices\s+2 × (?s:.*)world size\s+128 (?s:.*)parallelism\s+not recorded: mesh"),
    ("Which framework?", "report run_setup", [QWEN], r"framework\s+PyTorch, Transformers"),
    ("Which batch size and sequence length?", "report run_setup", [QWEN], r"batch\s+16 (?s:.*)sequence\s+559 "),
    ("How long is the recording, how many iterations?", "report run_setup", [CLOVER], r"length\s+839\.9 ms (?s:.*)steps\s+5 iterations, median 64\.8 ms"),
    ("Warm-up, or steady?", "report run_setup", [RESNET], r"warm-up\s+step 15 takes 1\.1 × t"),
    ("How busy is the GPU?", "report headline", [OWL], r"GPU busy 46\.8 %, idle 53\.2 % of 1,211\.2 ms"),
    ("When is it idle?", "report gpu_gaps", [OWL], r"DataLoader"),
    ("Is the idle time concentrated or spread?", "report overview_figures", [OWL], r"half of 511\.5 ms idle time lies.*3 of 5,164 gaps \(concentrated\)"),
    ("Are several streams busy, or one alone?", "report idle_by_stream", [RESNET], r"(?s)device\s+stream\s+cause.*\n\s+2\s+\d+ "),
    ("Which kernels take most time?", "report kernel_breakdown", [QWEN], r"sm90_xmma_gemm_bf16bf16"),
    ("Does one kernel take more than 30 %?", "report headline", [BEFORE], r"Largest: flash_fwd 272\.3 ms \(50 %\)"),
    ("Are there many short kernels, and what do launches cost?", "report headline", [NCCL], r"Launch-bound: GPU busy 23\.6 %"),
    ("Do tiles fit the device?", "report kernel_waves", [QWEN], r"\[17888,1,1\].* 8\.4697\s+46\.97 "),
    ("Which attention kernels, and their version?", "report attention_kernels", [BEFORE], r"FlashAttention 2 .*flash_fwd .* 50\.\d\d "),
    ("Are copies to the device on the path?", "report headline", [TRAIN], r"Bound by memory copies: (?s:.*)memcpy 97\.0 %(?s:.*)large-copies"),
    ("Does the loader pin its memory?", "report findings", [OWL], r"pageable-copy(?s:.*)Pin the host memory"),
    ("Are there unexpected copies to the host?", "report findings", ["expert/inputs/hta_trace_diff_test.json.gz"], r"host-waits(?s:.*)aten::item, 30 times, 204\.8 ms"),
    ("How does peak memory compare to what the device has?", "report run_setup", [QWEN], r"memory peak\s+2\.4 GiB of 79\.2 GiB \(3\.1 %\)"),
    ("Which share of a step is communication?", "report headline", [RESNET], r"exposed communication 66\.1 %"),
    ("How much of it is overlapped?", "report comm_overlap", [NCCL], r"all\s+46\.876\s+39\.559\s+7\.317\s+15\.61"),
    ("Which collective dominates?", "report comm_collectives", [NCCL], r"\b46\.762\s+99\.76 .* allreduce, group 0 of 2, 5 sizes from 7\.82 MiB to 30\.04 MiB"),
    ("Are the ranks even?", "report ranks_stragglers", ["multirank"], r"\n\s+1\s+0\.00 (?s:.*)27,006\.00\n"),
    ("Which interconnect is it?", "report run_setup", [TRAIN], r"links\s+not recorded: --gpu-metrics-devices=all"),
    ("Is a thread busy above 90 %?", "report thread_use", [CLOVER], r"cuda-cloverleaf.* 97\.25 "),
    ("Does garbage collection stop the GPU?", "report findings", ["collected"], r"garbage-collection(?s:.*)gc\."),
    ("Is the first iteration slower?", "report findings", ["collected"], r"warm-up-steps"),
    ("Does the host synchronize?", "report findings", [CLOVER], r"cudaDeviceSynchronize, 1,312\s+times"),
    ("Is it compiled, and to which effect?", "report compiled_regions", [XDIT], r"\n0/0\s+4\s+627\.644\s+88\.09"),
    ("Is it bound by compute, memory or communication?", "report headline", [QWEN], r"Memory-bound: (?s:.*)50 % of GPU time is in ops bound by memory bandwidth, at 54 % of"),
    ("Which kernel first: fuse it, or replace it?", "report findings", [OWL], r"unfused-attention(?s:.*)Use fused attention"),
    ("Which arithmetic intensity and bandwidth?", "report unified_perf_summary --wide", [OWL], r"FLOPS/Byte(?s:.*)TB/s"),
    ("Can communication overlap better, how large are its messages?", "report comm_collectives", [NCCL], r"\b6\.56 .* 5 sizes from 7\.82 MiB to 30\.04 MiB"),
    ("Is the fix simple, or a change of code?", "report findings", [NCCL], r"Compile \(torch\.compile\), or capture a CUDA"),
    ("Which speed-up can be expected?", "report what_if", [OWL], r"work x0\.5: .*softmax|work x0\.5: void at:"),
    ("Did the fix alone do it?", "compare", [OWL, NCCL], r"Findings gone: data-loading \(491\.2 ms\)"),
    ("Are there new bottlenecks?", "compare", [OWL, NCCL], r"New findings, with their savings: host-bound \(350\.7 ms\)"),
    ("Which MFU before and after?", "compare --by step_mfu --metric mfu_pct", [QWEN, "pytorch/qwen_mi300/trace.json.gz"], r"mfu_pct of step_mfu"),
]


def collected(path):
    """Writes five steps. The first one takes long, and in each the GPU idles under gc.collect."""
    events, at = [], 0
    for step in range(5):
        length = 9000 if step == 0 else 3000
        events += [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": at, "dur": length},
                   {"ph": "X", "cat": "python_function", "name": "<built-in function collect>", "pid": 1, "tid": 1,
                    "ts": at + 1000, "dur": length - 1200, "args": {"Python id": step, "Python parent id": None}}]
        for part in range(8):
            call = {"correlation": 8 * step + part + 1}
            events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 100 * part, "dur": 5, "args": call},
                       {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": at + 100 * part + 10, "dur": 85,
                        "args": {**call, "device": 0, "stream": 7}}]
        at += length
    with open(path, "w") as out:
        json.dump({"traceEvents": events}, out)


def main():
    if not os.path.isdir(os.path.join(FOLDER, "pytorch")):
        print("skipped: no", FOLDER)
        return SKIPPED
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "collected.json")
        collected(made)
        for question, call, traces, says in QUESTIONS:
            verb, *more = call.split()
            paths = [made if name == "collected" else os.path.join(FOLDER, name) for name in traces]
            done = subprocess.run([TPQ, verb, *paths, *more], capture_output=True, text=True, cwd=folder,
                                  env={**os.environ, "COLUMNS": "200", "LC_ALL": "C.UTF-8"}, check=False)
            found = re.search(says, done.stdout)
            wrong += not found
            line = done.stdout[found.start():].strip().split("\n")[0] if found else (done.stderr or done.stdout)[:2000]
            print("yes" if found else "NO", question, f"(tpq {call})", line.strip()[:160], sep="\t")
    print(f"{len(QUESTIONS) - wrong} of {len(QUESTIONS)} questions are answered")
    return wrong > 0


sys.exit(main())
