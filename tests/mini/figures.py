"""What the recomputations share: statistics of a list, and unions of intervals. Short and slow on purpose."""
import math


def mean(values):
    return math.fsum(values) / len(values) if values else None


def median(values):
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) / 2


def deviation(values, sample=True):
    """Standard deviation: of a sample (n - 1, none of a single value), or of a population."""
    count = len(values) - 1 if sample else len(values)
    if count == 0:
        return None
    return math.sqrt(math.fsum((value - mean(values)) ** 2 for value in values) / count)


def percentile(values, percent):
    """With linear interpolation between the two values around it."""
    ordered, place = sorted(values), (len(values) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(values) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def union(intervals):
    """Intervals that touch or overlap made one."""
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def minus(left, right):
    """What of the union `left` lies outside the union `right`."""
    for start, end in right:
        left = [piece for low, high in left
                for piece in ((low, min(high, start)), (max(low, end), high)) if piece[0] < piece[1]]
    return left


def length(intervals):
    return sum(end - start for start, end in intervals)


def shares(rows, key):
    """The columns of percentages: each row's share, and that of it and the rows above."""
    total, so_far = sum(row[key] for row in rows), 0
    for row in rows:
        so_far += row[key]
        row["Percentage (%)"] = row[key] * 100 / total
        row["Cumulative Percentage (%)"] = so_far * 100 / total
    return rows


def in_one_unit(rows):
    """Rows without the sums in µs of which they have the same in ms, or could have."""
    return [{name: value for name, value in row.items() if not name.endswith("_kernel_time_sum")} for row in rows]


def grouped(rows, key):
    """key -> the rows that have it, in the order in which keys first appear."""
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups
