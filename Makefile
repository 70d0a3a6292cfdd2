# What a person types. `make demo` is the first thing, `make help` lists the rest.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test bench fresh packages configure build format check-format lint asan clean

JOBS ?= $(shell nproc)
PRESET ?= release
BUILD := build/$(PRESET)
DEMO := results/quickstart.h5
SOURCES = $(shell git ls-files '*.cpp' '*.hpp')

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

demo: build/$(PRESET)/build.ninja ## install what is missing, build, run scenarios/quickstart.yaml
	cmake --build --preset $(PRESET) -j $(JOBS) --target ridgepoint
	@mkdir -p $(dir $(DEMO))
	$(BUILD)/ridgepoint run scenarios/quickstart.yaml -o $(DEMO)

test: build ## the whole test suite, in parallel
	ctest --preset $(PRESET) -j $(JOBS)

bench: build/$(PRESET)/build.ninja ## speed and memory against their targets -> build/bench.json
	cmake --build --preset $(PRESET) -j $(JOBS) --target ridgepoint bench_programs
	python3 tests/bench/run.py --build $(BUILD) --output build/bench.json

fresh: ## demo and test in a minimal Debian 12 of its own (root, debootstrap)
	.ci/fresh

packages: ## install the Debian packages of packages.txt that are missing
	@.ci/packages

configure: build/$(PRESET)/build.ninja ## run CMake

# Ninja runs CMake again by itself when a CMakeLists.txt changes.
build/$(PRESET)/build.ninja: CMakePresets.json packages.txt | packages
	cmake --preset $(PRESET)
	@touch $@

build: build/$(PRESET)/build.ninja ## the program and all tests
	cmake --build --preset $(PRESET) -j $(JOBS)

format: ## reformat every tracked source file
	clang-format -i $(SOURCES)

check-format: ## fail when a tracked source file is not formatted
	clang-format --dry-run -Werror $(SOURCES)

lint: build/$(PRESET)/build.ninja ## names, by clang-tidy
	@command -v clang-tidy > /dev/null || { echo "make lint needs clang-tidy: apt-get install clang-tidy" >&2; exit 1; }
	git ls-files 'sim/*.cpp' 'analysis/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy -p $(BUILD) --quiet --extra-arg=-Wno-unknown-warning-option

asan: ## address and undefined-behaviour sanitizers on everything below the cluster floor
	$(MAKE) PRESET=asan test

clean: ## remove build/
	rm -rf build
