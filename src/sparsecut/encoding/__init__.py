"""Tables of any columns as matrices of features: an encoding is fitted once, kept, and applied to every later table.

A `FeatureTable` is what a file or a data frame holds, not yet numbers. Its `TableEncoder` says what each column becomes; a
fitted model keeps it, so that a later table is encoded as the first one was and never by itself.
"""

from sparsecut.encoding.encoder import NamedColumns, TableEncoder, Vocabulary, read_encoder
from sparsecut.encoding.sources import FeatureTable, WordLists
from sparsecut.encoding.streamed import NumberScan
from sparsecut.encoding.variance import dominant_column

__all__ = [
    "FeatureTable",
    "NamedColumns",
    "NumberScan",
    "TableEncoder",
    "Vocabulary",
    "WordLists",
    "dominant_column",
    "read_encoder",
]
