# make demo   learns a graph from an example table and prints it beside the truth
# make test   all tests: those that need the clock alone, then the others on all cores, and the examples in docstrings
# make check  lint, types, format, and which module may use which
# make clang  compiles the engine with clang, and libc++ where it is installed, without a warning
# make docs   the documentation, into build/docs/index.html
# make long   the long differential and population tests (some minutes on two cores)
# make sanitize  every score and posterior on one and on several threads, under Address-, UndefinedBehavior- and ThreadSanitizer
# make bench  renews benchmarks/RESULTS.md: bench-instructions, -peers, -threads, -moments, -scaling,
#             -cases, -dense and others, each of which can be run alone (long: some peers are slow)
# make bench-large  the section on up to 20,000 columns; drawing the tables takes several d × d matrices
# make paper-quick  every figure of the paper from reduced grids, into build/paper-quick (minutes)
# make paper  the same from full grids, into docs (an hour or more; goes on where it was stopped)
# Each sets up what it needs in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ENGINE := $(shell find src/core src/bindings -name '*.[ch]pp')
SOURCES := pyproject.toml CMakeLists.txt $(ENGINE)
# Tests and benchmarks measure; a thread pool that waits for busy cores would distort them.
export OPENBLAS_NUM_THREADS = 1

SPEED := instructions peers threads moments scaling large discrete gaussian
.PHONY: demo test clang check docs long sanitize bench bench-cases bench-mixed bench-prior bench-bge bench-missing bench-effort bench-rivals bench-dense bench-posterior bench-effects paper paper-quick clean $(SPEED:%=bench-%)
.DELETE_ON_ERROR:
# Benchmarks would slow each other down.
.NOTPARALLEL:

demo: $(VENV)/installed
	$(BIN)/python examples/demo.py

test: $(VENV)/installed-test
	$(BIN)/python -m pytest -m clock
	$(BIN)/python -m pytest -m "not clock and not clang" -n $(shell nproc) --dist worksteal

clang: $(VENV)/installed-test
	$(BIN)/python -m pytest -m clang

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run --Werror $(ENGINE) benchmarks/speed/*.cpp tests/engine/*.cpp

# Warnings are errors, and every name that the text refers to must be there.
docs: $(VENV)/installed-docs
	$(BIN)/python -m sphinx -q -W --keep-going -n -d build/docs-cache docs build/docs
	@echo "the documentation is in build/docs/index.html"

long: $(VENV)/installed-test
	PYTHONPATH=tests $(BIN)/python tests/engine/differential_long.py
	PYTHONPATH=tests $(BIN)/python tests/engine/knowledge_long.py

sanitize:
	for preset in sanitize sanitize-threads; do \
	  cmake --preset $$preset && cmake --build --preset $$preset && build/$$preset/sanitized || exit 1; \
	done

bench: bench-instructions bench-peers bench-threads bench-moments bench-scaling bench-cases bench-dense bench-effects bench-mixed bench-discrete bench-prior bench-bge bench-missing bench-gaussian

$(SPEED:%=bench-%): bench-%: $(VENV)/installed-bench
	$(BIN)/python benchmarks/speed/$*.py --save

bench-cases bench-mixed bench-prior bench-bge bench-missing bench-effort bench-rivals bench-dense bench-posterior: bench-%: $(VENV)/installed-bench
	$(BIN)/python benchmarks/$*.py --save

bench-effects: $(VENV)/installed-bench
	$(BIN)/python benchmarks/cases.py --effects --save

paper-quick: $(VENV)/installed-bench
	PYTHONPATH=benchmarks $(BIN)/python -m paper --quick

paper: $(VENV)/installed-bench
	PYTHONPATH=benchmarks $(BIN)/python -m paper

clean:
	rm -rf $(VENV) build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV) || { echo "python3 cannot make a virtual environment; on Debian: apt install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[cli,report]'
	touch $@

# By name, not by path: greedag is there, only what the extra names is missing, and nothing is compiled again.
$(VENV)/installed-test: $(VENV)/installed
	$(BIN)/python -m pip install --quiet 'greedag[test]'
	touch $@

$(VENV)/installed-docs: $(VENV)/installed
	$(BIN)/python -m pip install --quiet 'greedag[docs]'
	touch $@

$(VENV)/installed-bench: $(VENV)/installed
	$(BIN)/python -m pip install --quiet 'greedag[cli,bench]'
	touch $@

$(VENV)/installed-dev: $(VENV)/installed-test
	$(BIN)/python -m pip install --quiet 'greedag[test,dev]'
	touch $@
