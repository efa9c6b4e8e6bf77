"""Features: the fitted encoding of tables, the weighting, and the structure of a graph as columns where it brings none.

Tables of any columns become matrices: an encoding is fitted once, kept, and applied to every later table.

A `FeatureTable` is what a file or a data frame holds, not yet numbers; `WordLists` are lists of words, a `FeatureMatrix` is
numbers already, and `TypedFeatures` have one of these per type of nodes. Each is a `Source` of features. Its `Encoder`
(`TableEncoder`, `Vocabulary`, `NamedColumns`, `TypeEncoders`) says what each column becomes; a fitted model keeps it, so
that a later table is encoded as the first one was and never by itself.

    NumberScan                                    a `TableEncoder` of a table that is read in parts
    LeftOut, NumberColumn, VectorColumn           what a column became
    table_source                                  the source that an Arrow table is
    Scale, check_scale                            how numbers of a table are scaled, and whether that can be
    column_of                                     values of Python as an Arrow column
    mark_words                                    a matrix of 0 and 1 from pairs of row and word
    shared_separator, items_of, LABEL_SEPARATORS  labels that are spelt as one text, "a;b"
    check_names, read_encoder                     fitted names against those of a later table; an encoder from a header
    dominant_column, spells_number                a column that outweighs all others; whether a word is a number
    Notation                                      how people write numbers: 1,234.50 or 1.234,50
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.features.arrow_values import spells_number as spells_number
    from sparsecut.features.columns import VectorColumn as VectorColumn
    from sparsecut.features.doubts import doubts_of as doubts_of
    from sparsecut.features.encoder import NamedColumns as NamedColumns
    from sparsecut.features.encoder import TableEncoder as TableEncoder
    from sparsecut.features.encoder import Vocabulary as Vocabulary
    from sparsecut.features.encoder import check_names as check_names
    from sparsecut.features.feature_tables import FeatureMatrix as FeatureMatrix
    from sparsecut.features.feature_tables import FeatureTable as FeatureTable
    from sparsecut.features.feature_tables import WordLists as WordLists
    from sparsecut.features.feature_tables import table_source as table_source
    from sparsecut.features.label_leaks import leaks_of as leaks_of
    from sparsecut.features.numbers import LeftOut as LeftOut
    from sparsecut.features.numbers import NumberColumn as NumberColumn
    from sparsecut.features.scaling import Scale as Scale
    from sparsecut.features.scaling import check_scale as check_scale
    from sparsecut.features.spelling import column_of as column_of
    from sparsecut.features.streamed import NumberScan as NumberScan
    from sparsecut.features.type_encoders import Encoder as Encoder
    from sparsecut.features.type_encoders import TypeColumnsOf as TypeColumnsOf
    from sparsecut.features.type_encoders import TypeEncoders as TypeEncoders
    from sparsecut.features.type_encoders import read_encoder as read_encoder
    from sparsecut.features.typed_features import Source as Source
    from sparsecut.features.typed_features import TypedFeatures as TypedFeatures
    from sparsecut.features.variance import dominant_column as dominant_column
    from sparsecut.features.word_lists import LABEL_SEPARATORS as LABEL_SEPARATORS
    from sparsecut.features.word_lists import items_of as items_of
    from sparsecut.features.word_lists import mark_words as mark_words
    from sparsecut.features.word_lists import shared_separator as shared_separator
    from sparsecut.features.written_numbers import Notation as Notation
else:
    __getattr__, __dir__ = lazy_names(__name__)
