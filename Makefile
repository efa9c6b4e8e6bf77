# make install install sparsecut in .venv             make demo      the same, then the demo
# make test    install the tools of development too, then all tests
# make quick   the tests of the inner loop: those that start no cluster and no browser, and take about half a second at most
# make lint types links web    the other checks   make coverage  all tests, and the lines they do not run
# make docs    build the documentation site and open it (make site: build and check it)
# make pages   the figures of an earlier version of the code: listed, confirmed by a sample or run again, the pages drawn
# make table1  the README's figures, measured again        make dist     the packages, built and checked

PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

# Real graphs for tests and experiments, where they lie beside the checkout.
SPARSECUT_DATA ?= $(abspath $(wildcard ../shared/data))
export SPARSECUT_DATA

.PHONY: install demo test quick explore coverage lint types links docs site web page pages table1 dist clean

install: .venv/core

demo: .venv/core
	$(BIN)/sparsecut demo

# Tests run in one process per core, with one thread each: more threads would wait for one another. The tests of a file, and
# the examples of a page, stay in one process; files start in the order of tests/conftest.py, the long ones first, and not by how
# many tests they have. Recording coverage makes the tests take half as long again. Compiled modules are kept, also where the
# environment says not to: compiling the tests takes a third of the time of finding them.
WORKERS ?= auto
PYTEST := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses $(WORKERS) --maxprocesses 8 --dist loadfile --no-loadscope-reorder

test: .venv/installed
	$(PYTEST)

# For the inner loop, in less than two minutes on two cores: without the tests that start a cluster or a browser, without the
# slow ones (the markers are in pyproject.toml), and without the examples of docstrings and pages.
quick: .venv/installed
	$(PYTEST) tests -m "not cluster and not browser and not slow"

# Property tests with examples never tried before, and longer stories; what fails is printed with the line that tries it again.
# And fifty kills of workers in a row; the kill that fails is printed.
explore: .venv/installed
	HYPOTHESIS_PROFILE=explore $(PYTEST)

coverage: .venv/installed
	$(PYTEST) --cov --cov-report=term

lint: .venv/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/installed
	$(BIN)/mypy

links: .venv/installed
	$(BIN)/python docs/check_links.py

# The site: its guides run while it is built, a warning is an error, and the built pages are checked: their links, that they
# ask the network for nothing, and, where there is a browser, the search and the width.
site: .venv/installed
	rm -rf build/site docs/api
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q docs build/site
	$(BIN)/python docs/check_site.py build/site

docs: site
	$(BIN)/python -m webbrowser -t "file://$(CURDIR)/build/site/index.html"

# The report's page: its sources linted and tested (needs node and npm), and built as they say.
web: .venv/installed web/node_modules
	npm --prefix web run --silent lint
	npm --prefix web test --silent
	$(BIN)/python web/build.py --check

web/node_modules: web/package.json web/package-lock.json
	npm --prefix web ci --silent
	touch $@

page: .venv/installed
	$(BIN)/python web/build.py

# Cells that a sample does not confirm are measured again, wholly. Those whose fit takes over a minute, and times, stay marked on
# their page: `python benchmarks/pages.py --run` measures them.
pages: .venv/installed
	$(BIN)/python benchmarks/pages.py --confirm --run --longest 60

table1: .venv/installed
	$(BIN)/sparsecut reproduce table1 --method SCE --method MoSCE --method DGI --force -o docs/results
	$(BIN)/python benchmarks/beyond.py --method default --dataset cora --dataset citeseer --dataset pubmed --force
	$(BIN)/python benchmarks/render.py

# The wheel and the source archive in dist/, built with the tools of .venv, and checked.
dist: .venv/installed
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist . > /dev/null
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

# What the demo needs: the package without its extras. torch comes first and from the constraints alone, so that nothing
# else decides which build of it is taken.
.venv/core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt --editable .
	touch $@

# The tools of development on top of it.
.venv/installed: .venv/core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $@

clean:
	rm -rf .venv web/node_modules build dist docs/api sparsecut-demo .coverage .coverage.* .mypy_cache .pytest_cache .ruff_cache .hypothesis
