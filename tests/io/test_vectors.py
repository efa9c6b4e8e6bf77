"""Embeddings in the text formats of word2vec and of TensorBoard's projector, read by the programs they are for."""

import numpy as np
import pytest

import sparsecut as sc

Z = np.array([[0.1, -2, 3e-20], [4, 5.5, 6], [7, 8, 9]], dtype=np.float32)
WORDS = ["é/1", "b", "#c"]


@pytest.mark.parametrize("suffix", [".w2v", ".vec"])
def test_word2vec_text_in_gensim(suffix, tmp_path):
    from gensim.models import KeyedVectors

    sc.write_embedding(tmp_path / f"z{suffix}", Z, WORDS)
    vectors = KeyedVectors.load_word2vec_format(str(tmp_path / f"z{suffix}"))
    assert vectors.index_to_key == WORDS
    assert (vectors.vectors == Z).all()
    assert vectors.most_similar("b", topn=1)[0][0] == "#c"


def test_projector_files(tmp_path):
    sc.write_embedding(tmp_path / "z.tsv", Z, WORDS)
    vectors = np.loadtxt(tmp_path / "z.tsv", delimiter="\t", dtype=np.float32)
    assert (vectors == Z).all()
    assert (tmp_path / "z.metadata.tsv").read_text(encoding="utf-8") == "é/1\nb\n#c\n"
    sc.write_embedding(tmp_path / "y.tsv", Z, WORDS, labels=["p", "q", "p"])
    assert (tmp_path / "y.metadata.tsv").read_text(encoding="utf-8") == "id\tlabel\né/1\tp\nb\tq\n#c\tp\n"
    assert sc.read_embedding(tmp_path / "y.tsv").ids.tolist() == WORDS


@pytest.mark.parametrize(
    ("suffix", "word"), [(".w2v", "a b"), (".vec", ""), (".tsv", "a\tb"), (".w2v", 'a"b'), (".tsv", "a\nb")]
)
def test_ids_that_a_format_has_no_room_for(suffix, word, tmp_path):
    with pytest.raises(sc.InputError) as caught:
        sc.write_embedding(tmp_path / f"z{suffix}", Z, ["a", word, "c"])
    assert str(caught.value) == (
        f"{tmp_path}/z{suffix} cannot hold the id or label {word!r}: its format has no room for empty ones, spaces, tabs, "
        "line ends or quotes. Write .parquet instead."
    )
    assert list(tmp_path.iterdir()) == []
