"""Features: the fitted encoding of tables, the weighting, and the structure of a graph as columns where it brings none.

Tables of any columns become matrices: an encoding is fitted once, kept, and applied to every later table.

A `FeatureTable` is what a file or a data frame holds, not yet numbers; `WordLists` are lists of words, a `FeatureMatrix` is
numbers already. Each is a `Source` of features. Its `Encoder` (`TableEncoder`, `Vocabulary`, `NamedColumns`) says what each
column becomes; a fitted model keeps it, so that a later table is encoded as the first one was and never by itself.

    NumberScan                                    a `TableEncoder` of a table that is read in parts
    LeftOut, NumberColumn, VectorColumn           what a column became
    table_source                                  the source that an Arrow table is
    Scale, check_scale                            how numbers of a table are scaled, and whether that can be
    column_of                                     values of Python as an Arrow column
    mark_words                                    a matrix of 0 and 1 from pairs of row and word
    check_names, read_encoder                     fitted names against those of a later table; an encoder from a header
    dominant_column, spells_number                a column that outweighs all others; whether a word is a number
"""

from sparsecut.features.arrow_values import spells_number
from sparsecut.features.columns import VectorColumn
from sparsecut.features.encoder import Encoder, NamedColumns, TableEncoder, Vocabulary, check_names, read_encoder
from sparsecut.features.feature_tables import FeatureMatrix, FeatureTable, Source, WordLists, table_source
from sparsecut.features.numbers import LeftOut, NumberColumn
from sparsecut.features.scaling import Scale, check_scale
from sparsecut.features.spelling import column_of
from sparsecut.features.streamed import NumberScan
from sparsecut.features.variance import dominant_column
from sparsecut.features.word_lists import mark_words

__all__ = [
    "Encoder",
    "FeatureMatrix",
    "FeatureTable",
    "LeftOut",
    "NamedColumns",
    "NumberColumn",
    "NumberScan",
    "Scale",
    "Source",
    "TableEncoder",
    "VectorColumn",
    "Vocabulary",
    "WordLists",
    "check_names",
    "check_scale",
    "column_of",
    "dominant_column",
    "mark_words",
    "read_encoder",
    "spells_number",
    "table_source",
]
