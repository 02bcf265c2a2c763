"""Makes JSON as rocprofv3 writes it, for tests: processes with agents, symbols, records.

    process = Process(pid=40)
    process.call("hipLaunchKernel", 1000, 1020, 7)
    process.kernel("gemm", 1100, 1600, 7)
    bytes = document(process)
"""
import json
import random

KINDS = {
    "HIP_RUNTIME_API": ["hipLaunchKernel", "hipMemcpy", "hipStreamSynchronize", "hipMalloc"],
    "HIP_COMPILER_API": ["__hipPushCallConfiguration"],
    "HSA_CORE_API": ["hsa_init", "hsa_queue_create"],
    "MARKER_CORE_API": ["roctxMarkA", "roctxThreadRangeA"],
    "MEMORY_COPY": ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE",
                    "MEMORY_COPY_DEVICE_TO_HOST", "MEMORY_COPY_DEVICE_TO_DEVICE"],
    "KERNEL_DISPATCH": ["KERNEL_DISPATCH_NONE", "KERNEL_DISPATCH_ENQUEUE", "KERNEL_DISPATCH_COMPLETE"],
    "SCRATCH_MEMORY": ["SCRATCH_MEMORY_NONE", "SCRATCH_MEMORY_ALLOC", "SCRATCH_MEMORY_FREE"],
    "RCCL_API": ["ncclAllGather", "ncclAllReduce"],
    "MEMORY_ALLOCATION": ["MEMORY_ALLOCATION_NONE", "MEMORY_ALLOCATION_ALLOCATE", "MEMORY_ALLOCATION_VMEM_ALLOCATE",
                          "MEMORY_ALLOCATION_FREE"],
}
LISTS = {"HIP_RUNTIME_API": "hip_api", "HIP_COMPILER_API": "hip_api", "HSA_CORE_API": "hsa_api", "RCCL_API": "rccl_api"}
CPU, GPU = 100, 200  # handles of agents; the second GPU is 201


class Process:
    def __init__(self, pid=40, gpus=1):
        agent = lambda handle, kind, number, name: {
            "id": {"handle": handle}, "type": kind, "name": name, "product_name": name.upper(), "cu_count": 8,
            "logical_node_type_id": number, "mem_banks": [{"size_in_bytes": 1 << 30}] * 2}
        self.entry = {
            "metadata": {"pid": pid, "init_time": 500, "fini_time": 10500, "command": ["/opt/bin/train", "--token=must-not-be-stored"],
                         "node": {"hostname": "h", "machine_id": "must-not-be-stored"}, "config": {"tmp_directory": "must-not-be-stored"}},
            "agents": [agent(CPU, 1, 0, "cpu")] + [agent(GPU + i, 2, i, "gfx950") for i in range(gpus)],
            "counters": [],
            "strings": {"callback_records": [], "buffer_records": [{"kind": kind, "operations": words} for kind, words in KINDS.items()],
                        "marker_api": [], "correlation_id": {"external": []}},
            "code_objects": [{"size": 1}],
            "kernel_symbols": [{"kernel_id": 0, "kernel_name": "", "formatted_kernel_name": "0", "truncated_kernel_name": "0"}],
            "callback_records": {"counter_collection": []},
            "buffer_records": {name: [] for name in ("kernel_dispatch", "hip_api", "hsa_api", "marker_api", "rccl_api", "memory_copy",
                                                     "memory_allocation", "scratch_memory", "pc_sample_host_trap")},
        }
        self.symbols = {}

    def record(self, where, kind, operation, start, end, correlation=0, thread=1, **more):
        record = {"size": 1, "kind": list(KINDS).index(kind), "operation": KINDS[kind].index(operation), "thread_id": thread,
                  "correlation_id": {"internal": correlation, "external": 0}, "start_timestamp": start, "end_timestamp": end, **more}
        self.entry["buffer_records"][where].append(record)
        return record

    def call(self, name, start, end, correlation=0, **more):
        kind = next(kind for kind, words in KINDS.items() if name in words)
        return self.record(LISTS[kind], kind, name, start, end, correlation, **more)

    def symbol(self, name, **more):
        if name not in self.symbols:
            self.symbols[name] = 7 * len(self.symbols) + 3  # no places in the list
            self.entry["kernel_symbols"].append({
                "kernel_id": self.symbols[name], "kernel_name": name + ".kd", "formatted_kernel_name": name + "(int)",
                "demangled_kernel_name": name + "(int)", "truncated_kernel_name": name, "sgpr_count": 32, "arch_vgpr_count": 24,
                "accum_vgpr_count": 8, **more})
        return self.symbols[name]

    def kernel(self, name, start, end, correlation=0, dispatch=1, agent=GPU, stream=2, grid=(512, 2, 1), block=(256, 1, 1), **more):
        axes = lambda values: dict(zip("xyz", values))
        return self.record("kernel_dispatch", "KERNEL_DISPATCH", "KERNEL_DISPATCH_COMPLETE", start, end, correlation,
                           dispatch_info={"size": 72, "agent_id": {"handle": agent}, "queue_id": {"handle": 1},
                                          "kernel_id": name if isinstance(name, int) else self.symbol(name), "dispatch_id": dispatch,
                                          "private_segment_size": 0, "group_segment_size": 1024,
                                          "workgroup_size": axes(block), "grid_size": axes(grid)},
                           stream_id={"handle": stream}, **more)

    def copy(self, operation, start, end, correlation=0, size=4096, source=CPU, target=GPU, stream=2):
        return self.record("memory_copy", "MEMORY_COPY", "MEMORY_COPY_" + operation, start, end, correlation, bytes=size,
                           src_agent_id={"handle": source}, dst_agent_id={"handle": target}, stream_id={"handle": stream})

    def mark(self, text, start, end, correlation, **more):
        operation = "roctxMarkA" if start == end else "roctxThreadRangeA"
        self.record("marker_api", "MARKER_CORE_API", operation, start, end, correlation, **more)
        self.entry["strings"]["marker_api"].append({"key": correlation, "value": text})

    def count(self, dispatch, **values):
        """What counters said of a dispatch: name=value, or a list of those of several parts."""
        records = []
        for name, said in values.items():
            known = [counter for counter in self.entry["counters"] if counter["name"] == name]
            if not known:
                known = [{"id": {"handle": 1000 + len(self.entry["counters"])}, "name": name, "is_derived": 0}]
                self.entry["counters"] += known
            records += [{"counter_id": known[0]["id"], "value": value} for value in (said if isinstance(said, list) else [said])]
        kernel = self.entry["buffer_records"]["kernel_dispatch"][dispatch]
        self.entry["callback_records"]["counter_collection"].append({
            "thread_id": 1, "records": records, "lds_block_size_v": 0, "arch_vgpr_count": 24, "sgpr_count": 32, "dispatch_data": {
                "size": 8, **{key: kernel[key] for key in ("correlation_id", "start_timestamp", "end_timestamp", "dispatch_info")}}})

    def memory(self, operation, at, address, size=0, agent=GPU):
        self.record("memory_allocation", "MEMORY_ALLOCATION", "MEMORY_ALLOCATION_" + operation, at, at + 5, agent_id={"handle": agent},
                    address={"handle": address}, allocation_size=size)


def shuffled(value, dice):
    """The same with members, records, agents and symbols in another order; lists that are numbered stay."""
    if isinstance(value, dict):
        members = [(key, item if key in ("buffer_records", "callback_records") and isinstance(item, list) else shuffled(item, dice))
                   for key, item in value.items()]
        dice.shuffle(members)
        return dict(members)
    if isinstance(value, list) and value and isinstance(value[0], dict) and "operations" not in value[0]:
        items = [shuffled(item, dice) for item in value]
        if "id" not in value[0] and "metadata" not in value[0]:
            dice.shuffle(items)
        return items
    return value


def document(*processes, seed=None):
    whole = {"rocprofiler-sdk-tool": [process.entry for process in processes]}
    if seed is not None:
        whole = shuffled(whole, random.Random(seed))
    return json.dumps(whole).encode()
