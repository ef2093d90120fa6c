package testrun

import (
	"strings"
	"testing"
)

func TestRecogniseFromArgv(t *testing.T) {
	cases := map[string]string{ // "" is unknown
		"go test ./...":                              "go test/package",
		"/usr/local/go/bin/go test":                  "go test/package",
		"go -C sub test ./...":                       "go test/package",
		"go -C=sub test -v":                          "go test/test",
		"go test -v=false ./...":                     "go test/package",
		"go test --json ./...":                       "go test/test",
		"go test -test.v ./...":                      "go test/test",
		"env CI=1 CGO_LDFLAGS_ALLOW_=x go test":      "",
		"env CI=1 go test":                           "go test/package",
		"env GOFLAGS=-run=^$ go test":                "",
		"env PATH=/evil go test":                     "",
		"env -i go test":                             "",
		"env":                                        "",
		"env A=1":                                    "",
		"pytest -q":                                  "pytest/test",
		"py.test":                                    "pytest/test",
		"python -m pytest":                           "pytest/test",
		"python3.11 -X dev -W error -Bu -m pytest":   "pytest/test",
		"python3 -O -m pytest":                       "",
		"python3 -m unittest":                        "",
		"python3 -m":                                 "",
		"python3 pytest":                             "",
		"python3 -c pytest -m pytest":                "",
		"coverage run --source=x --branch -m pytest": "pytest/test",
		"python -m coverage run -m pytest":           "pytest/test",
		"coverage report":                            "",
		"coverage run x.py":                          "",
		"poetry run pytest":                          "pytest/test",
		"uv run pytest":                              "pytest/test",
		"uv run --with x pytest":                     "",
		"uv pip":                                     "",
		".venv/bin/pytest":                           "pytest/test",
		"sub/.venv/bin/python -m pytest":             "pytest/test",
		"npx jest":                                   "jest/test",
		"npx --yes jest@29":                          "jest/test",
		"npx --package=evil jest":                    "",
		"npx":                                        "",
		"pnpm exec vitest run":                       "vitest/test",
		"pnpm test":                                  "",
		"node_modules/.bin/jest":                     "jest/test",
		"./node_modules/.bin/vitest run":             "vitest/test",
		`C:\proj\node_modules\.bin\jest.cmd`:         "jest/test",
		"node --test":                                "node:test/test",
		"node --import tsx --test test/":             "node:test/test",
		"node run.js --test":                         "",
		"node --require evil.js":                     "",
		"node -- --test":                             "",
		"cargo test":                                 "cargo test/test",
		"cargo +nightly --locked t --workspace":      "cargo test/test",
		"cargo bench":                                "",
		"cargo":                                      "",
		"go":                                         "",
		"go vet ./...":                               "",
		"go run ./test":                              "",
		"npm test":                                   "",
		"yarn jest":                                  "",
		"make test":                                  "",
		"true":                                       "",
		"echo ok pkg 0.1s":                           "",
		"./go test ./...":                            "",
		"bin/pytest":                                 "",
		"tools/jest":                                 "",
		"bash -o pipefail -c go_test":                "",
		"env A=1 env B=1 env C=1 env D=1 env E=1 go test": "",
		"":                            "",
		"npx jest --version":          "jest/test, none",
		"jest --listTests":            "jest/test, none",
		"jest --testRunner=./mine.js": "jest/test, opaque",
		"jest --reporters ./mine.js":  "jest/test, opaque",
		"jest --reporters=default --reporters=jest-junit": "jest/test",
		"vitest list":                                       "vitest/test, none",
		"vitest --mergeReports":                             "vitest/test, none",
		"vitest bench":                                      "vitest/test, opaque",
		"vitest run --reporter json":                        "vitest/test, opaque",
		"vitest run --runner ./mine.ts":                     "vitest/test, opaque",
		"vitest run --reporter=verbose":                     "vitest/test",
		"pytest --collect-only":                             "pytest/test, none",
		"pytest --co":                                       "pytest/test, none",
		"pytest -- --co":                                    "pytest/test",
		"node --test --check x.js":                          "node:test/test, none",
		"node --test -e 1":                                  "node:test/test, opaque",
		"node --test --test-reporter=junit":                 "node:test/test, opaque",
		"cargo test --no-run":                               "cargo test/test, none",
		"cargo test -- --list":                              "cargo test/test, none",
		"cargo test -- --format=json":                       "cargo test/test, opaque",
		"cargo test --config target.x.runner='true'":        "cargo test/test, opaque",
		"go test -c":                                        "go test/package, none",
		"go test -c=false":                                  "go test/package",
		"go test -n ./...":                                  "go test/package, none",
		"go test -list=. ./...":                             "go test/package, none",
		"go test -run ^$ ./...":                             "go test/package, none",
		"go test -run=^$ ./...":                             "go test/package, none",
		"go test --test.run=^$ ./...":                       "go test/package, none",
		"go test -count 0 ./...":                            "go test/package, none",
		"go test -h":                                        "go test/package, none",
		"go test -exec true ./...":                          "go test/package, opaque",
		"go test -v -exec=true ./...":                       "go test/test, opaque",
		"go test -json -toolexec x ./...":                   "go test/test, opaque",
		"go test -vettool=x ./...":                          "go test/package, opaque",
		"go test -bench . ./...":                            "go test/package, opaque",
		"go test -v -bench . ./...":                         "go test/test",
		"go test -fuzz FuzzX ./x":                           "go test/package, opaque",
		"go test ./x -args -test.run=^$":                    "go test/package, opaque",
		"go test ./x -args -test.short -update":             "go test/package",
		"go test ./x -args --help":                          "go test/package, opaque",
		"go test ./x -args x":                               "go test/package",
		"go test -timeout 5s -tags x -run TestX -count=1 .": "go test/package",
	}
	for line, want := range cases {
		r, ok := Recognise(strings.Fields(line))
		got := ""
		if ok {
			got = r.Name + "/" + r.Unit
		}
		if r.Opaque != "" {
			got += ", opaque"
		} else if r.None != "" {
			got += ", none"
		}
		if got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}

func TestSteersHasAReasonForEach(t *testing.T) {
	for _, s := range steering() {
		name := strings.TrimSuffix(s.name, "*")
		if why, ok := Steers(name); !ok || why == "" {
			t.Errorf("%s: %q, %v", s.name, why, ok)
		}
	}
	for _, name := range []string{"HOME", "CI", "TERM", "LANG", "GIT_DIR", "FOO", "PATHS", "GOPROXY", ""} {
		if _, ok := Steers(name); ok {
			t.Errorf("%s steers", name)
		}
	}
	for _, name := range []string{"LD_PRELOAD", "CARGO_BUILD_RUSTC", "NPM_CONFIG_NODE_OPTIONS", "RUST_TEST_THREADS"} {
		if _, ok := Steers(name); !ok {
			t.Errorf("%s does not steer", name)
		}
	}
}
