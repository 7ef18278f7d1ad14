# Everything needs Python 3.11 or newer and nothing else: the first target that runs makes .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench wheel docs clean
.DEFAULT_GOAL := test

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip

$(VENV)/.installed: $(BIN)/python pyproject.toml
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.developer: $(BIN)/python pyproject.toml
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.installed

demo: $(VENV)/.installed  ## dry-run the sample calls and explain one of them
	$(BIN)/callgate eval --bundle echo --settings docs/samples/config.yaml docs/samples/calls.jsonl
	@echo
	$(BIN)/callgate explain --bundle echo --settings docs/samples/config.yaml \
	  --tool exec --arg command='cd /srv/app && rm -r build' --context channel=telegram --context sender_id=user_123 \
	  || test $$? -eq 4  # 4: somebody has to be asked
	@echo
	@echo 'Go on with $(BIN)/callgate --help, docs/tutorial.md, or make test.'

test: $(VENV)/.developer  ## the whole test suite
	$(BIN)/python -m pytest

check: $(VENV)/.developer  ## lint and types
	$(BIN)/ruff check engine tests docs
	$(BIN)/ruff format --check engine tests docs
	$(BIN)/mypy

bench: $(VENV)/.developer  ## the figures, as times and ratios
	$(BIN)/python -m tests.benchmarks

wheel: $(VENV)/.developer  ## dist/callgate-*.whl
	$(BIN)/python -m build --wheel --outdir dist .

docs: $(VENV)/.developer  ## tables, pictures and command outputs in the documentation
	$(BIN)/python docs/language_tables.py
	$(BIN)/python docs/settings_page.py
	$(BIN)/python docs/lint_page.py
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find engine tests policies grammar -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf engine/*.egg-info *.egg-info
