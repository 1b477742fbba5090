PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready

.PHONY: demo test lint format picture clean

demo: $(READY)
	$(VENV)/bin/assistant demo

test: $(READY)
	$(VENV)/bin/pytest -n auto --dist worksteal

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports

format: $(READY)
	$(VENV)/bin/ruff format .
	$(VENV)/bin/ruff check --fix .

picture: $(READY)
	$(VENV)/bin/python tools/picture.py docs/turn.svg docs/memory.svg

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)
