"""Who links to whom, in closed form: scores, recommendations, calibrated probabilities. Why two nodes are near."""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.links.best_candidates import Recommended as Recommended
    from sparsecut.links.form_choice import FormTrial as FormTrial
    from sparsecut.links.form_sums import FormSum as FormSum
    from sparsecut.links.forms import LinkForm as LinkForm
    from sparsecut.links.link_model import Links as Links
    from sparsecut.links.nearness import Nearness as Nearness
    from sparsecut.links.pair_score import PairScore as PairScore
    from sparsecut.links.why_near import Shares as Shares
    from sparsecut.links.why_near import Why as Why
else:
    __getattr__, __dir__ = lazy_names(__name__)
