# Everything a newcomer needs; a Python >= 3.10 (python3), its venv module and a C compiler are assumed.
#   make parse TEXT="The cat sat on the mat."    environment, build, the bundled pipeline, the parse: no torch
#   make dev                                     environment, torch, the library editable: .venv/bin/pytest tests/trees
#   make test                                    environment, build, torch, the tests on what is installed
#   make test-all                                the slow ones too: fuzzers, processes, an environment without torch
#   make lint                                    ruff, cython-lint, mypy, and how the package reads
#   make resolve                                 which versions each Python gets
#   make release                                 all distributions in dist/, checked, installed and tried
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
TESTABLE := $(VENV)/.testable
EDITABLE := $(VENV)/.editable
LINTERS := $(VENV)/.linters
TOY := training/toy
# The bundled pipelines: folders of this checkout, or the wheels of PACKAGES_DIR, by the checksums beside them. English is
# parsed by the toy pipeline where there are none.
ifdef PACKAGES_DIR
newest = $(lastword $(sort $(wildcard $(PACKAGES_DIR)/$(1)-*.whl)))
else
newest = $(patsubst %/meta.json,./%,$(lastword $(sort $(wildcard packages/$(1)-*/meta.json))))
endif
PACKAGE := $(call newest,en_lal_md)
PACKAGES := $(PACKAGE) $(call newest,is_lal_md) $(call newest,fr_lal_md) $(call newest,id_lal_md)
PACKAGE_FILES := $(foreach package,$(PACKAGES),$(if $(filter %.whl,$(package)),$(package),$(package)/meta.json))
CHECK_PACKAGES := $(if $(PACKAGES_DIR),cd "$(PACKAGES_DIR)" && $(or $(shell command -v sha256sum),shasum -a 256) --check --quiet SHA256SUMS,:)
ENGLISH := $(VENV)/.english
BUNDLED := $(VENV)/.bundled
PIPELINE := $(if $(PACKAGE),en_lal_md,$(TOY)/model-best)
PIPELINE_READY := $(if $(PACKAGE),$(ENGLISH),$(TOY)/.trained)
PIP_QUIET := --disable-pip-version-check --no-input --quiet --quiet

METADATA := setup.py setup.cfg pyproject.toml MANIFEST.in constraints.txt README.md
COMPILED := $(shell find spacy_lal -name '*.pyx' -o -name '*.pxd' -o -name '*.h')
SOURCES := $(COMPILED) $(shell find spacy_lal -name '*.py' -o -name '*.pyi')

# The matrices of the tests and of the toy pipeline are small: more threads would wait for one another.
OMP_NUM_THREADS ?= 1
export OMP_NUM_THREADS

# TEXT reaches the program through the environment, untouched by make and by the shell: $, quotes and newlines stay.
ifeq ($(origin TEXT),undefined)
TEXT := The quick brown fox jumps over the lazy dog .
else
override TEXT := $(value TEXT)
endif
export TEXT

# Worker processes of the tests, 0 for none: each takes about 2 GB at most.
WORKERS ?= 2

.PHONY: help install dev parse toy test test-all test-cluster test-app lint resolve release clean
.DELETE_ON_ERROR:

help:
	@sed -n 's/^#   //p' $(MAKEFILE_LIST)

install: $(INSTALLED)

# The stamps are written last, so that an installation that failed half-way is tried again. build/lib* goes first: setuptools
# would put a module that was since removed into the wheel. The compiled modules are copied beside their sources because
# `python -m ...`, started in this folder, finds the source tree before the installed package.
$(INSTALLED): $(METADATA) $(SOURCES)
	@rm -f $@ $(EDITABLE); rm -rf build/lib*
	@test -x $(BIN)/pip || { echo "Making $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing spaCy and ONNX Runtime into $(VENV), and compiling the library (once; two minutes or three)"
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt .
	@for folder in decode layers; do \
	  cp "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))')"/spacy_lal/$$folder/*.so spacy_lal/$$folder/ \
	  || exit 1; done
	@touch $@

dev: $(EDITABLE)

# Python finds the library, and the bundled pipelines, in this checkout, with the compiled modules beside their sources: a
# changed .py file is run as it is. `make test` installs the wheel in its place, and needs its stamps again.
$(EDITABLE): setup.py setup.cfg pyproject.toml constraints.txt $(COMPILED)
	@rm -f $@ $(INSTALLED) $(TESTABLE) $(ENGLISH) $(BUNDLED)
	@test -x $(BIN)/pip || { echo "Making $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing spaCy, torch and what the tests want into $(VENV), and compiling the library beside its sources"
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt -e ".[train,test]"
	@$(CHECK_PACKAGES)
	@$(if $(PACKAGE),$(BIN)/python -m pip install $(PIP_QUIET) --no-deps $(foreach package,$(PACKAGES),$(if $(filter %.whl,$(package)),,-e) $(package)))
	@touch $@

# What is installed is not built again: pip adds what the extras name.
$(TESTABLE): $(INSTALLED)
	@echo "Installing torch and what the tests want into $(VENV)"
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt "spacy-lal[train,test]"
	@touch $@

# Without dependencies: those are what was just installed. A build folder that is left over would go into the wheel again.
$(ENGLISH) $(BUNDLED): $(PACKAGE_FILES) | $(INSTALLED)
	@echo "Installing $(if $(filter %.english,$@),$(PACKAGE),$(strip $(PACKAGES))) into $(VENV)"
	@$(CHECK_PACKAGES)
	@rm -rf packages/*/build
	@$(BIN)/python -m pip install $(PIP_QUIET) --force-reinstall --no-deps $(if $(filter %.english,$@),$(PACKAGE),$(PACKAGES))
	@touch $@

$(LINTERS): $(TESTABLE)
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt ruff mypy cython-lint
	@touch $@

# A small pipeline that has learnt the toy treebank by heart: it shows that everything works, not how well it can parse.
$(TOY)/.trained: configs/lal_sm.cfg project.yml $(wildcard assets/toy/*) | $(TESTABLE)
	@echo "Training a small pipeline on the toy treebank (about two minutes, once)"
	@mkdir -p $(TOY); $(BIN)/python -m spacy project run toy > $(TOY)/train.log 2>&1 || { tail -n 40 $(TOY)/train.log; exit 1; }
	@touch $@

toy: $(TOY)/.trained

parse: $(INSTALLED) $(PIPELINE_READY)
	@echo "Parsing"
	@$(BIN)/python -m spacy lal parse --model $(PIPELINE) --text "$$TEXT" --format tree

# pytest, not python -m pytest: the working directory stays off sys.path, so that the installed package is what is tested.
test: $(TESTABLE) $(if $(PACKAGE),$(BUNDLED))
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal

# What docs/how_to/knowledge_graph.md hands its facts to is installed, so that this page runs whole; so for units.md.
test-all: $(TESTABLE) $(if $(PACKAGE),$(BUNDLED))
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt networkx neo4j-graphrag langchain-community langchain-text-splitters
	@$(BIN)/pytest -n $(WORKERS) --dist worksteal -m "not cluster and not app"
	@rm -rf $(VENV)-small; $(PYTHON) -m venv $(VENV)-small
	@$(VENV)-small/bin/pip install $(PIP_QUIET) -c constraints.txt . $(PACKAGE)
	@$(VENV)-small/bin/python tests/without_torch.py

# Ray and Spark on this machine, two workers each; Spark wants a Java runtime.
test-cluster: $(TESTABLE) $(if $(PACKAGE),$(BUNDLED))
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt "spacy-lal[test,ray,spark]"
	@$(BIN)/pytest -m cluster tests/distributed

# The interactive page, by Streamlit's own tests.
test-app: $(TESTABLE) $(if $(PACKAGE),$(BUNDLED))
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt "spacy-lal[test,app]"
	@$(BIN)/pytest tests/test_page.py

lint: $(LINTERS) $(if $(PACKAGE),$(BUNDLED))
	$(BIN)/ruff check .
	$(BIN)/ruff format --check spacy_lal tests benchmarks projects setup.py
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint --max-line-length 120 spacy_lal  # it calls pycodestyle by name
	$(BIN)/mypy spacy_lal
	$(BIN)/python benchmarks/house.py $(if $(PACKAGE),--pipeline en_lal_md)

# The versions that pip would take for each Python that setup.cfg admits. Nothing is installed but uv, which resolves.
resolve: $(INSTALLED)
	@$(BIN)/python -m pip install $(PIP_QUIET) -c constraints.txt uv
	@for version in 3.10 3.11 3.12 3.13 3.14; do \
	  echo "Python $$version:"; \
	  $(BIN)/uv pip compile --quiet --python-version $$version --extra train --extra test setup.cfg \
	  | grep -E '^(numpy|spacy|spacy-transformers|thinc|torch|transformers)==' || exit 1; done

# The library's source distribution, its wheel for this machine, and a wheel of each pipeline, with SHA256SUMS. They are
# installed from dist/ alone into an empty environment, where every language is parsed; an index gives their dependencies.
RELEASED := $(VENV)-release
release:
	@test -x $(BIN)/pip || { echo "Making $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@$(BIN)/python -m pip install $(PIP_QUIET) build pyyaml "twine>=6.1"
	@$(BIN)/python tests/released.py documents .
	@rm -rf dist build/lib* packages/*/build
	@echo "Building into dist"
	@$(BIN)/python -m build --outdir dist . > /dev/null
	@for package in packages/*/setup.py; do \
	  $(BIN)/python -m build --wheel --outdir dist "$$(dirname "$$package")" > /dev/null || exit 1; done
	@$(BIN)/twine check --strict dist/*
	@cd dist && $(or $(shell command -v sha256sum),shasum -a 256) * > SHA256SUMS
	@echo "Installing dist into $(RELEASED)"
	@rm -rf $(RELEASED); $(PYTHON) -m venv $(RELEASED)
	@$(BIN)/python tests/released.py requirements dist > $(RELEASED)/requirements.txt
	@$(RELEASED)/bin/pip install $(PIP_QUIET) -c constraints.txt -r $(RELEASED)/requirements.txt
	@$(RELEASED)/bin/pip install $(PIP_QUIET) --no-index --no-deps dist/*.whl
	@$(RELEASED)/bin/pip check
	@cd $(RELEASED) && bin/python ../tests/released.py parse ../dist

clean:
	rm -rf $(VENV) $(VENV)-small $(RELEASED) build dist *.egg-info packages/*/build packages/*/*.egg-info corpus training metrics project.lock .pytest_cache .hypothesis .mypy_cache .ruff_cache
	rm -rf projects/*/corpus projects/*/training projects/*/metrics projects/*/project.lock
	find spacy_lal -name '*.so' -delete -o -name '*.c' -delete -o -name '*.cpp' -delete
