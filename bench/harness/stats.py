"""Medians with their spread. Pure."""

import random
import statistics

SAME = 0.05  # a smaller difference is noise
RESAMPLES = 2000


def summary(values):
    """Median, extremes and median absolute deviation."""
    middle = statistics.median(values)
    return {"median": middle, "min": min(values), "max": max(values),
            "mad": statistics.median(abs(value - middle) for value in values)}


def bootstrap(values, share=0.95, seed=1):
    """The interval in which the median of resampled values lies with probability `share`."""
    generator = random.Random(seed)
    medians = sorted(statistics.median(generator.choices(values, k=len(values))) for _ in range(RESAMPLES))
    tail = (1 - share) / 2
    return medians[int(tail * RESAMPLES)], medians[min(RESAMPLES - 1, int((1 - tail) * RESAMPLES))]


def ratio(mine, other):
    """Summary of the paired ratios mine/other: both of a pair come from the same round, so slow drift of the
    machine cancels out."""
    ratios = [a / b for a, b in zip(mine, other) if a is not None and b]
    if not ratios:
        return None
    low, high = bootstrap(ratios)
    return {**summary(ratios), "low": low, "high": high}


def compare(found):
    """What a ratio says: `less`, `more`, or `same` within 5 % or within its own interval."""
    if abs(found["median"] - 1) < SAME or found["low"] <= 1 <= found["high"]:
        return "same"
    return "less" if found["median"] < 1 else "more"


def judge(found, goal):
    """`met` or `missed` with 5 % slack when the whole interval says so, else `open`."""
    limit = goal * (1 + SAME)
    if found["high"] <= limit:
        return "met"
    return "missed" if found["low"] > limit else "open"
