# Everything needed to run, test and ship; `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PREFIX ?= /usr/local
DESTDIR ?=
SAMPLE := sample
EXTRAS ?=
SOURCE ?= .
LIB := $(PREFIX)/lib/openclaw-cli
SHARED := man/man1 man/man5 man/man7 bash-completion/completions zsh/site-functions \
	fish/vendor_completions.d openclaw-cli/jobs
MANUAL := $(foreach page,$(notdir $(wildcard man/*.[157])),man$(subst .,,$(suffix $(page)))/$(page))

.DEFAULT_GOAL := help
.PHONY: help run dev test test-all lint fmt types docs bench man completions check-generated \
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
	$(BIN)/python -m pytest -n auto --dist worksteal -q

test-all: $(VENV)/dev ## the tests with more examples, and with branch coverage
	HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest -n auto --dist worksteal -q --cov --cov-report=term:skip-covered

lint: $(VENV)/dev ## check style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

fmt: $(VENV)/dev ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

types: $(VENV)/dev ## check types
	$(BIN)/mypy

docs: $(VENV)/dev ## rewrite what the program prints in README and docs/
	UPDATE_DOCS=1 $(BIN)/python -m pytest tests/system/test_docs.py -q

bench: $(VENV)/dev ## measure retrieval and memories (where their data is), speed and memory use
	$(BIN)/python -m tests.bench.retrieval
	$(BIN)/python -m tests.bench.months
	$(BIN)/python -m tests.bench

man: $(VENV)/dev ## write the manual pages from the commands and man/*.inc
	$(BIN)/python man/build.py

completions: $(VENV)/dev ## write the completion scripts
	$(BIN)/openclaw completion bash > completions/openclaw.bash
	$(BIN)/openclaw completion zsh > completions/_openclaw
	$(BIN)/openclaw completion fish > completions/openclaw.fish

check-generated: $(VENV)/dev ## fail when manual pages or completion scripts are stale
	$(BIN)/python man/build.py --check
	@$(BIN)/openclaw completion bash | cmp - completions/openclaw.bash
	@$(BIN)/openclaw completion zsh | cmp - completions/_openclaw
	@$(BIN)/openclaw completion fish | cmp - completions/openclaw.fish

dist: $(VENV)/dev check-generated ## build sdist and wheel into dist/
	$(BIN)/python -m build --outdir dist .

# The program gets a Python environment of its own, so that nothing of the host's can break it
# or be broken by it; EXTRAS='[notify]' brings apprise along, SOURCE=FILE.whl takes a wheel.
install: ## install program, manual pages, completions and unit templates below PREFIX
	$(PYTHON) -m venv --clear $(DESTDIR)$(LIB)
	$(DESTDIR)$(LIB)/bin/python -m pip install --quiet '$(SOURCE)$(EXTRAS)'
	install -d $(addprefix $(DESTDIR)$(PREFIX)/,bin $(addprefix share/,$(SHARED)))
	printf '#!%s\nfrom openclaw_cli.cli.main import main\n\nmain()\n' $(LIB)/bin/python \
		> $(DESTDIR)$(PREFIX)/bin/openclaw
	chmod 755 $(DESTDIR)$(PREFIX)/bin/openclaw
	for section in 1 5 7; do \
		install -m 644 man/*.$$section $(DESTDIR)$(PREFIX)/share/man/man$$section/; done
	install -m 644 completions/openclaw.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/openclaw
	install -m 644 completions/_openclaw $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_openclaw
	install -m 644 completions/openclaw.fish \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/openclaw.fish
	install -m 644 jobs/openclaw* $(DESTDIR)$(PREFIX)/share/openclaw-cli/jobs/

uninstall: ## remove what `make install` put there; state trees and jobs stay
	rm -rf $(DESTDIR)$(LIB) $(DESTDIR)$(PREFIX)/share/openclaw-cli
	rm -f $(DESTDIR)$(PREFIX)/bin/openclaw \
		$(addprefix $(DESTDIR)$(PREFIX)/share/man/,$(MANUAL)) \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/openclaw \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_openclaw \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/openclaw.fish

clean: ## remove what was built
	rm -rf $(VENV) $(SAMPLE) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
