"""Which ops of a trace that take time have no category or no model: what a report of unified_perf_summary
in JSON tells. That sheet counts each GPU activity once.

Work without an op (cudaLaunchKernel->kernel) needs a category only; a model that has nothing to work on, and
says so, is one.
"""
SHEET = "unified_perf_summary"
LEAST_PCT = 0.5


def gaps(rows, least=LEAST_PCT):
    """[(share in %, name, what is missing or None)] of all that take so much, the largest first."""
    shares = {}
    for row in rows:
        missing = None
        if row["op_category"] in (None, "other"):
            missing = "no category"
        elif "::" in row["name"].split("->")[0] and row["data_moved_mb"] is None and row["model_note"] is None:
            missing = "no model"
        key = row["name"], missing
        shares[key] = shares.get(key, 0.0) + row["kernel_time_sum"]
    whole = sum(shares.values())
    found = [(time * 100 / whole, *key) for key, time in shares.items() if time * 100 >= least * whole > 0]
    return sorted(found, key=lambda gap: (-gap[0], gap[1]))
