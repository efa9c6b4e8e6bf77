"""Who links to whom: scores of possible links in closed form, recommendations, calibrated probabilities."""

from sparsecut.links.best_candidates import Recommended
from sparsecut.links.form_choice import FormTrial
from sparsecut.links.forms import LinkForm
from sparsecut.links.link_model import Links
from sparsecut.links.pair_score import PairScore

__all__ = ["FormTrial", "LinkForm", "Links", "PairScore", "Recommended"]
