"""What people do with a model, in any order, each step compared with dense matrices.

A graph and its table are told to the library as files or frames, fitted, saved, loaded here and in another process,
transformed after the table has changed, updated by batches of any kind, refused, fitted again. After every step the vector
of every id is the row of S·W − offset that the dense model computes from dictionaries: a feature that landed on another
node, a changed order of columns or an update that was not made would show.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from sklearn.base import clone

import sparsecut as sc
from conftest import times_when_exploring
from reference import dense_closed_form
from sparsecut.base.errors import DimensionWarning, NewValuesWarning
from story_child import OtherProcess
from table_world import ALL_CHANGES, IDS, KINDS, MODELS, ROUNDING, World, dense_embedding, dense_levels
from telling import HOLDERS_OF_CHANGES, ID_NAMES, Telling, tell, tellings, told_batch, write

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def other_process() -> Iterator[OtherProcess]:
    with OtherProcess() as other:
        yield other


class Story(RuleBasedStateMachine):
    """A world, the model that follows it, and what was saved of it."""

    def __init__(self, folder: Path, other_process: OtherProcess) -> None:
        super().__init__()
        self.folder, self.other_process = folder, other_process

    @initialize(
        seed=st.integers(0, 2**32 - 1),
        model=st.sampled_from(MODELS),
        kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=6),
        n_nodes=st.sampled_from([24, 60]),
        ids=st.sampled_from(sorted(IDS)),
        is_directed=st.booleans(),
        is_weighted=st.booleans(),
        telling=tellings(),
    )
    def begin(
        self,
        seed: int,
        model: Any,
        kinds: list[str],
        n_nodes: int,
        ids: str,
        is_directed: bool,
        is_weighted: bool,
        telling: Telling,
    ) -> None:
        self.world = World(
            seed, [*kinds, "number"], n_nodes, is_directed=is_directed, is_weighted=is_weighted, id_of=IDS[ids]
        )
        self.model = clone(model)
        self.fit(telling)

    @rule(telling=tellings())
    def fit(self, telling: Telling) -> None:
        """On the world as it is now; the model's earlier life is forgotten."""
        graph = tell(self.world, telling, self.folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DimensionWarning)
            self.model.fit(graph)
        self.world.was_fitted(list(self.model.feature_names_in_))
        if not telling.is_file:  # of digits alone a file makes numbers
            assert set(graph.node_ids.tolist()) == set(self.world.nodes)
        self.name = {str(node): node for node in self.model.graph_.node_ids.tolist()}
        self.agrees(self.world, self.model.graph_.node_ids, self.model.embedding_)
        self.is_the_closed_form(is_chosen=self.model.dimension == "auto")

    @rule(telling=tellings())
    def transform(self, telling: Telling) -> None:
        """The same world told in another way."""
        graph = tell(self.world, telling, self.folder)
        self.agrees(self.world, graph.node_ids, self.transformed(graph))

    @rule(telling=tellings(), most=st.sampled_from([1, 5, 40]))
    def transform_a_changed_table(self, telling: Telling, most: int) -> None:
        """New nodes, others gone, words that were not fitted, gaps where there were none."""
        later = self.world.copy()
        later.change(most)
        later.spoil()
        graph = tell(later, telling, self.folder)
        self.agrees(later, graph.node_ids, self.transformed(graph))

    @rule(
        most=st.sampled_from([1, 3, 40]),
        what=st.lists(st.sampled_from(ALL_CHANGES), min_size=1, max_size=4, unique=True),
        is_spoilt=st.booleans(),
        how=st.sampled_from(HOLDERS_OF_CHANGES),
        id_name=st.sampled_from(ID_NAMES),
    )
    def update(self, most: int, what: list[str], is_spoilt: bool, how: str, id_name: str) -> None:
        """A batch of changes, as records and pairs or as frames."""
        before = dict(zip(self.model.graph_.node_ids.tolist(), self.model.embedding_, strict=True))
        batch = self.world.change(most, tuple(what))
        if is_spoilt:
            for node, row in self.world.spoil(0.05).items():
                batch["features_changed"][node] = batch["features_changed"].get(node, {}) | row
        batch = told_batch(self.as_known(batch), how, id_name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewValuesWarning)
            ids, rows = self.model.update(**batch, tolerance=0)
        now = dict(zip(self.model.graph_.node_ids.tolist(), self.model.embedding_, strict=True))
        self.agrees(self.world, self.model.graph_.node_ids, self.model.embedding_)
        assert all(np.array_equal(now[node], row) for node, row in zip(ids.tolist(), rows, strict=True))
        assert all(np.array_equal(now[node], before[node]) for node in set(now) - set(ids.tolist()))
        again = self.transformed(self.model.graph_)
        self.agrees(self.world, self.model.graph_.node_ids, again)

    @precondition(lambda self: self.world.edges)
    @rule()
    def a_batch_with_one_wrong_change_changes_nothing(self) -> None:
        before = self.model.embedding_
        (source, target), *_ = self.world.edges
        copied = self.world.copy()
        copied.n_made += 1000
        batch = self.as_known(copied.change(5, ("nodes", "features")) | {"edges_removed": [(source, target)] * 2})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewValuesWarning)
            with pytest.raises(sc.InputError):
                self.model.update(**batch | {"nodes_removed": ["nobody"]}, tolerance=0)
        assert np.array_equal(self.model.embedding_, before)
        self.agrees(self.world, self.model.graph_.node_ids, self.model.embedding_)

    @rule(is_in_place=st.booleans())
    def save_and_load(self, is_in_place: bool) -> None:
        """With its state: the loaded model goes on where the saved one was, and its vectors are the same bits."""
        path = self.folder / f"model{len(list(self.folder.glob('model*')))}.safetensors"
        self.model.save(path, with_state=True)
        loaded = sc.load(path, in_place=is_in_place)
        assert loaded.graph_.node_ids.tolist() == self.model.graph_.node_ids.tolist()
        assert np.array_equal(loaded.embedding_, self.model.embedding_)
        self.model = loaded

    @rule(telling=tellings("files"))
    def transform_in_another_process(self, telling: Telling) -> None:
        path = self.folder / "sent.safetensors"
        self.model.save(path, overwrite=True)
        later = self.world.copy()
        later.spoil()
        ids, Z = self.other_process.transform(path, *write(later, telling, self.folder), later.direction)
        self.agrees(later, np.array(ids), Z)

    @rule(align=st.booleans())
    def refit(self, align: bool) -> None:
        """The encoding stays, the weights are new."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DimensionWarning)
            self.model.refit(align=align)
        self.world.was_refitted()
        self.agrees(self.world, self.model.graph_.node_ids, self.model.embedding_)
        self.is_the_closed_form(is_chosen=self.model.dimension == "auto" and not align)

    def transformed(self, graph: sc.Graph) -> np.ndarray:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NewValuesWarning)
            return self.model.transform(graph)

    def as_known(self, batch: dict[str, Any]) -> dict[str, Any]:
        """A batch with the ids that the model's graph has: digits are words or, from a file, numbers."""
        is_number = isinstance(next(iter(self.name.values())), int)

        def known(value: Any) -> Any:
            return int(value) if is_number and isinstance(value, str) else value

        return {
            name: {known(node): row for node, row in given.items()}
            if isinstance(given, dict)
            else [(known(one[0]), known(one[1]), *one[2:]) if isinstance(one, tuple) else known(one) for one in given]
            for name, given in batch.items()
        }

    def agrees(self, world: World, ids: np.ndarray, Z: np.ndarray) -> None:
        """Every node once, its vector that of the dense model."""
        place = {str(node): row for row, node in enumerate(ids.tolist())}
        assert set(place) == {str(node) for node in world.nodes}
        assert len(place) == len(Z)
        exact, size = dense_embedding(self.model, world)
        error = np.linalg.norm(Z[[place[str(node)] for node in world.nodes]] - exact, axis=1)
        assert (error <= ROUNDING * size).all()

    def is_the_closed_form(self, *, is_chosen: bool) -> None:
        """The weights just fitted, where there are those of one channel: the inner products are those of the dense ones.

        Where the number of columns was chosen, all were sharpened and those that hold nearly nothing left out.
        """
        if len(self.model.weights_) > 1:
            return
        S = dense_levels(self.model, self.world)[0][0]
        width = self.model.weights_[0].shape[1]
        W = dense_closed_form(S, S.shape[1] if is_chosen else width, 16.0)[:, :width]
        exact = (S - S.mean(axis=0)) @ W
        place = {str(node): row for row, node in enumerate(self.model.graph_.node_ids.tolist())}
        Z = self.model.embedding_[[place[str(node)] for node in self.world.nodes]].astype(np.float64)
        assert np.abs(Z @ Z.T - exact @ exact.T).max() <= 1e-4 * np.square(exact).sum(axis=1).mean()


def test_stories(tmp_path_factory: pytest.TempPathFactory, other_process: OtherProcess) -> None:
    run_state_machine_as_test(
        lambda: Story(tmp_path_factory.mktemp("story"), other_process),
        settings=settings(
            max_examples=times_when_exploring(40, 20), stateful_step_count=times_when_exploring(10, 3), deadline=None
        ),
    )
