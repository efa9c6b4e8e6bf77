"""Names read from source: they are those that an import gives, and reading them imports nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys

import pytest

import sparsecut
from sparsecut.base.source_names import CHOICES, ancestors, assigned, find_class, imported_names, listed_words, literal
from sparsecut.engines import EngineChoice
from sparsecut.model.solver import Solver
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import Negatives


def test_the_list_of_choices_is_what_it_imports() -> None:
    choices = importlib.import_module(CHOICES)
    read = imported_names(CHOICES)
    assert {name: getattr(choices, name) for name in read} == {
        name: value for name, value in vars(choices).items() if isinstance(value, type)
    }
    assert imported_names("sparsecut").items() >= read.items()  # by a star
    assert set(imported_names("sparsecut")) == set(sparsecut.__all__)


@pytest.mark.parametrize("kind", [Filter, Negatives, Solver, EngineChoice])
def test_the_words_of_a_kind_are_those_of_its_classes(kind: type) -> None:
    found = listed_words(kind.__name__)
    classes = [value for value in vars(importlib.import_module(CHOICES)).values() if isinstance(value, type)]
    expected = {one.word: one for one in classes if issubclass(one, kind) and one.word is not None}
    assert {word: (module, node.name) for word, (module, node) in found.items()} == {
        word: (one.__module__, one.__name__) for word, one in expected.items()
    }


def test_a_class_is_found_where_it_is_defined_with_all_that_it_inherits_from() -> None:
    found = find_class(CHOICES, "Heat")
    assert found is not None
    assert [node.name for _, node in ancestors(*found)] == ["Heat", "Series", "Filter", "Choice"]
    assert found[0] == sparsecut.Heat.__module__
    assert find_class(CHOICES, "Nothing") is None


def test_reading_imports_nothing() -> None:
    code = (
        "import sys; from sparsecut.base.source_names import listed_words\n"
        "assert 'dask' in listed_words('EngineChoice')\n"
        "assert not {'torch', 'numpy', 'sparsecut.engines', 'sparsecut.model'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_word_imports_its_class_alone() -> None:
    code = (
        "import sys; from sparsecut.operators.filters import Filter; from sparsecut import SCE\n"
        "model = SCE(engine='disk')\n"
        "assert model.get_params()['engine__memory_limit'] == '2GiB'\n"
        "assert 'sparsecut.engines.dask.dask_choice' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_values_that_are_written_out_are_read() -> None:
    from sparsecut.datasets.registry import FILES

    assert literal("sparsecut.datasets.registry", "FILES") == FILES
    with pytest.raises(LookupError, match=r"sparsecut\.datasets\.registry assigns no NOTHING"):
        assigned("sparsecut.datasets.registry", "NOTHING")
