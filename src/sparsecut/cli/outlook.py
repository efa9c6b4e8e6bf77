"""What a long fit will take, said before it starts: with the engine that was requested, and with a better one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sparsecut.cli.console import Output
    from sparsecut.engines import EngineChoice
    from sparsecut.model.cost_estimate import Estimates

LONG = 10.0  # seconds; of a shorter fit nothing is said
BETTER = 0.5  # of the time: what another engine must save to be named


def say_outlook(found: Estimates | None, engine: EngineChoice, output: Output) -> None:
    """Say what an engine will take if that is long, and that the graph does not fit if it does not."""
    from sparsecut.kernels.streaming import in_words
    from sparsecut.model.cost_estimate import in_time

    asked = None if found is None else found.of(engine)
    if found is None or asked is None:
        return
    word, chosen = asked.engine, "" if asked.engine == engine.word else f", which --engine {engine.word} takes"
    best = found.best
    other = f"--engine {best.engine} takes about {in_time(best.seconds)} and {in_words(best.memory)} of memory"
    if not asked.fits:
        remedy = f" {other}." if best.fits else " sparsecut estimate says what each engine needs."
        output.note(
            f"This may not fit with --engine {word}, which needs about {in_words(asked.memory)}: {asked.why}.{remedy}"
        )
    elif asked.seconds > LONG:
        better = f"; {other}" if best.engine != word and best.seconds < BETTER * asked.seconds else ""
        output.aside(
            f"About {in_time(asked.seconds)} with --engine {word}{chosen}, and {in_words(asked.memory)} of memory{better}."
        )
