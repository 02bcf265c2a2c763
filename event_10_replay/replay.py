#!/usr/bin/env python3
"""Makes recorded calls of ops again, and measures them.

    replay.py [event_replay_ir.json] [--device cuda|cpu] [--op-filter TEXT] [--op-limit N]
              [--stop-on-error] [--warmup 50] [--iters 100] [--events] [--csv out.csv] [-v]

Needs PyTorch and nothing else, and imports nothing that lies beside it; python3 -I, as tpq calls
it, leaves out PYTHONPATH too. Each element of the file names an op and its arguments; tensors get
the recorded shape, strides and type, with random contents where they are floating point and zeros
otherwise. The exit status is 1 when an op failed, 2 for wrong usage, 3 without PyTorch, and 4
without a GPU where --require-device asks for one.
"""

import os
import sys

# Python has both of these since its start. Of what lies beside this file, or where it is called,
# nothing is a module.
HERE = (os.path.dirname(os.path.realpath(__file__)), os.path.realpath("."))


def is_elsewhere(place):
    return os.path.isabs(place) and os.path.realpath(place) not in HERE


sys.path[:] = filter(is_elsewhere, sys.path)

import argparse
import csv
import json
import re
import site
import time

DTYPES = {
    "double": "float64", "float": "float32", "c10::Half": "float16", "c10::BFloat16": "bfloat16",
    "long": "int64", "long int": "int64", "int": "int32", "short": "int16", "short int": "int16",
    "unsigned char": "uint8", "signed char": "int8", "bool": "bool",
    "c10::Float8_e4m3fn": "float8_e4m3fn", "c10::Float8_e5m2": "float8_e5m2",
    "c10::Float8_e4m3fnuz": "float8_e4m3fnuz", "c10::Float8_e5m2fnuz": "float8_e5m2fnuz",
}


class Unusable(Exception):
    """A call that cannot be made; the words say why."""


def read_arguments():
    parser = argparse.ArgumentParser(description="Makes recorded calls of ops again.")
    parser.add_argument("file", nargs="?", default="event_replay_ir.json")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--require-device", action="store_true",
                        help="do not run on the CPU in place of a GPU that is not there")
    parser.add_argument("--op-filter", metavar="TEXT", help="only ops whose name has this in it")
    parser.add_argument("--op-limit", metavar="N", type=int, help="at most so many ops")
    parser.add_argument("--stop-on-error", action="store_true")
    parser.add_argument("--warmup", metavar="N", type=int, default=50)
    parser.add_argument("--iters", metavar="N", type=int, default=100)
    parser.add_argument("--events", action="store_true",
                        help="measure by events of the device, as is usual on a GPU")
    parser.add_argument("--csv", metavar="FILE", help="write the times to a file")
    parser.add_argument("-v", "--verbose", action="store_true")
    return parser.parse_args()


def find_op(torch, name):
    if not re.fullmatch(r"\w+::\w+", name):
        raise Unusable(f"{name} is no name of an operator")
    space, op = name.split("::")
    try:
        return getattr(getattr(torch.ops, space), op)
    except (AttributeError, RuntimeError):
        raise Unusable(f"{name} is not there") from None


def dtype_of(torch, name):
    dtype = getattr(torch, DTYPES.get(name, ""), None)
    if dtype is None:
        raise Unusable(f"the type {name} is not there")
    return dtype


def make_tensor(torch, value, device):
    dtype = dtype_of(torch, value["dtype"])
    shape, strides = value["shape"], value.get("strides") or []
    if len(strides) != len(shape):
        strides = torch.empty(shape, device="meta").stride()
    tensor = torch.empty_strided(shape, strides, dtype=dtype, device=device)
    if value.get("init") is None:
        return tensor
    if not dtype.is_floating_point:
        return tensor.zero_()  # also what looks like an index is in range then
    if "float8" in str(dtype):
        return tensor.copy_(torch.randn(shape, device=device).to(dtype))
    return tensor.normal_()


def make_value(torch, argument, device):
    value = argument["value"]
    if isinstance(value, dict):
        return make_tensor(torch, value, device)
    if argument["arg_type"].rstrip("?") in ("float", "Scalar") and isinstance(value, str):
        return float(value)
    return value


# An element without arguments: those that PyTorch itself declares are tried.

def fits(kind, recorded, value):
    """The value of a recorded argument for a declared type; LookupError when it is none."""
    optional = kind.startswith("Optional[") or kind.endswith("?")
    kind = kind.replace("Optional[", "").rstrip("?]") if optional else kind
    if optional and not recorded:
        return None
    if optional and recorded == "ScalarList" and value == "[]":
        return []
    if kind == "Tensor" and recorded in DTYPES:
        return DTYPES  # a mark: the tensor is made from its shape
    if kind == "bool" and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if kind in ("int", "SymInt") and recorded == "Scalar" and re.fullmatch(r"-?\d+", value):
        return int(value)
    if kind in ("float", "number", "Scalar") and recorded == "Scalar":
        try:
            return float(value)
        except ValueError:
            raise LookupError from None
    if kind.startswith(("List[int", "List[SymInt", "List[bool")) and recorded == "ScalarList":
        return json.loads(value.lower())
    raise LookupError


def resolve(op, raw):
    """Arguments in the form of the file."""
    types, values = raw.get("Input type") or [], raw.get("Concrete Inputs") or []
    dims, strides = raw.get("Input Dims") or [], raw.get("Input Strides") or []
    for overload in op.overloads():
        declared = getattr(op, overload)._schema.arguments
        if len(declared) != len(types):
            continue
        positional, keywords = [], []
        try:
            for i, argument in enumerate(declared):
                value = fits(str(argument.type), types[i], values[i] if i < len(values) else "")
                if value is DTYPES:
                    value = {"shape": dims[i], "dtype": types[i], "init": "normal",
                             "strides": strides[i] if i < len(strides) else []}
                entry = {"arg_name": argument.name, "arg_type": "", "value": value}
                (keywords if argument.kwarg_only else positional).append(entry)
        except (LookupError, ValueError):
            continue
        return {"list_pos_args": positional, "list_kwargs": keywords}
    raise Unusable("no declaration of the op fits what was recorded")


def measure_on_host(call, iters, synchronize):
    start = time.perf_counter()
    for _ in range(iters):
        call()
    synchronize()
    return (time.perf_counter() - start) * 1e6 / iters


def measure_on_device(torch, call, iters):
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for _ in range(iters):
        call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1000 / iters


def replay(torch, element, options, device):
    """The mean time of a call in microseconds."""
    op = find_op(torch, element["op_name"])
    made = element.get("replay_ir") or resolve(op, element.get("raw") or {})
    positional = [make_value(torch, argument, device) for argument in made["list_pos_args"]]
    keywords = {argument["arg_name"]: make_value(torch, argument, device)
                for argument in made["list_kwargs"]}
    synchronize = torch.cuda.synchronize if device == "cuda" else lambda: None

    def call():
        return op(*positional, **keywords)

    synchronize()
    with torch.no_grad():
        call()
        for _ in range(options.warmup):
            call()
        synchronize()
        if device == "cuda" or options.events:
            return measure_on_device(torch, call, options.iters)
        return measure_on_host(call, options.iters, synchronize)


def import_pytorch():
    """Also from where pip install --user puts it, which python3 -I leaves out."""
    place = site.getusersitepackages()
    if is_elsewhere(place) and place not in sys.path:
        site.addsitedir(place)
    import torch
    return torch


def choose_device(torch, options):
    if options.device == "cpu":
        return "cpu"
    if torch.cuda.is_available():
        return "cuda"
    if options.require_device:
        print("replay.py: no GPU is there", file=sys.stderr)
        sys.exit(4)
    print("replay.py: warning: no GPU is there, the CPU is used", file=sys.stderr)
    return "cpu"


def main():
    options = read_arguments()
    if options.iters < 1 or options.warmup < 0:
        sys.exit("replay.py: --iters must be 1 or more, --warmup 0 or more")
    try:
        torch = import_pytorch()
    except ImportError:
        print("replay.py: PyTorch is not installed", file=sys.stderr)
        sys.exit(3)
    device = choose_device(torch, options)
    options.events = options.events and device == "cuda"
    with open(options.file, encoding="utf-8") as file:
        elements = json.load(file)
    chosen = [(row, element) for row, element in enumerate(elements)
              if not options.op_filter or options.op_filter in element["op_name"]]
    if options.op_limit is not None:
        chosen = chosen[:max(options.op_limit, 0)]
    attempted = failed = 0
    table = open(options.csv, "w", encoding="utf-8", newline="") if options.csv else None
    if table:
        csv.writer(table).writerow(["group", "row", "source", "time_us", "error"])
    for number, (row, element) in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] Replaying: {element['op_name']}", flush=True)
        attempted += 1
        took, problem = None, ""
        try:
            took = replay(torch, element, options, device)
        except Exception as error:  # whatever an op does, the next one has its turn
            problem = f"{type(error).__name__}: {error}".splitlines()[0]
            print(f"    failed: {problem}")
            if options.verbose:
                import traceback
                traceback.print_exc()
        else:
            print(f"    Average time taken: {took:.2f} microseconds")
            if element.get("count"):
                print(f"    Count in workload: {element['count']}")
                print(f"    Est time in workload: {took * element['count']:.2f} microseconds")
        if table:  # at once: the next op may end the program
            csv.writer(table).writerow([element.get("group", ""), element.get("row", row), "replay",
                                        "" if took is None else took, problem])
            table.flush()
        failed += problem != ""
        if problem and options.stop_on_error:
            break
    print(f"total {len(chosen)}, attempted {attempted}, successful {attempted - failed}, "
          f"failed {failed}")
    if table:
        table.close()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
