# Every target sets up what it needs, in .venv: on a machine with Python 3.11 and make, nothing else has
# to be done by hand. Node comes from PyPI. A stamp file says that a step is done; touching what the
# step depends on makes it run again.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:

PYTHON ?= python3
ARGS ?=
# How many processes tests are shared among is decided in tests/conftest.py, and ARGS=-n0 is one.
WORKERS := -n auto --dist loadfile --no-loadscope-reorder

VENV := .venv
DONE := $(VENV)/done
PIP := $(VENV)/bin/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install -qq --constraint .ci/constraints.txt

export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export PYTHONNOUSERSITE := 1
# Trust whom the machine trusts, as pip does: node has a list of its own.
export NODE_USE_SYSTEM_CA ?= 1
unexport PYTHONHOME PYTHONPATH
# Where nothing compiled may be kept, each of the processes that tests start compiles all of it anew.
unexport PYTHONDONTWRITEBYTECODE

FRONTEND := $(shell find extension/src extension/style -type f 2>/dev/null) \
  $(wildcard extension/scripts/* extension/tsconfig*.json)

.PHONY: help
help:  ## Say what there is
	@echo "make demo        open the tour in JupyterLab (ARGS=--no-browser only prints its address)"
	@echo "make test        all tests: Python, notebooks, the front end, and a real JupyterLab"
	@echo "make parity      compare with PyTorch, program by program"
	@echo "make fuzz        random calls and programs on both (ARGS='--minutes 5 --seed 1 --only add')"
	@echo "make pytorch-models  step models of transformers and torchdiffeq; watch trainers of Lightning and others"
	@echo "make pytorch-other   step PyTorch's graphs with another PyTorch (TORCH=2.4.1)"
	@echo "make hosts       other programs that show vizgrad: marimo, papermill, JupyterLite, VS Code's manager of widgets"
	@echo "make lint        ruff, codespell, pyright, the layers, eslint, tsc, prettier"
	@echo "make bench       time against PyTorch and others"
	@echo "make story       README's picture and its animation, taken anew"
	@echo "make gallery     a picture of every state of the view (ARGS='folder --only stale --looks light')"
	@echo "make gpu-test    the tests that need an NVIDIA GPU (CUDA=12 or CUDA=13)"
	@echo "make gpu-emulated  the same on an emulated GPU: the real cupy, its kernels on the CPU"
	@echo "make gpu-portion a twelfth of it, which continuous integration runs"
	@echo "make docs        the site, in build/docs/html: course with live figures, guide, reference; checked"
	@echo "make release     sdist and wheel of the last commit in dist/, built twice, checked, and tried afresh"
	@echo "make format      let ruff and prettier write, and the stub for typing tools"
	@echo "make types       write what the browser knows of the model and the messages, from Python"
	@echo "make clean       remove everything that was built or installed here"
	@echo
	@echo "ARGS=... is handed on: make test ARGS='tests/core/engine -k hooks'"

# --- what a person runs -------------------------------------------------------------------------------
# Targets that show something in a view or a browser need the front end; the rest runs from the sources.

.PHONY: demo
demo: $(DONE)/project $(DONE)/needs-lab
	jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) \
	  --ServerApp.root_dir=notebooks --LabApp.default_url=/lab/tree/00_tour.ipynb $(ARGS)

.PHONY: test
test: $(DONE)/builder
	@.ci/beside $(DONE)/beside.log $(MAKE) --no-print-directory $(DONE)/frontend \
	  -- $(MAKE) --no-print-directory $(DONE)/needs-test browser
	@$(MAKE) --no-print-directory $(DONE)/project
	@.ci/beside $(DONE)/vitest.log bash -c "cd extension && jlpm test" -- python -m pytest $(WORKERS) $(ARGS)

# While the front end's packages come and it is built, so do Python's packages and the browser.
.PHONY: browser
browser: $(DONE)/needs-test
	@.ci/browser
	@.ci/fonts

# Then the halves of other tests that need PyTorch, which `make test` skips where it is not installed.
.PHONY: parity
parity: $(DONE)/project $(DONE)/needs-parity browser
	python -m pytest -n auto --dist worksteal tests/oracle tests/fuzz tests/debugger/engines/pytorch \
	  tests/pains/library $(ARGS)
	$(if $(ARGS),,python -m pytest tests/core tests/debugger tests/distributed \
	  tests/packaging/test_docs.py tests/packaging/test_code_blocks.py tests/ui/test_engines.py -k torch \
	  --ignore tests/debugger/engines/pytorch)

.PHONY: pytorch-models
pytorch-models: $(DONE)/project $(DONE)/needs-test $(DONE)/needs-models
	python -m pytest -n auto --dist worksteal tests/debugger/engines/pytorch tests/integrations tests/pains/library
	python -m tests.debugger.engines.pytorch.random_walks $(if $(ARGS),$(ARGS),--count 200)

# Another PyTorch than parity's; TORCH_INDEX=... says where its builds for the CPU are.
.PHONY: pytorch-other
pytorch-other: TORCH ?= 2.4.1
pytorch-other: $(DONE)/project $(DONE)/needs-test
	.ci/other-pytorch $(TORCH) $(ARGS)

.PHONY: fuzz
fuzz: $(DONE)/needs-test $(DONE)/needs-parity
	python -m tests.fuzz $(ARGS)

.PHONY: bench
bench: $(DONE)/needs-bench
	python -m tests.benchmarks $(ARGS)

.PHONY: gpu-test
gpu-test: CUDA ?= $(shell nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9]*\).*/\1/p')
gpu-test: $(DONE)/needs-test
	@if [ -z "$(CUDA)" ]; then echo "No NVIDIA GPU here: nvidia-smi says nothing." >&2; exit 1; fi
	@python .ci/requirements.py cuda$(CUDA) >$(DONE)/cuda.txt
	@$(INSTALL) -r $(DONE)/cuda.txt
	python -m pytest tests/gpu $(ARGS)

# Kernels are compiled once, by g++, and kept in .venv/emulated-cuda. Then the same with two devices.
.PHONY: gpu-emulated
gpu-emulated: $(DONE)/needs-test $(DONE)/needs-emulated
	@command -v g++ >/dev/null || .ci/apt-install g++ || { echo "g++ is missing, which compiles the kernels." >&2; exit 1; }
	python -m pytest -p tests.gpu.emulated.plugin -n auto --dist worksteal tests/gpu $(ARGS)
	$(if $(ARGS),,EMULATED_DEVICES=2 python -m pytest -p tests.gpu.emulated.plugin tests/gpu/test_two_devices.py)

# What continuous integration runs: one test of twelve, on two devices; the rest is by hand.
.PHONY: gpu-portion
gpu-portion: export EMULATED_DEVICES = 2
gpu-portion:
	$(MAKE) gpu-emulated ARGS="--portion 12"

# What pages of VS Code and nbconvert load comes from npm; a JupyterLite is built beside; the rest is Python's.
.PHONY: hosts
hosts: $(DONE)/project $(DONE)/needs-test $(DONE)/needs-hosts
	@.ci/browser
	@npm install --prefix $(VENV)/hosts --no-audit --no-fund --ignore-scripts --loglevel=error \
	  @jupyter-widgets/html-manager@1.0.15 @vscode/jupyter-ipywidgets8@1.0.9 requirejs@2
	@.ci/quietly $(DONE)/lite.log .ci/lite python $(VENV)/hosts/lite
	VIZGRAD_HOST_MODULES=$(CURDIR)/$(VENV)/hosts/node_modules VIZGRAD_LITE_SITE=$(CURDIR)/$(VENV)/hosts/lite/site \
	  python -m pytest -n0 tests/hosts $(ARGS)

.PHONY: gallery
gallery: $(DONE)/project $(DONE)/needs-test
	@.ci/browser
	@.ci/fonts
	python -m tests.ui.gallery $(ARGS)

.PHONY: story
story: $(DONE)/project $(DONE)/needs-test
	python -m tests.ui.story $(ARGS)

.PHONY: lint
lint: $(DONE)/modules $(DONE)/needs-lint
	.ci/lint

# Notebooks run again only if they or vizgrad have changed, with ARGS=--as-run not even then; --full trains fully.
.PHONY: docs
docs: $(DONE)/project $(DONE)/needs-docs $(DONE)/needs-parity
	python .ci/docs/stage.py build/docs $(ARGS)
	python -m sphinx --quiet --fail-on-warning --keep-going --builder html \
	  --define html_search_scorer=build/docs/source/_static/scorer.js build/docs/source build/docs/html
	@.ci/browser
	python .ci/docs/check.py build/docs/html

# From the last commit, not from what lies about; ARGS=--quick leaves out the fresh environment, and
# ARGS='--picture FILE' keeps what the browser showed from it.
.PHONY: release
release: $(DONE)/modules $(DONE)/needs-release
	python .ci/release/packages.py dist
	python .ci/release/check.py dist
	$(if $(filter --quick,$(ARGS)),,@.ci/browser)
	$(if $(filter --quick,$(ARGS)),,python .ci/release/fresh.py dist $(ARGS))

.PHONY: format
format: $(DONE)/modules $(DONE)/needs-lint
	ruff check --fix-only --quiet . ; ruff format .
	python -m vizgrad.core.ops.stub
	python -m vizgrad.debugger.jupyter.widget.typescript
	cd extension && jlpm lint:fix

.PHONY: types
types: $(DONE)/needs-lint
	python -m vizgrad.debugger.jupyter.widget.typescript

.PHONY: clean
clean:
	rm -rf $(VENV) build dist vizgrad/labextension vizgrad/debugger/jupyter/widget/static
	rm -rf extension/{node_modules,lib,.yarn} tests/ui/artifacts
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf .pytest_cache .ruff_cache .hypothesis .import_linter_cache

# --- set-up, step by step -----------------------------------------------------------------------------

$(DONE)/venv: .ci/venv
	@.ci/venv "$(PYTHON)" $(VENV)
	@mkdir -p $(DONE) && touch $@

$(DONE)/builder: $(DONE)/venv pyproject.toml .ci/constraints.txt
	@echo "Installing what builds the project"
	@python .ci/requirements.py build >$(DONE)/build.txt
	@$(INSTALL) -r $(DONE)/build.txt
	@touch $@

$(DONE)/modules: $(DONE)/builder extension/package.json extension/yarn.lock extension/.yarnrc.yml
	@echo "Installing the front end's packages"
	@cd extension && ../.ci/quietly ../$(DONE)/modules.log jlpm install --immutable
	@touch $@

$(DONE)/frontend: $(DONE)/modules $(FRONTEND)
	@echo "Building the labextension and the widget"
	@cd extension && ../.ci/quietly ../$(DONE)/frontend.log jlpm build
	@touch $@

# Editable: Python sources are used where they are. The labextension is copied to where JupyterLab looks.
$(DONE)/project: $(DONE)/frontend extension/install.json extension/jupyter_server_config.json
	@echo "Installing vizgrad into $(VENV)"
	@HATCH_JUPYTER_BUILDER_SKIP_NPM=1 $(INSTALL) --no-build-isolation --editable .
	@touch $@

$(DONE)/needs-%: $(DONE)/venv pyproject.toml .ci/constraints.txt
	@echo "Installing what '$*' needs"
	@python .ci/requirements.py $* >$(DONE)/$*.txt
	@$(INSTALL) -r $(DONE)/$*.txt
	@touch $@
