"""Arithmetic on arrays, in float32 and half precision, on CPU and GPU: sparse products, hops, moments, eigenvectors.

The names below need no torch: arrays that may be larger than memory, read in blocks, and numbers that float32 cannot hold.

row_blocks, dense_blocks, value_blocks, blocks_of_entries, release, is_mapped     blocks of rows, and memory maps
neighbour_sums                                                                    weighted degrees, block by block
parse_bytes, in_words                                                             "2GiB" as a number, and back
check_mapped                                                                      an adjacency in memory maps, checked
are_finite, in_single, check_finite, naming_overflow, *_error, REMEDIES           numbers beyond float32, named
"""

from sparsecut.kernels.magnitude import (
    REMEDIES,
    are_finite,
    check_finite,
    feature_error,
    in_single,
    naming_overflow,
    weight_error,
)
from sparsecut.kernels.mapped import check_mapped
from sparsecut.kernels.streaming import (
    blocks_of_entries,
    dense_blocks,
    in_words,
    is_mapped,
    neighbour_sums,
    parse_bytes,
    release,
    row_blocks,
    value_blocks,
)

__all__ = [
    "REMEDIES",
    "are_finite",
    "blocks_of_entries",
    "check_finite",
    "check_mapped",
    "dense_blocks",
    "feature_error",
    "in_single",
    "in_words",
    "is_mapped",
    "naming_overflow",
    "neighbour_sums",
    "parse_bytes",
    "release",
    "row_blocks",
    "value_blocks",
    "weight_error",
]
