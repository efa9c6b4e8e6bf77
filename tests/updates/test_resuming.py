"""What the reader of a stream may have missed: by the log, whatever was read, and all of it where the log is too short."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from conftest import random_graph
from sparsecut import SCE, Power, load
from sparsecut.updates.changes import Changes, RowList
from sparsecut.updates.live import Changed
from sparsecut.updates.resuming import Position
from sparsecut.updates.update_log import UpdateLog, read_log


def features(node: int, value: float) -> Changes:
    return Changes(features_changed=RowList([node], np.full((1, 4), value, dtype=np.float32)))


def followed(path: Path, long_bytes: int = UpdateLog.long_bytes) -> dict[int, Changed]:
    """Three updates of a stream, and what each changed by the offset behind it."""
    SCE(filter=Power(order=1), dimension=3).fit(random_graph(30, 4, seed=1, density=0.1)).save(path, with_state=True)
    model = load(path, in_place=True)
    model._log.long_bytes = long_bytes
    found = {
        10: model._apply(features(0, 1.0), 0.0, Position(1, 10)),
        20: model._apply(Changes(nodes_removed=[5]), 0.0, Position(2, 20)),
        30: model._apply(features(7, 2.0), 0.0, Position(3, 30)),
    }
    model.update(features_changed={9: np.ones(4)}, tolerance=0)  # from no stream: the position stays
    assert model._position == (3, 30)
    model._log.close()
    return found


def test_what_changed_behind_an_offset_is_given_as_it_is_now(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    made = followed(path)
    model = load(path, in_place=True)
    assert model._position == (3, 30)
    Z = dict(zip(model.graph_.node_ids.tolist(), model.embedding_, strict=True))
    for offset in (0, 10, 20):
        missed = model._replayed.behind(offset, model._live())
        expected = {node for end, changed in made.items() if end > offset for node in changed.ids.tolist()} - {5}
        assert expected <= set(missed.ids.tolist())
        assert missed.removed == ([5] if offset < 20 else [])
        assert all(np.array_equal(Z[node], row) for node, row in zip(missed.ids.tolist(), missed.rows, strict=True))
    assert len(model._replayed.behind(30, model._live())) == 0


def test_all_vectors_are_given_where_the_file_has_taken_the_log_in(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    followed(path)
    model = load(path, in_place=True)
    model._checkpoint()
    model._log.close()
    again = load(path, in_place=True)
    assert again._position == (3, 30)
    missed = again._replayed.behind(20, again._live())
    assert missed.ids.tolist() == again.graph_.node_ids.tolist()
    np.testing.assert_array_equal(missed.rows, again.embedding_)
    assert "all vectors" in missed.notes[0]
    assert len(again._replayed.behind(30, again._live())) == 0


def test_the_last_update_is_in_the_log_however_long_it_is(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    followed(path, long_bytes=1)
    model = load(path, in_place=True)
    assert [logged.position for logged in read_log(path, model._log.key, 0)][-1:] == [None]
    assert len(model._replayed._updates) == 1


def test_a_model_that_followed_no_stream_stands_at_its_start() -> None:
    model = SCE(filter=Power(order=1), dimension=3).fit(random_graph(30, 4, seed=1, density=0.1))
    assert model._position == Position(0, 0)
