# Two commands do everything on a machine with Python 3.11 and nothing else: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO := stripeless-demo
MARKS ?= not slow
comma := ,

.PHONY: demo test test-core test-lowest test-slow fuzz fuzz-minute lint bench docs clean mutants verdicts verdicts-sample

demo: $(VENV)/.demo
	@$(BIN)/stripeless demo --voices --out $(DEMO)

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2 -q -m "$(MARKS)"

# The same promises with nothing installed but the core dependencies.
test-core: .venv-core/.ready
	.venv-core/bin/python -m pytest -q -p no:cacheprovider -o addopts="--strict-markers" \
	  tests/measures/test_known_answers.py tests/measures/test_common.py tests/test_core_alone.py

# The lowest versions that pyproject.toml allows: the core, and the readers and the page of its extras.
LOWEST := plots,hdf5,parquet,audio,onnx,web,classifiers
test-lowest: .venv-lowest/.ready
	.venv-lowest/bin/python -m pytest -q -p no:cacheprovider -o addopts="--strict-markers --import-mode=importlib" -o filterwarnings=default \
	  tests/measures/test_known_answers.py tests/measures/test_common.py tests/tables tests/scores/test_read.py tests/scores/test_write.py \
	  tests/embeddings/test_files.py tests/audio/test_recordings.py tests/embeddings/test_encoders.py tests/test_relied.py \
	  tests/web/test_web.py::test_the_page_gives_the_same_dict_as_the_command_line

# Changed files for every reader: an hour, or the minute of `.ci/run`. The seed is the commit.
fuzz: $(VENV)/.test
	$(BIN)/python tools/fuzz.py

fuzz-minute: $(VENV)/.test
	$(BIN)/python tools/fuzz.py --seconds 60

test-slow: $(VENV)/.test
	$(BIN)/python -m pytest -q -m slow

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# How many small mistakes would the tests notice? About 25 minutes on two cores; goes on where it was interrupted.
mutants: $(VENV)/.test
	$(BIN)/python tools/mutants.py

# How often is a verdict wrong? Some hours on two cores; goes on where it was interrupted. Renews the page of the docs.
verdicts: $(VENV)/.test
	$(BIN)/python tools/verdicts.py --write

# A few draws of the worlds that say most, in half a minute.
verdicts-sample: $(VENV)/.test
	$(BIN)/python tools/verdicts.py --sample

bench: $(VENV)/.bench
	@for script in benchmarks/bench_*.py; do case $$script in *_gpu.py) ;; *) echo "== $$script"; $(BIN)/python $$script || exit 1 ;; esac; done

docs: $(VENV)/.docs
	$(BIN)/python docs/generate.py
	$(BIN)/zensical build --clean
	@echo "The docs: site/index.html"

clean:
	rm -rf $(VENV) .venv-core .venv-lowest $(DEMO) site

# One environment; each target adds the packages it needs and leaves a stamp, so that it installs only once.
$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "stripeless needs Python 3.11 or newer; set PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.demo: EXTRAS := plots,hdf5,parquet,audio,web,classifiers
$(VENV)/.test: EXTRAS := test
$(VENV)/.lint: EXTRAS := test,lint
$(VENV)/.bench: EXTRAS := bench
$(VENV)/.docs: EXTRAS := docs,plots
$(VENV)/.demo $(VENV)/.test $(VENV)/.lint $(VENV)/.bench $(VENV)/.docs: $(VENV)/.made pyproject.toml constraints.txt
	$(PIP) install -c constraints.txt -e '.[$(EXTRAS)]'
	@case '$(EXTRAS)' in test*) $(BIN)/python tools/install_torch.py ;; esac
	@touch $@

.venv-core/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-core
	.venv-core/bin/python -m pip --disable-pip-version-check --quiet install -e . pytest mpmath
	@touch $@

# A resolver says which versions are the lowest; pip installs them.
.venv-lowest/.ready: pyproject.toml
	$(PYTHON) -m venv .venv-lowest
	.venv-lowest/bin/python -m pip --disable-pip-version-check --quiet install uv
	UV_DEFAULT_INDEX=$${PIP_INDEX_URL:-https://pypi.org/simple} .venv-lowest/bin/uv pip compile --quiet --no-header --no-annotate \
	  --python .venv-lowest/bin/python --resolution lowest-direct $(patsubst %,--extra %,$(subst $(comma), ,$(LOWEST))) pyproject.toml -o .venv-lowest/lowest.txt
	.venv-lowest/bin/python -m pip --disable-pip-version-check --quiet install -r .venv-lowest/lowest.txt pytest hypothesis mpmath httpx
	.venv-lowest/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -e .
	@touch $@
