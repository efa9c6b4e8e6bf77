"""Who links to whom: scores of possible links in closed form, recommendations, calibrated probabilities."""

from sparsecut.links.form_choice import FormTrial
from sparsecut.links.forms import LinkForm
from sparsecut.links.link_model import Links, Recommended

__all__ = ["FormTrial", "LinkForm", "Links", "Recommended"]
