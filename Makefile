# Needs Go, Git and make. `make` alone prints the targets.

GO            ?= go
TOOLS         := $(CURDIR)/bin/tools
GOLANGCI      := github.com/golangci/golangci-lint/v2/cmd/golangci-lint
GOLANGCI_VERS := 2.15.0
RACE          ?= ./...
comma         := ,
DOMAIN        := ./internal/graph,./internal/state,./internal/gate,./internal/decide,./internal/document,./internal/evidence,./internal/testrun,./internal/signature

.DEFAULT_GOAL := help
.PHONY: help build install plugin test race cover bench guard fuzz lint demo demo-github report screenshots e2e exhaust jobs picture clean

help: ## prints the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## builds bin/asterweave-state, bin/asterweave-hook and the programs of demo and bench
	@mkdir -p bin
	$(GO) build -o bin/ ./cmd/...

install: ## puts asterweave-state and asterweave-hook where go install puts programs
	$(GO) install ./cmd/asterweave-state ./cmd/asterweave-hook
	@bin="$$($(GO) env GOBIN)"; bin="$${bin:-$$($(GO) env GOPATH | cut -d: -f1)/bin}"; \
	echo "asterweave-state and asterweave-hook are in $$bin"; \
	case ":$$PATH:" in *":$$bin:"*) ;; *) echo "it is not on PATH yet: export PATH=\"$$bin:\$$PATH\"" ;; esac

PLATFORMS := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64
PLUGIN    := dist/plugin

plugin: ## assembles dist/plugin: real files, and programs for Linux and macOS on amd64 and arm64
	rm -rf $(PLUGIN)
	mkdir -p $(PLUGIN)/agents $(PLUGIN)/commands $(PLUGIN)/rules
	cp -R plugin/.claude-plugin plugin/hooks plugin/bin plugin/README.md LICENSE $(PLUGIN)/
	cp agents/*.md $(PLUGIN)/agents/ && cp commands/*.md $(PLUGIN)/commands/ && cp rules/*.md $(PLUGIN)/rules/
	for p in $(PLATFORMS); do \
		CGO_ENABLED=0 GOOS=$${p%-*} GOARCH=$${p#*-} $(GO) build -trimpath -ldflags=-s -o $(PLUGIN)/bin/$$p/ ./cmd/asterweave-state ./cmd/asterweave-hook || exit 1; \
	done

test: ## runs all tests; needs nothing but Go, Git and make
	$(GO) test -timeout 30m ./...

race: ## runs the tests under the race detector (needs a C compiler); RACE=./pkg/... narrows it
	$(GO) test -race $(RACE)

cover: ## measures the coverage of the pure domain; fails below 95 %
	$(GO) test -coverprofile=coverage.out -coverpkg=$(DOMAIN) $(subst $(comma), ,$(DOMAIN))
	@$(GO) tool cover -func=coverage.out | awk '/^total/ { sub("%", "", $$3); print "pure domain: " $$3 " %"; exit !($$3 >= 95) }'

bench: ## measures start, append, verify, status, tree and reads of 300 checks and 1,000 threads beside their yardsticks
	$(GO) run ./cmd/asterweave-bench

guard: ## judges the guard's battery by effect; prints what it missed and what it blocked without need
	@$(GO) test -count=1 -run '^TestBattery$$' -v ./internal/guard | awk '/rows: missed/ { sub(/^.*_test.go:[0-9]+: /, ""); print; next } /missed:|without need:|^FAIL|panic/ { print; bad = 1 } /^ok/ { ok = 1 } END { exit bad || !ok }'

FUZZTIME ?= 30s

fuzz: ## gives hooks, bundles and lists of signers texts that nobody writes; FUZZTIME=10m goes on for longer
	$(GO) test -run '^$$' -fuzz '^FuzzPayload$$' -fuzztime $(FUZZTIME) ./internal/hook
	$(GO) test -run '^$$' -fuzz '^FuzzOpen$$' -fuzzminimizetime 1s -fuzztime $(FUZZTIME) ./internal/bundle
	$(GO) test -run '^$$' -fuzz '^FuzzDecode$$' -fuzzminimizetime 1s -fuzztime $(FUZZTIME) ./internal/bundle
	$(GO) test -run '^$$' -fuzz '^FuzzAllowed$$' -fuzztime $(FUZZTIME) ./internal/sshsign

# golangci-lint brings gofumpt v0.12.0 along; both are held at one version, since another one reports other things.
lint: ## runs golangci-lint, layer rules included; installs the pinned version into bin/tools if it is not there
	@pinned() { "$$1" version --short 2>/dev/null | grep -qx 'v\{0,1\}$(GOLANGCI_VERS)'; }; \
	for lint in golangci-lint "$$($(GO) env GOPATH)/bin/golangci-lint" $(TOOLS)/golangci-lint; do \
		if pinned "$$lint"; then break; fi; \
	done; \
	if ! pinned "$$lint"; then \
		echo "installing golangci-lint v$(GOLANGCI_VERS) into bin/tools (some minutes)"; \
		GOBIN=$(TOOLS) $(GO) install $(GOLANGCI)@v$(GOLANGCI_VERS) || exit 1; \
	fi; \
	echo "$$lint run ./..."; "$$lint" run ./...

demo: build ## delivers a real fix from goal to done in a temporary folder, on real commands
	bin/asterweave-demo

demo-github: build ## delivers the same fix to a stand-in for GitHub: failing check, review comment, issue
	bin/asterweave-demo -github

report: build ## delivers as demo does and writes its report to dist/report.html
	@mkdir -p dist; folder="$$(mktemp -d)" && trap 'rm -rf "$$folder"' EXIT && \
	TMPDIR="$$folder" bin/asterweave-demo && cp "$$folder"/asterweave-demo-*/report.html dist/report.html && \
	echo "written to dist/report.html; the demo's folder is removed again"

dist/report.html:
	$(MAKE) report

screenshots: dist/report.html ## takes docs/report-light.png and report-dark.png of dist/report.html; needs Chromium
	ASTERWEAVE_REPORT=$(CURDIR)/dist/report.html ASTERWEAVE_SCREENSHOTS=$(CURDIR)/docs $(GO) test -count=1 -run '^TestScreenshots$$' -v ./internal/report

# The client is fetched once, with npm, into the user's cache or $$ASTERWEAVE_CLIENT_CACHE.
e2e: ## drives the real client through deliveries, with a scripted model and no way out; skips where npm cannot fetch it
	$(GO) -C internal/e2e test -tags e2e -count=1 -timeout 30m

exhaust: ## breaks every answer of a provider in every way, stops and kills agents at every step of a write, and tests demo-github; make test makes some of these trials
	ASTERWEAVE_EXHAUST=1 $(GO) test -count=1 -timeout 30m -run 'Contract|NeverPasses|NothingIsWrittenTwice|KilledAgents|DemoGitHub|Honest' ./internal/provider/... ./internal/engine ./internal/cli ./internal/scripted ./internal/verify

jobs: ## runs the steps of the ready CI jobs as scripts, on checkouts of a real delivery
	ASTERWEAVE_EXHAUST=1 $(GO) test -count=1 -run '^TestJobs$$' ./internal/ci

picture: ## records a delivery in the real client's terminal into docs/delivery.svg; needs tmux
	ASTERWEAVE_PICTURE=$(CURDIR)/docs/delivery.svg $(GO) test -tags e2e,picture -count=1 -timeout 30m -run '^TestPicture$$' -v ./internal/e2e

clean: ## removes what the build made, the pinned tools included
	rm -rf bin dist coverage.out
