"""Updates on disk: killed at any moment they have happened or have not; a damaged end is cut off; one process at a time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from changing import Shadow
from conftest import random_graph
from killing import run_killed
from sparsecut import SCE, InputError, Power, load
from sparsecut.updates.changes import Changes, EdgeList, RowList
from sparsecut.updates.resuming import Position
from sparsecut.updates.update_log import UpdateLog, log_path, read_log

GRAPH = random_graph(40, 8, seed=1, is_weighted=True)
KEY = bytes(range(16))


def saved(folder: Path) -> Path:
    path = folder / "model.safetensors"
    SCE(filter=Power(order=2), dimension=6).fit(GRAPH).save(path, with_state=True)
    return path


def batches(n_batches: int) -> list[dict]:
    shadow, generator, found = Shadow(GRAPH), np.random.default_rng(0), []
    for _ in range(n_batches):
        found.append(shadow.random_batch(generator))
        shadow.apply(found[-1])
    return found


@pytest.mark.slow
def test_killed_at_any_moment_a_batch_has_happened_or_has_not(tmp_path: Path) -> None:
    """SIGKILL before and after everything that is brought to the disk, with a log that is taken into the file on the way."""
    made = batches(5)
    expected = []
    model = load(saved(tmp_path))
    for batch in [{}, *made]:
        model.update(**batch)
        expected.append(model.embedding_)
    n_events = 1
    kill_at = 1
    while kill_at <= n_events + 1:
        folder = tmp_path / str(kill_at)
        folder.mkdir()
        path = folder / "model.safetensors"
        path.write_bytes((tmp_path / "model.safetensors").read_bytes())
        progress = folder / "made"

        def work(event: object, path: Path = path, progress: Path = progress) -> int:
            updated = load(path, in_place=True)
            updated._log.long_bytes = 2000
            for number, batch in enumerate(made, start=1):
                updated.update(**batch)
                progress.write_text(str(number))
            return 0

        code = run_killed(work, folder / "events", kill_at)
        n_events = int((folder / "events").read_text()) if code == 0 else max(n_events, kill_at)
        n_made = int(progress.read_text()) if progress.exists() else 0
        found = load(path, in_place=True)
        matches = [
            number
            for number, Z in enumerate(expected)
            if Z.shape == found.embedding_.shape and np.allclose(Z, found.embedding_, atol=1e-5)
        ]
        assert matches, f"killed at {kill_at}"
        assert matches[0] in (n_made, n_made + 1)  # what was reported as made is there; at most one more
        for batch in made[matches[0] :]:
            found.update(**batch)
        np.testing.assert_allclose(found.embedding_, expected[-1], atol=1e-5)
        kill_at += 1
    assert n_events >= 10


def test_a_damaged_end_is_cut_off_and_written_over(tmp_path: Path) -> None:
    path, made = saved(tmp_path), batches(3)
    model = load(path, in_place=True)
    for batch in made[:2]:
        model.update(**batch)
    model._log.close()
    whole = log_path(path).read_bytes()
    for cut in (len(whole) - 1, len(whole) // 2 + 5, 10):
        log_path(path).write_bytes(whole[:cut])
        assert len(list(read_log(path, model._log.key, 0))) < 2
    damaged = bytearray(whole)
    damaged[-3] ^= 1
    log_path(path).write_bytes(bytes(damaged))
    again = load(path, in_place=True)
    again.update(**made[1])
    again.update(**made[2])
    again._log.close()
    expected = load(path)
    model._log = None
    model.update(**made[2])
    np.testing.assert_allclose(expected.embedding_, model.embedding_, atol=1e-5)


def test_records_of_another_state_are_passed_over(tmp_path: Path) -> None:
    path = saved(tmp_path)
    log = UpdateLog(path, KEY)
    list(log.replay(0))
    log.append(Changes(nodes_removed=[0, 1]), 0.0)
    log.close()
    assert load(path).graph_.n_nodes == 40
    assert [logged.changes.nodes_removed for logged in read_log(path, KEY, 0)] == [[0, 1]]
    assert list(read_log(path, KEY, 1)) == []


def test_one_process_updates_a_file(tmp_path: Path) -> None:
    path = saved(tmp_path)
    first = load(path, in_place=True)
    with pytest.raises(InputError, match="Another process"):
        load(path, in_place=True)
    assert load(path).graph_.n_nodes == 40  # reading is free
    first._log.close()
    load(path, in_place=True)._log.close()


def test_a_file_that_is_followed_is_not_replaced(tmp_path: Path) -> None:
    """Its process would go on to write to a log that is gone, and say that its updates are on the disk."""
    path = saved(tmp_path)
    follower, other = load(path, in_place=True), SCE(filter=Power(order=2), dimension=4).fit(GRAPH)
    batch, before = batches(1)[0], path.read_bytes()
    with pytest.raises(InputError, match=r"another model of this one, updates .*model.safetensors in place"):
        other.save(path, with_state=True, overwrite=True)
    assert path.read_bytes() == before
    follower.update(**batch)
    np.testing.assert_array_equal(load(path).embedding_, follower.embedding_)
    del follower
    other.save(path, with_state=True, overwrite=True)
    np.testing.assert_array_equal(load(path).embedding_, other.embedding_)


def test_changes_come_back_as_they_were_written(tmp_path: Path) -> None:
    changes = Changes(
        edges_removed=EdgeList(np.array([1, 2]), np.array([3, 4]), np.ones(2, dtype=np.float32)),
        nodes_removed=["a", 5],
        nodes_added=RowList(["ü", "b"], sp.csr_array(np.array([[0, 1.5], [2, 0]], dtype=np.float32))),
        edges_added=EdgeList(["a"], ["ü\n"], np.array([0.5], dtype=np.float32)),
        features_changed=RowList([3], np.array([[1, 2]], dtype=np.float32)),
    )
    log = UpdateLog(tmp_path / "m", KEY)
    list(log.replay(0))
    log.append(changes, 0.25, Position(7, 99))
    log.close()
    ((found, tolerance, position),) = read_log(tmp_path / "m", KEY, 0)
    assert (tolerance, position) == (0.25, (7, 99))
    assert (found.nodes_removed, found.edges_added.targets, found.nodes_added.ids) == (["a", 5], ["ü\n"], ["ü", "b"])
    assert found.edges_removed.sources.tolist() == [1, 2]
    np.testing.assert_array_equal(found.nodes_added.matrix.toarray(), [[0, 1.5], [2, 0]])
    np.testing.assert_array_equal(found.features_changed.matrix, [[1, 2]])
    assert found.edges_added.weights.dtype == np.float32
