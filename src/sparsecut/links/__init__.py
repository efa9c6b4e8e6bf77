"""Who links to whom, in closed form: scores, recommendations, calibrated probabilities. Why two nodes are near."""

from sparsecut.links.best_candidates import Recommended
from sparsecut.links.form_choice import FormTrial
from sparsecut.links.forms import LinkForm
from sparsecut.links.link_model import Links
from sparsecut.links.nearness import Nearness
from sparsecut.links.pair_score import PairScore
from sparsecut.links.why_near import Shares, Why

__all__ = ["FormTrial", "LinkForm", "Links", "Nearness", "PairScore", "Recommended", "Shares", "Why"]
