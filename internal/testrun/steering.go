package testrun

import "strings"

// steer is one variable that changes which program, which tests or which code a
// runner runs. A name that ends in * stands for all names with that prefix.
type steer struct{ name, why string }

// steering lists the variables that are known to steer runners. People are shown them;
// that a run is compared with all variables is package command's.
func steering() []steer {
	return []steer{
		{"PATH", "decides which program a name means"},
		{"LD_*", "loads code into every program (Linux)"},
		{"DYLD_*", "loads code into every program (macOS)"},
		{"BASH_ENV", "a script that bash runs before the command"},
		{"ENV", "a script that sh runs before the command"},
		{"SHELLOPTS", "bash options, noexec among them"},
		{"BASHOPTS", "bash options"},
		{"BASH_FUNC_*", "functions that replace commands in bash"},
		{"MAKEFLAGS", "make options, -n among them, which runs nothing"},
		{"GNUMAKEFLAGS", "the same for GNU make"},
		{"MFLAGS", "the same for older makes"},
		{"MAKEFILES", "makefiles read before the project's own"},

		{"GOFLAGS", "flags for every go command: -run, -exec, -overlay"},
		{"GOENV", "file of go settings, GOFLAGS among them"},
		{"GOROOT", "compiler, standard library and testing package"},
		{"GOTOOLDIR", "compiler and linker"},
		{"GOTOOLCHAIN", "which go really runs"},
		{"GOEXPERIMENT", "changes the language and library"},
		{"GODEBUG", "changes the behaviour of the library"},
		{"GOOS", "system that the tests are built for"},
		{"GOARCH", "architecture that the tests are built for"},
		{"GOWORK", "which modules are replaced by local folders"},
		{"GO111MODULE", "where packages come from"},
		{"GOPATH", "where packages come from"},
		{"GOMODCACHE", "where dependencies are read from"},
		{"GOCACHE", "where cached test results are read from"},
		{"GOCACHEPROG", "program that answers with cached test results"},
		{"CGO_*", "flags and switches of the C compiler"},
		{"CC", "C compiler"},
		{"CXX", "C++ compiler"},

		{"NODE_OPTIONS", "options of every node: --require, --test-name-pattern"},
		{"NODE_PATH", "where modules are looked up"},
		{"NODE_TEST_CONTEXT", "makes node --test skip all files"},
		{"npm_config_script_shell", "shell that npx and npm run commands with"},
		{"npm_config_node_options", "options of every node that npm starts"},
		{"npm_config_userconfig", "file of npm settings"},
		{"npm_config_globalconfig", "file of npm settings"},
		{"npm_config_prefix", "where global programs and settings lie"},

		{"PYTEST_ADDOPTS", "options for every pytest: --collect-only, -k"},
		{"PYTEST_PLUGINS", "plugins that pytest loads"},
		{"PYTEST_DISABLE_PLUGIN_AUTOLOAD", "plugins that pytest does not load"},
		{"PYTHONPATH", "where modules, pytest itself among them, are looked up"},
		{"PYTHONHOME", "where the standard library is"},
		{"PYTHONOPTIMIZE", "removes assertions"},
		{"PYTHONUSERBASE", "where user packages, usercustomize among them, are"},
		{"PYTHONNOUSERSITE", "whether user packages are seen"},
		{"PYTHONSAFEPATH", "whether the current folder is looked up first"},
		{"PYTHONPYCACHEPREFIX", "where compiled code is read from"},
		{"PYENV_VERSION", "which python a shim starts"},
		{"VIRTUAL_ENV", "which environment wrappers start programs from"},

		{"MAVEN_OPTS", "options of the virtual machine that runs maven"},
		{"MAVEN_ARGS", "options for every maven: -DskipTests"},
		{"MAVEN_CONFIG", "options for every maven"},
		{"GRADLE_OPTS", "options of gradle's virtual machine"},
		{"GRADLE_USER_HOME", "where init scripts are read from"},
		{"ORG_GRADLE_PROJECT_*", "properties of the build"},
		{"JAVA_TOOL_OPTIONS", "agents and options of every virtual machine"},
		{"JDK_JAVA_OPTIONS", "options of every java"},
		{"_JAVA_OPTIONS", "options of every virtual machine"},
		{"JAVA_OPTS", "options that start scripts hand to java"},
		{"JAVA_HOME", "which java runs"},
		{"CLASSPATH", "where classes are looked up"},

		{"CARGO", "which cargo subcommands start"},
		{"CARGO_*", "cargo's configuration: runner, wrapper, alias, home"},
		{"RUSTC", "compiler"},
		{"RUSTC_*", "program in front of the compiler, unstable features"},
		{"RUSTDOC", "program that runs doc tests"},
		{"RUSTFLAGS", "compiler flags: --cfg takes tests out"},
		{"RUSTDOCFLAGS", "doc test flags: --no-run"},
		{"RUSTUP_*", "which toolchain runs"},
		{"RUST_TEST_*", "options of the test harness"},

		{"RUBYOPT", "code that every ruby loads"},
		{"RUBYLIB", "where ruby code is looked up"},
		{"BUNDLE_GEMFILE", "which gems are loaded"},
		{"PERL5OPT", "code that every perl loads"},
		{"PERL5LIB", "where perl code is looked up"},
		{"HARNESS_*", "options of prove and Test::Harness"},
		{"DOTNET_STARTUP_HOOKS", "code that every .NET program loads"},
	}
}

// Steers says whether an environment variable can change what a test run runs,
// and why. Names of npm's settings are told apart from others by any case.
func Steers(name string) (why string, ok bool) {
	for _, s := range steering() {
		if prefix, wild := strings.CutSuffix(s.name, "*"); wild {
			if strings.HasPrefix(name, prefix) {
				return s.why, true
			}
		} else if name == s.name || (strings.HasPrefix(s.name, "npm_config_") && strings.EqualFold(name, s.name)) {
			return s.why, true
		}
	}
	return "", false
}
