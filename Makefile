# Everything runs in .venv, which tools/setup_environment.py makes from requirements.lock on first
# use. Another interpreter: make PYTHON=python3.12 test. More arguments: make test ARGS="-k pots".

# Tests and tools start hundreds of processes. Each would compile the sources anew if this said so.
export PYTHONDONTWRITEBYTECODE :=

PYTHON = python3
BIN = .venv/bin
ARGS =
LIBRARIES = $(patsubst %/requirements.in,%,$(wildcard tests/libraries/*/requirements.in))

.PHONY: help demo test generic slow benchmark check docs links format tables lock zipapp clean environment

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' Makefile

demo: environment ## train an agent and watch it play
	$(BIN)/sabacc demo $(ARGS)

test: environment ## run the tests, the slow ones left out
	$(BIN)/python -m pytest $(ARGS)

generic: environment ## run the tests as any processor could: without AVX, precision float32
	NUMBA_CPU_NAME=generic ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 \
		MKL_ENABLE_INSTRUCTIONS=SSE4_2 $(BIN)/python -m pytest $(ARGS)

slow: environment ## run the tests that take minutes
	$(BIN)/python -m pytest -m slow $(ARGS)

benchmark: environment ## measure speed beside the peers, which it installs: the README's figures
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-build-isolation --editable ".[bench]"
	$(BIN)/sabacc bench --cold --output docs/bench $(ARGS)
	$(BIN)/python tools/generate_tables.py

check: environment ## lint, format, types, direction of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

docs: environment ## build the documentation site, warnings as errors: docs/_build/index.html
	$(BIN)/python -m sphinx --builder html --jobs auto --fail-on-warning --keep-going --quiet \
		docs docs/_build $(ARGS)

links: environment ## ask every address that the documentation links to (needs a network)
	$(BIN)/python -m sphinx --builder linkcheck docs docs/_build/links $(ARGS)

format: environment ## put the code in form, with the lint fixes that are safe
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format

tables: environment ## write the generated tables of docs/ anew
	$(BIN)/python tools/generate_tables.py

lock: environment ## write requirements.lock and those of tests/libraries anew; newest: ARGS=--upgrade
	$(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
		--extra train --group dev --no-emit-package sabacc-env \
		--generate-hashes --no-annotate --custom-compile-command "make lock" \
		--output-file requirements.lock $(ARGS)
	for folder in $(LIBRARIES); do \
		$(BIN)/uv pip compile pyproject.toml $$folder/requirements.in --quiet --python-version 3.11 \
			--no-emit-package sabacc-env --no-annotate --custom-compile-command "make lock" \
			--output-file $$folder/requirements.txt $(ARGS) || exit; \
	done

zipapp: environment ## write dist/sabacc.pyz: `sabacc` in one file, for a Python with the dependencies
	$(BIN)/python tools/build_zipapp.py $(ARGS)

clean: ## remove what the tools left behind; .venv stays
	rm -rf dist docs/_build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +

environment:
	@$(PYTHON) -c 'import sys; sys.version_info < (3, 11) and sys.exit("sabacc-env needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@$(PYTHON) tools/setup_environment.py
