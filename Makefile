# The commands of this repository; `make help` lists them. What they do is in
# scripts/: a target here is a line or two.

IMAGE ?= podlife/base:bookworm
GO_BUILD = CGO_ENABLED=0 go build -trimpath -o bin/podlife ./cmd/podlife

.DEFAULT_GOAL := help
.PHONY: help run check build report web paths check-full coverage specs tlc bench-model bench-tla bench-boot bench-workspace bench-trace bench-terminal soak mutants-runtime mutants-tla clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-20s %s\n", $$1, $$2 }'

run: ## start the server on loopback and print a login link; Ctrl-C stops it (ARGS="..." are given to podlife serve)
	@scripts/ensure-tools.sh go node
	@scripts/ensure-docker.sh
	@scripts/base-image.sh
	@scripts/web.sh bundle
	$(GO_BUILD)
	PODLIFE_IMAGE="$${PODLIFE_IMAGE:-$(IMAGE)}" exec bin/podlife serve $(ARGS)

check: ## check everything: style, page, tests, specifications, tables, paths, faults, TLC, Docker, browser, mutants, coverage (ARGS="--only unit", ARGS=--help)
	@scripts/ensure-tools.sh go node
	@scripts/check.sh $(ARGS)

build: ## build bin/podlife (Go alone; without `make web` its page only says how to build the page)
	@scripts/ensure-tools.sh go
	$(GO_BUILD)

report: ## write report.html, a page of what was checked: coverage.json and what the last check left (ARGS="--counterexample FILE", ARGS=--help)
	@scripts/ensure-tools.sh go
	go run ./cmd/podlife report $(ARGS)

web: ## build the page that the server embeds
	@scripts/web.sh bundle

coverage: ## do what coverage.json records, and write it anew
	@scripts/ensure-tools.sh go
	@scripts/ensure-docker.sh
	@scripts/base-image.sh
	go run ./conformance/coverage write

paths: ## write the paths that are kept for Docker anew, and the digest of the others (conformance/testdata/PodRuntime)
	@scripts/ensure-tools.sh go
	go run ./conformance/paths/write

check-full: ## drive a server through all paths of PodRuntime that are made (Docker: those of the smallest configuration), kill it at every passing of every point and once more in each recovery, restart a Docker daemon, have a home of 1 GiB outlive 50 operations: over an hour
	@scripts/ensure-tools.sh go
	@scripts/ensure-docker.sh
	@scripts/base-image.sh
	PODLIFE_PATHS=all PODLIFE_TEST_DOCKER=1 scripts/go-test.sh --must-run -v -count=1 -timeout 4h ./conformance/paths
	PODLIFE_FAILPOINTS=all PODLIFE_TEST_DOCKER=1 scripts/go-test.sh --must-run -v -count=1 -timeout 3h -run AnyPoint ./conformance/faults
	PODLIFE_TEST_DOCKER=1 scripts/go-test.sh --must-run -v -count=1 -tags daemon -run Daemon ./conformance/faults ./conformance/outlive
	PODLIFE_OUTLIVE=full PODLIFE_TEST_DOCKER=1 scripts/go-test.sh --must-run -v -count=1 -timeout 2h ./conformance/outlive

SET ?= pr
specs: ## check the configurations of tla/configs/registry.txt with the embedded checker (SET=nightly: the large ones, a quarter of an hour; SET=all)
	@scripts/ensure-tools.sh go
	go run ./conformance/specs/run --set $(SET) $(ARGS)

tlc: ## download TLC v1.7.4 into tla/tools and verify it; `make check` then runs it
	@scripts/tlc.sh --download

bench-model: ## time the explorer on the largest model
	@scripts/go-test.sh -run '^$$' -bench . -benchtime 1x -timeout 20m ./model/...

bench-tla: ## time podlife tla check beside TLC (TLC="command") and tla-checker (npm), with TLAPLUS_EXAMPLES on others' models too (ARGS="-only 'Pod.*3/5'")
	@scripts/ensure-tools.sh go
	$(GO_BUILD)
	go run ./tla/bench -node bin/bench-npm $(ARGS)

bench-workspace: ## medians and p95 of 20: start of a stopped workspace to a typed prompt, beside docker start and docker exec -it (on Docker)
	@scripts/ensure-docker.sh
	@scripts/base-image.sh
	@PODLIFE_TEST_DOCKER=1 scripts/go-test.sh -run '^$$' -bench Workspace -benchtime 20x -timeout 20m ./conformance/latency

bench-boot: ## medians of 10: cold boot, boot of a ready pod, attach (on Docker)
	@scripts/ensure-docker.sh
	@scripts/base-image.sh
	@PODLIFE_TEST_DOCKER=1 scripts/go-test.sh -run '^$$' -bench 'Boot|Attach' -benchtime 10x -timeout 20m ./conformance/...

bench-trace: ## time the checking of traces beside plain stepping through the table, and the monitor
	@scripts/go-test.sh -run '^$$' -bench . -benchtime 3x -timeout 20m ./model/explain ./runtime/monitor

bench-terminal: ## measure the terminal beside plain docker exec in the same run, on Docker: some minutes (ARGS="--only echo --json FILE", ARGS=--help)
	@scripts/ensure-tools.sh go
	@scripts/ensure-docker.sh
	@scripts/base-image.sh
	$(GO_BUILD)
	go run ./conformance/benchterminal $(ARGS)

ENGINE ?= simulated
DURATION ?= 30m
SOAK_JSON ?= /dev/null
soak: ## drive 20 pods with random operations and faults, and look for violations (DURATION=30m ENGINE=simulated or docker SOAK_JSON=file ARGS="-seed 1 -pods 20")
	@scripts/ensure-tools.sh go
	@if [ $(ENGINE) = docker ]; then scripts/ensure-docker.sh && scripts/base-image.sh; fi
	go run ./conformance/faults/soak -engine $(ENGINE) -duration $(DURATION) -json $(SOAK_JSON) $(ARGS)

mutants-runtime: ## see whether each guard of PodRuntime is missed when a build of the server lacks it, on the simulated engine: 2 minutes; results in bin/mutants (ARGS="--only Dial", ARGS=--apart)
	@scripts/ensure-tools.sh go
	go run ./mutants/auto/run --results bin/mutants $(ARGS)

mutants-tla: ## see whether the corpus of TLA+ (tla/corpus) notices each mistake of testdata/mutants.txt, one build each: minutes (ARGS="-run TestMutants/CHOOSE")
	@PODLIFE_TLA_MUTANTS=1 scripts/go-test.sh -v -count=1 -timeout 60m -run 'TestMutants$$' $(ARGS) ./tla/corpus

clean: ## remove what was built here (containers, images and data stay)
	rm -rf bin runtime/server/web/node_modules runtime/server/web/.test
	find runtime/server/web/dist -mindepth 1 ! -name .gitkeep -delete
