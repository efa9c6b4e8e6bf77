"""Arithmetic on arrays, in float32 and half precision, on CPU and GPU: sparse products, hops, moments, eigenvectors.

The names below need no torch: arrays that may be larger than memory, read in blocks, and numbers that float32 cannot hold.

row_blocks, dense_blocks, value_blocks, blocks_of_entries, release, is_mapped     blocks of rows, and memory maps
neighbour_sums                                                                    weighted degrees, block by block
parse_bytes, in_words                                                             "2GiB" as a number, and back
check_mapped                                                                      an adjacency in memory maps, checked
are_finite, in_single, check_finite, naming_overflow, *_error, REMEDIES           numbers beyond float32, named
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.kernels.magnitude import REMEDIES as REMEDIES
    from sparsecut.kernels.magnitude import are_finite as are_finite
    from sparsecut.kernels.magnitude import check_finite as check_finite
    from sparsecut.kernels.magnitude import feature_error as feature_error
    from sparsecut.kernels.magnitude import in_single as in_single
    from sparsecut.kernels.magnitude import naming_overflow as naming_overflow
    from sparsecut.kernels.magnitude import weight_error as weight_error
    from sparsecut.kernels.streaming import blocks_of_entries as blocks_of_entries
    from sparsecut.kernels.streaming import check_mapped as check_mapped
    from sparsecut.kernels.streaming import dense_blocks as dense_blocks
    from sparsecut.kernels.streaming import in_words as in_words
    from sparsecut.kernels.streaming import is_mapped as is_mapped
    from sparsecut.kernels.streaming import neighbour_sums as neighbour_sums
    from sparsecut.kernels.streaming import parse_bytes as parse_bytes
    from sparsecut.kernels.streaming import release as release
    from sparsecut.kernels.streaming import row_blocks as row_blocks
    from sparsecut.kernels.streaming import value_blocks as value_blocks
else:
    __getattr__, __dir__ = lazy_names(__name__)
