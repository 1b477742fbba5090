PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready

.PHONY: demo test lint format walk picture clean

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

walk: $(READY)
	$(VENV)/bin/python -m tools.walks --texts docs/walks

picture: $(READY)
	$(VENV)/bin/python -m tools.walks --readme docs

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $(READY)
