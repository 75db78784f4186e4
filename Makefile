# The commands of the project; `make` without a target lists them. Every command runs as root or as a user with sudo.

SHELL = /bin/bash
.SHELLFLAGS = -euo pipefail -c
MAKEFLAGS += --no-print-directory

# SwiftPM 6.3 passes the traits to the compiler in the order of a Set, and compiles every target again if it differs.
export SWIFT_DETERMINISTIC_HASHING = 1

STAGE = Tests/Support/Peers/stage
PEERS = Tests/Support/Peers/with-peers
BUILD = Tests/Support/Peers/swift-build
RUN_TESTS = Tests/Support/Peers/swift-test
# Tests wait often; a build beside them takes the processor time that they leave. SwiftPM sets the priority of the compilers,
# but not their scheduling class.
BESIDE = Tests/Support/Peers/beside
IDLE = chrt --idle 0
# A module imports only its dependencies in the manifest, and a warning is an error. The manifest itself must not make
# warnings errors: later compilers have new warnings, and packages that depend on Lupine would not build.
# The tests of LupineObservability and LupineConfiguration and the program `lupine` need traits that are off by default;
# most packages under Tests/Consumers build without.
TRAITS = --traits default,Configuration,Observability,Terminal
STRICT = $(TRAITS) --explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors
# This build makes only the product of the tests, without the programs and snippets that no test starts.
TSAN = --sanitize=thread --scratch-path .build-tsan
TEST_HALVES = Tests/Support/Peers/swift-test-halves
SOURCES = $(wildcard Sources Plugins Tests Fixtures Snippets Examples Benchmarks Package.swift)

.PHONY: help demo test docs offline fuzz soak bench plot lint format clean install install-lupine check-install-lupine

help:
	@echo 'make demo    install what is missing, then run the quick start over each transport and offline'
	@echo 'make test    install what is missing, then run every test'
	@echo 'make docs    make the site of the documentation in .build-docs/site, and open pages of it in a browser'
	@echo 'make offline run the tests on the mock alone, and print how long they took'
	@echo 'make install install what is missing, and nothing else'
	@echo 'make install-lupine   build the program `lupine` and install it below PREFIX (/usr/local)'
	@echo 'make check-install-lupine   do that in an empty folder, and check what is there'
	@echo 'make fuzz    run each fuzzer for FUZZ_SECONDS (300), and read 400,000 random responses beside h11'
	@echo 'make soak    repeat the tests of seeds, cancellations, faults and killed processes for SOAK_MINUTES (30)'
	@echo 'make soak SUITES=. TIMES=30   repeat the suites whose names match, while the machine disturbs them'
	@echo 'make bench   measure speed and memory beside libcurl in C and other clients; W=W2 for one workload'
	@echo 'make plot    copy the measurements into Benchmarks/results.json, and write the chart and the tables'
	@echo 'make lint    check the style of every source'
	@echo 'make format  rewrite the sources in the project'"'"'s format'
	@echo 'make clean   remove what the others built'

install:
	@$(STAGE) 'install what is missing' Tests/Support/Peers/install

demo: install
	@$(STAGE) 'build the quick start' $(BUILD) --product QuickStart
	@$(STAGE) 'quick start' $(PEERS) swift run --skip-build QuickStart
	@echo 'Next: `make install-lupine` installs the program `lupine`, which makes requests from the command line.'

install-lupine:
	@$(STAGE) 'install the program lupine' Sources/LupineTerminal/Manual/install

check-install-lupine: install
	@$(STAGE) 'installation of lupine' $(PEERS) Tests/Support/Terminal/install --release

test: install
	@$(STAGE) 'build' $(BUILD) --build-tests $(STRICT)
	@$(STAGE) 'messages of the compiler' Tests/Support/Lint/diagnostics
	@$(STAGE) 'tests' $(PEERS) $(BESIDE) $(TEST_HALVES) $(STRICT) -- \
	  $(STAGE) 'build for the thread sanitizer, beside the tests' \
	  $(IDLE) env LUPINE_TEST_TARGETS="$$(Tests/Support/Suites/pattern --targets thread-sanitizer)" \
	  $(BUILD) --quiet --product LupinePackageTests $(TSAN)
	@folder=$$(mktemp -d); TMPDIR=$$folder $(STAGE) 'peers without an input, from a folder of one user' $(PEERS) true <&-; \
	  rmdir $$folder
	@$(STAGE) 'check of the thread sanitizer' Tests/Support/Sanitizers/check
	@$(STAGE) 'unit tests under the thread sanitizer' $(BESIDE) \
	  Tests/Support/Sanitizers/thread $(TEST_HALVES) --suites thread-sanitizer $(TSAN) -- \
	  $(STAGE) 'consumer packages, beside these tests' Tests/Consumers/build
	@$(STAGE) 'bad input under the address sanitizer' Tests/Support/Hostile/run
	@FUZZ_SEED=1 $(STAGE) 'fuzzers' $(BESIDE) Tests/Support/Fuzz/run $(or $(FUZZ_SECONDS),10) -- \
	  $(STAGE) 'build of the benchmarks, beside the fuzzers' $(IDLE) Benchmarks/guard --build
	@$(STAGE) 'terminal program' $(PEERS) $(BESIDE) Tests/Support/Terminal/run $(STRICT) -- \
	  $(STAGE) 'documentation without a browser, beside it' $(IDLE) Tests/Support/Documentation/site .build-docs $(STRICT)
	@$(STAGE) 'snippets' $(PEERS) Tests/Support/Peers/run-snippets $(STRICT)
	@$(STAGE) 'types of the benchmarks' Benchmarks/check
	@$(STAGE) 'speed' Benchmarks/guard

# After `make test` the modules are built.
docs: install
	@$(STAGE) 'install a browser' Tests/Support/Documentation/install
	@$(STAGE) 'build' $(BUILD) $(STRICT)
	@$(STAGE) 'documentation' Tests/Support/Documentation/site .build-docs $(STRICT)
	@$(STAGE) 'pages in a browser' Tests/Support/Documentation/browse .build-docs/site

# In parallel, because mocks are independent. The tests of a process's memory run only in `test`.
offline: install
	@$(STAGE) 'build' $(BUILD) --build-tests $(STRICT)
	@$(STAGE) 'offline tests' $(RUN_TESTS) $(STRICT) \
	  --filter "$$(Tests/Support/Suites/pattern offline)" --skip 'takes no more memory'

fuzz: install
	@$(STAGE) 'fuzzers' Tests/Support/Fuzz/run $(or $(FUZZ_SECONDS),300)
	@$(STAGE) 'build' $(BUILD) --build-tests $(STRICT)
	@$(STAGE) 'random responses beside h11' env LUPINE_RESPONSES=400000 $(PEERS) $(RUN_TESTS) $(STRICT) \
	  --filter '^LupineFramingTests\.DifferentialTests'

soak: install
	@$(STAGE) 'build' $(BUILD) --build-tests $(STRICT)
ifdef SUITES
	@$(STAGE) 'disturbed suites' $(PEERS) Tests/Support/Soak/disturbed '$(SUITES)' $(or $(TIMES),30)
else
	@$(STAGE) 'soak' $(PEERS) Tests/Support/Soak/run $(or $(SOAK_MINUTES),30) $(STRICT)
endif

bench: install
	@$(STAGE) 'benchmarks' Benchmarks/bench $(W)

plot:
	@$(STAGE) 'chart' Benchmarks/plot

lint: install
	@$(STAGE) 'format' swift format lint --strict --parallel --recursive $(SOURCES)
	@$(STAGE) 'checks' Tests/Support/Lint/run

format:
	@swift format --in-place --parallel --recursive $(SOURCES)

clean:
	rm -rf .build .build-docs .build-lupine .build-tsan .build-asan .build-fuzz .build-bench* .build-consumers .build-soak .peers
