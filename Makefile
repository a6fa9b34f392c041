# Two commands do everything from a plain python3 with venv and pip: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
NATIVE := pyproject.toml CMakeLists.txt $(wildcard src/seamark/native/*)
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: api stubs demo dist docs everything test test-slow test-reference test-floors test-newest lint types imports check review release-check bench-kernels bench-digits bench-approximation bench-learned bench-ball bench-online bench-strings bench-alignment bench-fitting bench-search bench-scale bench-serving contest scores coverage bench-cuda test-cuda bench-heads tables sanitize fuzz screenshot screenshots clean

# Groups of pyproject.toml need pip 25.1.
$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/python -m pip --disable-pip-version-check -q install "pip>=25.1"

# The package itself, editable: Python files are used where they lie, native ones are built again
# when they change.
$(VENV)/.package: $(BIN)/python $(NATIVE)
	$(PIP) install -e .
	touch $@

$(VENV)/.test: $(VENV)/.package
	$(PIP) install --group test -e .
	touch $@

$(VENV)/.lint: $(VENV)/.test
	$(PIP) install --group lint
	touch $@

$(VENV)/.bench: $(VENV)/.test
	$(PIP) install --group bench -e .
	touch $@

$(VENV)/.docs: $(VENV)/.test
	$(PIP) install --group docs -e .
	touch $@

$(VENV)/.review: $(BIN)/python
	$(PIP) install --group review
	touch $@

$(VENV)/.dist: $(BIN)/python
	$(PIP) install --group dist
	touch $@

# All of these at once, so that the native module is built one time only.
everything: $(BIN)/python
	$(PIP) install --group dev -e .
	touch $(addprefix $(VENV)/.,package test lint docs dist)

demo: $(VENV)/.package
	$(BIN)/python examples/demo.py

# What is skipped is listed with its reason.
test: $(VENV)/.test
	$(BIN)/python -m pytest -q

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -q -m slow

# The same tests on the numpy reference, as on a machine without a compiler.
test-reference: $(VENV)/.test
	SEAMARK_ISA=reference $(BIN)/python -m pytest -q

# The same tests with the oldest version of everything that is declared.
test-floors:
	$(PYTHON) -m venv build/floors
	build/floors/bin/python -m pip --disable-pip-version-check -q install "pip>=25.1"
	$(PYTHON) .ci/floors.py > build/floors/constraints.txt
	build/floors/bin/python -m pip --disable-pip-version-check -q install -c build/floors/constraints.txt --group test -e .
	build/floors/bin/python -m pytest -q

# The same tests with the newest version of everything, pre-releases included.
test-newest:
	$(PYTHON) -m venv build/newest
	build/newest/bin/python -m pip --disable-pip-version-check -q install "pip>=25.1"
	build/newest/bin/python -m pip --disable-pip-version-check -q install --pre --upgrade --group test -e .
	build/newest/bin/python -m pytest -q

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.lint
	$(BIN)/mypy

imports: $(VENV)/.lint
	$(BIN)/lint-imports

check: lint types imports test

# What the scientific Python guide asks of a repository, and what is unsafe in its workflows.
review: $(VENV)/.review
	$(BIN)/sp-repo-review .
	$(BIN)/zizmor --offline .

# Everything that a release is to pass, about an hour; pages that are older than their code are listed.
release-check: check review test-reference test-slow test-floors test-newest docs dist sanitize fuzz
	$(PYTHON) .ci/pages.py

# The API reference, from what the rooms say is public.
api: $(VENV)/.package
	$(BIN)/python docs/make_measures.py
	$(BIN)/python docs/make_api.py

# Types of the native module, as nanobind sees its bindings.
stubs: $(VENV)/.package
	$(PIP) install nanobind
	$(BIN)/python -m nanobind.stubgen -m seamark.engine._native -o src/seamark/engine/_native.pyi

# The site, in build/docs; examples are run, warnings are errors.
docs: $(VENV)/.docs
	rm -rf docs/gallery docs/generated build/docs
	$(BIN)/python -m sphinx -W --keep-going -q -j auto -b html docs build/docs
	@echo build/docs/index.html

# The sdist, and the wheel made from it, in dist/; the wheel is installed where nothing can be
# compiled, and the demo runs there on native kernels, away from these sources.
INSTALLED := $(abspath build/installed)
dist: $(VENV)/.dist
	rm -rf dist $(INSTALLED) && mkdir -p $(INSTALLED)
	$(BIN)/python -m build > $(INSTALLED)/build.log || (cat $(INSTALLED)/build.log && false)
	$(BIN)/python .ci/check_dist.py
	$(BIN)/python -m twine check --strict dist/*
	$(PYTHON) -m venv $(INSTALLED)/venv
	CC=/bin/false CXX=/bin/false $(INSTALLED)/venv/bin/python -m pip --disable-pip-version-check -q \
	  install --only-binary :all: dist/*.whl
	cd / && $(INSTALLED)/venv/bin/python -I $(CURDIR)/.ci/native_kernels.py
	cd / && $(INSTALLED)/venv/bin/python -I $(CURDIR)/examples/demo.py
	cd / && $(INSTALLED)/venv/bin/python -I $(CURDIR)/tests/saving/predict_alone.py

bench-kernels: $(VENV)/.bench
	$(BIN)/python -m benchmarks.kernels
	OMP_NUM_THREADS=1 NUMBA_NUM_THREADS=1 $(BIN)/python -m benchmarks.kernels.series_parts

# Figure 3.1: random features of dot-product kernels, ours and others'.
bench-approximation: $(VENV)/.bench
	$(BIN)/python -m benchmarks.approximation

# D2KE on 60 000 strings, from the data folder SEAMARK_DATA.
bench-digits: $(VENV)/.bench
	$(BIN)/python -m benchmarks.digits

# A fit and scikit-learn's ridge on the same features, from the data folder SEAMARK_DATA.
bench-fitting: $(VENV)/.bench
	$(BIN)/python -m benchmarks.fitting --digits

# Objects chosen among many against random ones, from the data folder SEAMARK_DATA.
bench-learned: $(VENV)/.bench
	$(BIN)/python -m benchmarks.learned_d2ke

# Time and peak memory over the number of rows: in memory, from Parquet, on Dask workers. Options go
# through SCALE, as in `make bench-scale SCALE="--rows 200000 --ways parquet dask2"`.
bench-scale: $(VENV)/.bench
	$(PIP) install -e ".[parquet,dask]" pandas
	$(BIN)/python -m benchmarks.scale $(SCALE)

# A call, a load, and the served example over loopback.
bench-serving: $(VENV)/.bench
	$(PIP) install psutil "starlette>=0.42" "uvicorn>=0.33"
	$(BIN)/python -m benchmarks.serving

# Heads that iterate, against the sources of an older version: make bench-heads BEFORE=…/src.
bench-heads: $(VENV)/.bench
	$(BIN)/python -m benchmarks.heads_speed --before $(BEFORE)

# Figure 1 of Sinha and Duchi: a poor kernel, and a learned one.
bench-ball: $(VENV)/.bench
	$(BIN)/python -m benchmarks.ball

# A million points through AUCClassifier.partial_fit, on one thread.
bench-online: $(VENV)/.bench
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.online

# Search and duplicates against RapidFuzz and aeon.
bench-search: $(VENV)/.bench
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.search

# Intervals on noise of every kind; options as in `make coverage COVERAGE="--runs 40 --rows 400"`.
coverage: $(VENV)/.test
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.noise $(COVERAGE)

# Scores of models as they come, kept for each commit in benchmarks/scores, against the last ones kept;
# options go through SCORES, as in `make scores SCORES="--compare 0a22df2 1b2c3d4"`.
scores: $(VENV)/.test
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.scores $(SCORES)

bench-strings: $(VENV)/.bench
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.string_kernels

# On a machine with an NVIDIA GPU and CuPy: the kernels' own tests, and the suites of kernels, measures,
# maps, heads and models with the GPU as their backend; a process for each file, side by side.
test-cuda: $(VENV)/.test
	$(BIN)/python -m benchmarks.cuda_tests

# Local alignment and Wasserstein distances, against parasail, POT and scipy.
bench-alignment: $(VENV)/.bench
	$(PIP) install parasail POT
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.alignment

# The kernels, whole fits and tests on the GPU; digits from the data folder SEAMARK_DATA.
bench-cuda: $(VENV)/.bench
	$(BIN)/python -m benchmarks.cuda

# The papers' tables on the data folder SEAMARK_DATA; finished cells are kept in .benchmarks/tables.
# Options go through TABLES, as in `make tables TABLES="--table 5.1a --quick"`.
tables: $(VENV)/.bench
	$(BIN)/python -m benchmarks.tables $(TABLES)

# Native tests, and the readers of files, under AddressSanitizer and UBSan, in a build of their own.
sanitize: $(VENV)/.test
	$(PIP) install nanobind
	cmake -S . -B build/sanitize -DSEAMARK_SANITIZE=ON -DPython_EXECUTABLE=$(abspath $(BIN)/python) > build/sanitize.log
	cmake --build build/sanitize -j2 >> build/sanitize.log
	rm -rf build/sanitized && mkdir -p build/sanitized && cp -r src/seamark build/sanitized/
	rm -f build/sanitized/seamark/engine/_native*.so && cp build/sanitize/_native*.so build/sanitized/seamark/engine/
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 PYTHONPATH=build/sanitized PYTHONMALLOC=malloc \
	$(BIN)/python tests/sanitized.py -q -s -p no:cacheprovider tests/engine/test_levenshtein_kernel.py \
	tests/engine/test_strings_kernel.py tests/measures/test_substring.py tests/measures/test_member.py tests/measures/test_ngrams.py \
	tests/engine/test_edits_kernel.py tests/engine/test_edit_search_kernel.py tests/search/test_bounds.py tests/engine/test_elastic_kernel.py tests/engine/test_subsequence_kernel.py tests/maps/test_convolution.py tests/maps/test_forest_scores.py \
	tests/engine/test_dtw_kernel.py tests/engine/test_auc_kernel.py tests/measures/test_sets.py tests/measures/test_strings.py \
	tests/measures/test_vectors.py tests/measures/test_series.py tests/measures/test_mixed_scales.py tests/online/test_auc_classifier.py \
	tests/data/test_sparse_rows.py tests/saving/test_hostile_files.py tests/saving/test_damaged_bytes.py \
	tests/saving/test_trusted_arrays.py tests/saving/test_written_values.py tests/saving/sanitized_files.py

# Damaged files through load, predict and explain: about ten minutes on two cores for 10⁵.
FUZZ ?= 100000
fuzz: $(VENV)/.test
	$(BIN)/python tests/saving/fuzz.py --count $(FUZZ)

# The report page as Chromium shows it: light, dark, on a phone, with arrays.
screenshot: $(VENV)/.test
	$(BIN)/python tests/plotting/screenshot.py build/screenshots

# The tutorial's commands, run one after the other, and the pictures of their pages that it shows.
screenshots: $(VENV)/.test
	$(BIN)/python tests/newcomer.py build/walk --screenshots docs/_static

clean:
	rm -rf build dist .venv* .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Our defaults and what people use today, on the data folder SEAMARK_DATA; finished cells are kept in
# .benchmarks/contest. Options go through CONTEST, as in `make contest CONTEST="--round strings"`.
contest: $(VENV)/.bench
	$(PIP) install skrub lightgbm pandas
	$(BIN)/python -m benchmarks.contest $(CONTEST)
