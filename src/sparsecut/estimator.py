"""scikit-learn's contract, kept without importing scikit-learn, which would double the time that `import torch` takes.

`get_params` and `set_params` (`sparsecut.parameters`) and the tags are what its clone, pipelines and searches ask of an
estimator. scikit-learn itself is imported only when one of them asks for a tag, and by then it is there.
"""

from __future__ import annotations

from typing import Any

from sparsecut.parameters import Parametrised


class Estimator(Parametrised):
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
