# make demo    set up .venv, then the demo        make test    set up .venv, then all tests
# make lint types links    the other checks       make table1  the README's figures, measured again

PYTHON ?= python3
BIN := .venv/bin

# Real graphs for tests and experiments, where they lie beside the checkout.
SPARSECUT_DATA ?= $(abspath $(wildcard ../shared/data))
export SPARSECUT_DATA

.PHONY: demo test lint types links table1 clean

demo: .venv/installed
	$(BIN)/sparsecut demo

test: .venv/installed
	$(BIN)/python -m pytest --cov --cov-report=term

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed
	$(BIN)/mypy

links: .venv/installed
	$(BIN)/python docs/check_links.py

table1: .venv/installed
	$(BIN)/sparsecut reproduce table1 --method SCE --method MoSCE --force -o docs/results
	$(BIN)/sparsecut reproduce beyond --method default --dataset cora --dataset citeseer --dataset pubmed --force -o docs/results

.venv/installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv build dist sparsecut-demo .coverage .mypy_cache .pytest_cache .ruff_cache .hypothesis
