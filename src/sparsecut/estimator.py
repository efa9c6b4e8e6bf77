"""scikit-learn's contract, kept without importing scikit-learn, which would double the time that `import torch` takes.

`get_params` and `set_params` (`sparsecut.parameters`) and the tags are what its clone, pipelines and searches ask of an
estimator. scikit-learn itself is imported only when one of them asks for a tag, and by then it is there.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sparsecut.choice import Choice
from sparsecut.parameters import Parametrised


class Estimator(Parametrised):
    kinds: ClassVar[dict[str, type[Choice]]] = {}
    """The parameters that hold a choice, an object or a word, and of which kind."""

    def _choice(self, name: str) -> Any:
        """The object of a parameter that holds a choice, checked."""
        return self.kinds[name].of(getattr(self, name), type(self).__name__, name)

    def _held(self, name: str) -> Any:
        value = getattr(self, name)
        is_word = name in self.kinds and isinstance(value, str) and value in self.kinds[name].words()
        return self._choice(name) if is_word else value

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        is_transformer = hasattr(self, "fit_transform")
        return Tags(
            estimator_type="transformer" if is_transformer else None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags() if is_transformer else None,
            input_tags=InputTags(two_d_array=False),
        )


def not_fitted(model: object, remedy: str) -> Exception:
    """scikit-learn's own error for an estimator that has not learned yet."""
    from sklearn.exceptions import NotFittedError

    return NotFittedError(f"This {type(model).__name__} has not been fitted. {remedy}.")  # type: ignore[no-any-return]
