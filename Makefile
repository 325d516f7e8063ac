# `make demo` and `make test` need Python >= 3.11, make and git. The environment is .venv, exactly
# as uv.lock pins it.

PYTHON ?= python3
VENV := .venv
# A uv that runs, or else one of our own in .uv (a shim on PATH may be there and not run).
UV := $(shell uv --version >/dev/null 2>&1 && command -v uv || echo .uv/bin/uv)
# The interpreter itself: for a shim's path (pyenv) uv would throw .venv away and build it afresh at
# every sync.
INTERPRETER = $$($(PYTHON) -c 'import sys; print(sys.executable)')
SYNC = UV_PYTHON_DOWNLOADS=never UV_COMPILE_BYTECODE=1 UV_PROJECT_ENVIRONMENT=$(VENV) \
  $(UV) sync --frozen --inexact --python "$(INTERPRETER)"
# softdock's own bytecode too, which a shell with PYTHONDONTWRITEBYTECODE never keeps: without it
# every command compiles 500 files again, 0.3 s.
BYTECODE = $(VENV)/bin/python -m compileall -q src/softdock
CHECK_PYTHON = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
  echo "softdock needs Python 3.11 or newer, and $(PYTHON) is not:" \
    "make PYTHON=/path/to/python3.11 ..." >&2; exit 1; }
LOCKED := uv.lock pyproject.toml src/softdock/_version.py

.PHONY: install-check demo test test-times prove leaderboard docs picture oracles bench gpu-check
.PHONY: fingerprint lint types layers clean

demo: $(VENV)/.synced-run
	$(VENV)/bin/softdock demo

# All tests share one cache of machine code, filled first by both cores; see tests/conftest.py for
# the features.
# Three workers on two cores: while one waits for a rig's clock, a browser or another's compiling,
# two work.
# Python's own bytecode is kept too, whatever the shell says: some hundred processes are started,
# and each would compile 400 files.
# It stays beside the sources, where that of the packages is already.
test prove: export SOFTDOCK_CACHE_DIR = $(CURDIR)/.cache/numba
test prove: export PYTHONPYCACHEPREFIX =
test prove: export PYTHONDONTWRITEBYTECODE =
test: export SOFTDOCK_EVERY_FEATURE = 1
test: $(VENV)/.synced-dev
	$(VENV)/bin/softdock warm epos_1d epos_3d --methods all -j 2
	$(VENV)/bin/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder \
	  -p tests.cpu_times --cpu-times .cache/test_times.json tests

# Where the last `make test` spent its processor time, kept for the order in which the next begins
# (tests/file_times.json).
test-times:
	$(VENV)/bin/python -m tests.cpu_times .cache/test_times.json --keep

# The built wheel, installed by pip into fresh environments of the interpreters that are here, used
# from an empty folder.
install-check: $(VENV)/.synced-dev
	$(VENV)/bin/python tests/install_check.py

# What needs large numbers, at full size and with a fresh seed: results in
# benchmarks/results/prove.json.
prove: $(VENV)/.synced-dev
	$(VENV)/bin/python -m benchmarks.prove

# Methods over the benchmark's cases, on all cores: make leaderboard [QUICK=1] [RANDOM=200 SEED=7]
# [OUT=folder]
leaderboard: $(VENV)/.synced-run
	$(VENV)/bin/softdock benchmark $(if $(QUICK),--quick) $(if $(RANDOM),--random $(RANDOM)) \
	  $(if $(SEED),--seed $(SEED)) $(if $(OUT),--out $(OUT))

# The docs as a site, without a network: open build/docs/index.html.
docs: $(VENV)/.synced-dev
	$(VENV)/bin/python -m sphinx -q -W --keep-going -d build/doctrees docs build/docs
	@echo "build/docs/index.html"

# The README's picture: the demo's page, photographed by the system's chromium.
picture: $(VENV)/.synced-dev
	$(VENV)/bin/python docs/picture.py

# Arms against Pinocchio, the rig's protocols and recordings against independent programs: 480 MB of
# packages. With
# them installed `make test` runs these tests too; SOFTDOCK_REQUIRE_ORACLES=1 fails instead of
# skipping.
oracles: export SOFTDOCK_REQUIRE_ORACLES = 1
oracles: $(VENV)/.synced-oracles
	$(VENV)/bin/python -m pytest -m oracle tests/oracles

bench: $(VENV)/.synced-bench
	$(VENV)/bin/python -m benchmarks

gpu-check: $(VENV)/.synced-dev
	$(VENV)/bin/python -m benchmarks.gpu_check

# Has any number moved since another commit? make fingerprint BASE=main [QUICK=1]
# [PARTS=presets,methods]
fingerprint: $(VENV)/.synced-dev
	@test -n "$(BASE)" || { \
	  echo "which commit? make fingerprint BASE=REV [QUICK=1] [PARTS=presets,methods,...]" >&2; \
	  exit 2; }
	$(VENV)/bin/python -m benchmarks.fingerprint against $(BASE) $(if $(QUICK),--quick) \
	  $(if $(PARTS),--parts $(PARTS))

lint: $(VENV)/.synced-dev
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

types: $(VENV)/.synced-dev
	$(VENV)/bin/mypy

layers: $(VENV)/.synced-dev
	$(VENV)/bin/lint-imports

clean:
	rm -rf .venv .uv .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache \
	  .ruff_cache build dist out
	find src tests benchmarks docs examples -name __pycache__ -type d -prune \
	  -exec rm -rf {} + 2>/dev/null || true

# --inexact: a smaller set of packages never removes what a larger one installed.
$(VENV)/.synced-run: $(LOCKED) | $(UV)
	@$(CHECK_PYTHON)
	$(SYNC) --no-dev
	$(BYTECODE)
	@touch $@

$(VENV)/.synced-dev: $(LOCKED) | $(UV)
	@$(CHECK_PYTHON)
	$(SYNC) --group dev
	$(BYTECODE)
	@touch $@ $(VENV)/.synced-run

$(VENV)/.synced-bench: $(LOCKED) | $(UV)
	@$(CHECK_PYTHON)
	$(SYNC) --group dev --group bench
	$(BYTECODE)
	@touch $@ $(VENV)/.synced-dev $(VENV)/.synced-run

$(VENV)/.synced-oracles: $(LOCKED) | $(UV)
	@$(CHECK_PYTHON)
	$(SYNC) --group dev --group oracles
	$(BYTECODE)
	@touch $@ $(VENV)/.synced-dev $(VENV)/.synced-run

.uv/bin/uv:
	@$(CHECK_PYTHON)
	$(PYTHON) -m venv .uv
	.uv/bin/pip install --quiet uv
