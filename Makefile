# The commands for developers. Each target first installs missing Debian packages that it needs.
.DEFAULT_GOAL := help
.PHONY: help deps build emulator known-contract run package dist image deploy-check test \
    test-browsers conformance fuzz sanitize lint format bench simulation templates client-docs \
    venv clean
# Targets that install packages or build could at best wait for each other.
.NOTPARALLEL:
SOURCES = $(wildcard Package.swift Sources Client Functions Emulator Examples Tools Tests \
    docs/contract-example)
CONTRACTS = $(filter-out %.openapi,$(basename $(notdir $(wildcard Functions/Templates/*.json))))
CONTRACT = latchkey
# An app's own routes beside the contract's.
EXAMPLE_TEMPLATE = $(wildcard Examples/$(CONTRACT:%-single=%)/template.json)
EXAMPLE = $(EXAMPLE_TEMPLATE:Examples/%/template.json=%)
TEMPLATES = --template "Functions/Templates/$(CONTRACT).json" $(EXAMPLE_TEMPLATE:%=--template %)
# The web app of the contract.
PLAYGROUND = $(if $(filter latchkey latchkey-single,$(CONTRACT)),--playground Examples/playground)
MINUTES = 30
STEPS = 2000000

# A line of `##` below the target's own continues its text.
help: ## Show the targets
	@awk -F '(:.*)?## ' '/^[a-z-]+:.*## /{printf "%smake %-13s %s", end, $$1, $$2; end = "\n"} \
	    /^## /{printf " %s", $$2} END{print ""}' $(MAKEFILE_LIST)

deps: ## Install the Debian packages that any target needs
	@scripts/install-packages release test lint

build: ## Build the functions: static executables at .build/release/<name>, .build/lambda/<name>/
	@scripts/install-packages release
	@scripts/build functions

emulator: ## Build only the emulator: .build/release/emulator
	@scripts/install-packages release
	@scripts/build emulator

run: known-contract ## Run the functions of a contract and example apps on 127.0.0.1:8000 to :8003
## [CONTRACT=whateat CONTRACT=latchkey-single ARGS="--port 0 …"]
	@scripts/install-packages compile
	@scripts/build --debug functions emulator $(EXAMPLE:%=example-%)
	@(scripts/rebuild-on-change $$$$ functions $(EXAMPLE:%=example-%) &); \
	exec env LATCHKEY_MAKE_TARGET=run .build/debug/emulator serve \
	    --executables .build/debug --events Events $(TEMPLATES) $(PLAYGROUND) $(ARGS)

# Checked before anything is built.
known-contract:
	@[ "$(words $(CONTRACT))" = 1 ] && [ -n "$(filter $(CONTRACT),$(CONTRACTS))" ] || { \
	    echo "make run: no template for CONTRACT='$(CONTRACT)'; there are: $(CONTRACTS)" >&2; exit 2; }

package: build ## Pack the functions for AWS Lambda, with checksums and a bill of materials:
## .build/package
	@scripts/install-packages test
	@scripts/package

dist: build emulator ## Pack server and emulator: a tarball and a Debian package in .build/dist
	@scripts/dist

image: $(if $(filter emulator,$(FUNCTION)),emulator,build) ## Make an OCI image, without Docker:
## .build/oci/latchkey [FUNCTION=signin|emulator]
	@scripts/oci-image $(or $(FUNCTION),latchkey)

deploy-check: package dist ## Check the packages; build them a second time, in another folder,
## and compare
	@scripts/deploy-check

test: ## Run every test; builds what is missing (one test target: scripts/test AuthTests)
	@scripts/install-packages release
	@scripts/test

test-browsers: ## Run the tests of web client, playground and pages in Firefox and WebKit, too
	@scripts/install-packages release test browsers
	@scripts/test-browsers

conformance: venv ## Compare the emulator with AWS's services [ARGS="--only WORD --write"]
	@scripts/build emulator
	@scripts/conformance $(ARGS)

fuzz: ## Fuzz every parser of untrusted input, 30 minutes in total [MINUTES=60 ARGS="json smtp"]
	@scripts/install-packages compile
	@scripts/fuzz --minutes "$(MINUTES)" $(ARGS)

sanitize: venv ## Run tests under the address and the thread sanitizer [ARGS="thread"]
	@scripts/install-packages test
	@scripts/sanitize $(ARGS)

lint: ## Check format, module boundaries, limits and, of the release build, linkage
	@scripts/install-packages release lint
	@scripts/lint-format $(SOURCES)
	@scripts/lint-source
	@scripts/build functions
	@scripts/lint-linkage
	@echo "lint: clean"

format: ## Format the Swift sources
	@scripts/install-packages compile
	@scripts/swift format --in-place --recursive --parallel $(SOURCES)

templates: ## Write templates, OpenAPI documents and web types from their parts
## [RECORD=.build/used.txt]
	@scripts/install-packages compile
	@scripts/swift run --quiet generate-templates $(RECORD:%=--record %)
	@scripts/web-types

client-docs: ## Build the Swift client's documentation with DocC: .build/client-docs
	@scripts/install-packages compile
	@scripts/client-docs

simulation: ## Run clients and functions from seeds, plant bugs, and write docs/simulation.md
## [STEPS=2000000]
	@scripts/install-packages compile
	@scripts/swift build -c release --quiet --product simulate
	@.build/release/simulate --report "$$(git rev-parse --short HEAD)" --steps "$(STEPS)" \
		--jobs "$$(nproc)" >.build/simulation.md
	@mv .build/simulation.md docs/simulation.md

bench: ## Measure the emulator beside its yardsticks [ARGS="--quick --only ROW"]
	@scripts/install-packages release test bench
	@scripts/build functions emulator
	@scripts/bench $(ARGS)

venv: ## Make .venv, the Python packages that the tests use
	@scripts/install-packages test
	@scripts/make-venv

clean: ## Remove what was built: .build, .cache, .venv, .venv-bench
	@rm -rf .build .cache .venv .venv-bench
