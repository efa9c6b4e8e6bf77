"""`--engine` and the options of engines: those that their classes declare, in the words of the command line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from shell import sparsecut
from sparsecut.base.choice import Choice
from sparsecut.base.errors import InputError
from sparsecut.cli.engine_options import Requested, declared
from sparsecut.engines import EngineChoice, Memory


def test_what_is_read_from_source_is_what_the_classes_have() -> None:
    words = EngineChoice.words()
    assert set(declared()) == set(words)
    for word in words:
        engine: Choice = EngineChoice.of(word, "test", "engine")
        assert tuple(declared()[word].values()) == type(engine).options
        assert set(declared()[word]) <= set(engine.get_params())


def test_an_option_becomes_the_parameter_of_its_engine() -> None:
    engine = Requested("disk", {"memory_limit": "1GiB", "scratch": Path("there")}).make(device="cpu")
    assert engine.get_params() == {"memory_limit": "1GiB", "scratch": Path("there")}  # a disk has no device
    assert Requested("memory", {"precision": "half"}).make(device="cpu").get_params()["device"] == "cpu"


def test_several_devices_are_for_the_engine_that_has_them() -> None:
    engine = Requested("memory", {"precision": "half"}).make(device="cuda:0, cuda:1")
    assert engine == Memory(devices=["cuda:0", "cuda:1"], precision="half")
    with pytest.raises(InputError, match=r"--device takes one device with --engine disk. Got cpu,cpu\."):
        Requested("disk", {}).make(device="cpu,cpu")


def test_a_graph_is_embedded_and_transformed_on_several_devices(tmp_path: Path) -> None:
    where = ("--device", "cpu,cpu")
    sparsecut("embed", "digits", *where, "-o", "several.npy", "--save-model", "model.safetensors", folder=tmp_path)
    sparsecut("embed", "digits", "--device", "cpu", "-o", "one.npy", folder=tmp_path)
    sparsecut("transform", "model.safetensors", "digits", *where, "-o", "again.npy", folder=tmp_path)
    one, several, again = (np.load(tmp_path / f"{name}.npy") for name in ("one", "several", "again"))
    np.testing.assert_allclose(several, one, atol=1e-5 * np.abs(one).max())
    np.testing.assert_allclose(again, one, atol=1e-4 * np.abs(one).max())


def test_a_broken_rule_is_said_of_the_option() -> None:
    with pytest.raises(InputError, match=r"The --memory-limit parameter of sparsecut must be a number of bytes"):
        Requested("disk", {"memory_limit": "lots"}).make()


@pytest.mark.parametrize("command", ["embed", "transform"])
def test_the_help_page_says_what_an_option_means_to_each_engine(command: str, tmp_path: Path) -> None:
    text = " ".join(re.sub(r"[│╭╮╰╯─]", " ", sparsecut(command, "--help-all", folder=tmp_path).stdout).split())
    assert "with --engine dask: what each worker on this machine may take; with --engine disk: what the process" in text
    assert "[default: what is free with auto, an even share with dask, 2GiB with disk]" in text
    assert "--workers N With --engine dask" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--engine", "disc"), "Got 'disc' instead. Did you mean 'disk'?"),
        (("--engine", "disk", "--precision", "half"), "--precision is for --engine memory. Add that, or leave --precision"),
        (("--workers", "2"), "--workers is for --engine dask. Add that, or leave --workers out."),
        (("--scratch", "."), "--scratch is for --engine auto, dask or disk. Add that, or leave --scratch out."),
    ],
)
def test_an_option_of_another_engine_is_refused(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert message in sparsecut("embed", "digits", "-o", "z.npy", *words, folder=tmp_path, expect=2).stderr
