# Everything needed to run, test and ship; `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PREFIX ?= /usr/local
DESTDIR ?=
SAMPLE := sample

.DEFAULT_GOAL := help
.PHONY: help run dev test test-all lint fmt types bench man completions check-generated \
	install uninstall dist clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/openclaw: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/dev: $(BIN)/openclaw
	$(BIN)/python -m pip install --quiet --editable '.[notify]' --group dev
	@touch $@

run: $(BIN)/openclaw ## set up and run the nightly sweep on a sample tree (offline, no key)
	@$(BIN)/python examples/month.py $(SAMPLE)

dev: $(VENV)/dev ## set up the tools for working on it

test: $(VENV)/dev ## set up and run the tests
	$(BIN)/python -m pytest -n auto -q

test-all: $(VENV)/dev ## the tests with more examples, and with branch coverage
	HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest -n auto -q --cov --cov-report=term:skip-covered

lint: $(VENV)/dev ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

fmt: $(VENV)/dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/dev ## check types
	$(BIN)/mypy

bench: $(VENV)/dev ## measure speed and memory, as ratios to importing click
	$(BIN)/python -m tests.bench

clean: ## remove what was built
	rm -rf $(VENV) $(SAMPLE) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
