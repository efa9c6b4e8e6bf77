"""Places of nodes that come and go, against a dictionary."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.updates.node_index import NodeIndex


@pytest.mark.parametrize("kind", ["numbered", "integers", "words"])
def test_places_are_those_of_a_dictionary(kind: str) -> None:
    generator = np.random.default_rng(0)
    first = {"numbered": np.arange(20), "integers": generator.permutation(20) * 7 - 50}.get(kind)
    ids = np.array([f"n{number}" for number in range(20)]) if first is None else first
    index, known, n_places = NodeIndex(ids), {identity: place for place, identity in enumerate(ids.tolist())}, 20
    for step in range(30):
        gone = [identity for identity in known if generator.random() < 0.1]
        index.remove(index.find(gone))
        for identity in gone:
            del known[identity]
        new = [*gone[:1], 1000 + step if first is not None else f"m{step}"]  # one comes again
        places = index.add(new)
        assert places.tolist() == [n_places, n_places + 1][: len(new)]
        known |= dict(zip(new, places.tolist(), strict=True))
        n_places += len(new)
        asked = [*known, *gone[1:]]
        expected = [known.get(identity, -1) for identity in asked]
        assert index.find(asked).tolist() == expected
        if first is not None:
            assert index.find(np.array(asked, dtype=np.int64)).tolist() == expected
        assert index.ids[index.places()].tolist() == sorted(known, key=known.__getitem__)
        assert (index.n_present, len(index)) == (len(known), n_places)


def test_an_id_is_compared_as_what_it_is() -> None:
    assert NodeIndex(np.arange(3)).find(["1", True, 1.0, 2**70, 1, None]).tolist() == [-1, -1, -1, -1, 1, -1]
    assert NodeIndex(np.array(["1", "2"])).find([1, "2"]).tolist() == [-1, 1]
    assert NodeIndex(np.arange(3)).find([]).tolist() == []
