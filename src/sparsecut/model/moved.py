"""Settings that once stood in one flat list, and the words that have changed: where each of them is now."""

from __future__ import annotations

# Where the settings of one flat list have gone.
MOVED = {
    "order": "filter=Power(order=…)",
    "strength": "filter=PageRank(restart=…) or filter=Heat(time=…)",
    "effective_rank": "solver=ClosedForm(effective_rank=…)",
    "length": "solver=ClosedForm(length=…)",
    "n_negatives": "negatives=Sampled(n_negatives=…)",
    **{
        name: f"solver=Adam({name}=…)"
        for name in ("epochs", "learning_rate", "loss", "alpha", "l2", "depth", "widths", "batch_size", "route")
    },
    "depths": "solver=Adam(depth=[…])",
    "device": "engine=Memory(device=…)",
    "precision": "engine=Memory(precision=…)",
    "memory_limit": "engine=Disk(memory_limit=…)",
    "scratch": "engine=Disk(scratch=…)",
}
MOVED_WORDS = {
    ("solver", "spectral"): "solver='closed_form'",
    ("solver", "auto"): "solver='closed_form'",
    ("filter", "row"): "filter='power'",
    **{
        ("filter", f"{word.lower()}-symmetric"): f"filter={word}(normalization='symmetric')"
        for word in ("Average", "PageRank", "Heat")
    },
}
