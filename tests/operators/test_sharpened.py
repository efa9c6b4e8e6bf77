"""Spectra sharpened: the whole eigenproblem against iteration, the rank that is wanted, and what is said of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from sparsecut.base.errors import InputError
from sparsecut.kernels.spectrum import rank_of
from sparsecut.operators.sharpened import EigenSpectrum, Sharpness, leading_spectrum, sharpen, whole_spectrum

S = np.random.default_rng(0).normal(size=(40, 6))
CENTRED = S - S.mean(axis=0)
M = torch.from_numpy(40 * CENTRED.T @ CENTRED)


def test_the_whole_spectrum_is_numpys() -> None:
    spectrum = whole_spectrum(M, 4)
    eigenvalues, vectors = np.linalg.eigh(M.numpy())
    assert np.allclose(spectrum.values, eigenvalues[::-1][:4], rtol=1e-5)
    assert np.allclose(np.abs((spectrum.vectors.numpy() * vectors[:, ::-1][:, :4]).sum(axis=0)), 1, atol=1e-5)
    assert spectrum.total == pytest.approx(float(M.trace()))


def test_the_closed_form_from_m_alone_is_that_of_the_rows() -> None:
    cpu = torch.device("cpu")
    iterated = leading_spectrum(lambda W: (M @ W.double()).float(), float(M.trace()), 6, 4, cpu, n_iterations=60)
    found = [sharpen(spectrum, [6], [1.0], 4, 2.0, 1.0) for spectrum in (whole_spectrum(M, 4), iterated)]
    np.testing.assert_allclose(found[0].weights[0], found[1].weights[0], atol=1e-4)
    for closed in found:
        variances = ((CENTRED @ closed.weights[0].numpy()) ** 2).sum(axis=0)
        shares = variances / variances.sum()
        assert np.exp(-(shares * np.log(shares)).sum()) == pytest.approx(2.0, rel=1e-3)


def test_weights_scale_vectors_so_that_variances_are_powers_of_the_eigenvalues() -> None:
    """In any order, with what rounding makes negative or next to nothing as zero."""
    eigenvalues, vectors = torch.linalg.eigh(M)
    sharp = Sharpness.of(eigenvalues, 3.0)
    W = sharp.weights(vectors)
    relative = eigenvalues.numpy() / eigenvalues.numpy().max()
    np.testing.assert_allclose(W, vectors.numpy() * relative ** ((sharp.power - 1) / 2), rtol=1e-12)
    np.testing.assert_allclose((W.T @ M @ W).diagonal() / eigenvalues.max(), sharp.variances, rtol=1e-9)
    assert rank_of(sharp.variances) == pytest.approx(3.0, rel=1e-6)
    few = Sharpness.of(torch.tensor([4.0, 1.0, 1e-6, -1e-3]), 9.0, least=1e-5)
    assert few.power == 1
    assert few.weights(torch.eye(4)).tolist() == torch.diag(torch.tensor([1.0, 1.0, 0.0, 0.0])).tolist()
    assert not Sharpness.of(torch.zeros(3), 9.0).weights(torch.eye(3)).any()


def test_by_hand() -> None:
    """Eigenvalues 4 and 1 along the axes, sharpness 1: the weights are the axes, the length what two columns keep."""
    spectrum = EigenSpectrum(torch.tensor([4.0, 1.0]), torch.eye(2), 10.0, "by hand")
    found = sharpen(spectrum, [2], [1.0], 2, 9.0, 3.0, 0.999)
    assert found.power == 1
    assert torch.equal(found.weights[0], torch.eye(2))
    assert found.length == pytest.approx(3 * math.sqrt(5 / 10))
    sharpness, dimension = found.reasons(is_dimension_chosen=True)
    assert (sharpness.chosen, sharpness.because) == ("1.00", "flat")
    assert sharpness.figures == {"sharpness": 1, "length": 2.121, "columns": 2, "effective rank": 9}
    assert (dimension.chosen, dimension.figures) == ("2", {"share": 0.999})
    assert found.reasons(is_dimension_chosen=False) == (sharpness,)
    two_levels = sharpen(spectrum, [1, 1], [1.0, 5.0], 2, 9.0, 3.0)  # a mean over two levels undoes the factor two
    assert two_levels.weights[0].tolist() == [[2, 0]]
    assert two_levels.weights[1].tolist() == [[0, 10]]


def test_there_are_no_more_columns_than_directions_and_auto_leaves_out_a_thousandth() -> None:
    spectrum = EigenSpectrum(torch.tensor([1.0, 0.5, 1e-4]), torch.eye(3), 2.0, "by hand")
    assert sharpen(spectrum, [3], [1.0], 5, math.inf, 1.0).weights[0].shape == (3, 3)
    assert not sharpen(spectrum, [3], [1.0], 5, math.inf, 1.0).weights[0][:, 3:].any()
    assert sharpen(spectrum, [3], [1.0], None, math.inf, 1.0, 0.999).weights[0].shape == (3, 2)


def test_rows_that_are_all_alike_have_weights_of_zero() -> None:
    for total, values in ((0.0, [1.0, 1.0]), (1.0, [0.0, 0.0])):
        found = sharpen(EigenSpectrum(torch.tensor(values), torch.eye(2), total, ""), [2], [1.0], None, 16.0, 9.0)
        assert found.weights[0].shape == (2, 1)
        assert not found.weights[0].any()
        assert found.length == 0


def test_an_energy_that_overflows_is_an_error() -> None:
    for total, values in ((math.inf, [1.0]), (1.0, [math.nan])):
        with pytest.raises(InputError, match=r"energy of the smoothed features overflows\. Scale the features down"):
            sharpen(EigenSpectrum(torch.tensor(values), torch.eye(1), total, ""), [1], [1.0], 1, 16.0, 9.0)
