package testrun

import "strings"

// OfSession reports whether an environment variable only says which terminal, session or
// client a command was started from, how things are to look, or holds a credential. Such
// variables differ between two sittings of one person and change nothing of what a
// command runs; all others are part of what a run is compared with.
func OfSession(name string) bool {
	for _, prefix := range []string{
		"CLAUDE", "ANTHROPIC_", "ASTERWEAVE_", "AI_AGENT", "CURSOR_", "VSCODE_", "JETBRAINS_", "INSIDE_EMACS", "EMACS", "NVIM", "VIM",
		"SSH_", "GPG_", "DBUS_", "XDG_SESSION_", "XDG_RUNTIME_DIR", "XDG_VTNR", "XDG_SEAT", "DESKTOP_", "GNOME_", "GTK_", "QT_", "KDE_", "WAYLAND_", "XAUTHORITY", "DISPLAY", "WINDOW",
		"TERM", "COLORTERM", "COLORFGBG", "ITERM_", "KITTY_", "WEZTERM_", "GHOSTTY_", "ALACRITTY_", "KONSOLE_", "VTE_", "WT_", "WSL", "TMUX", "STY", "ZELLIJ", "LC_TERMINAL",
		"STARSHIP_", "P9K_", "POWERLEVEL9K_", "__CF", "XPC_", "SECURITYSESSIONID", "LaunchInstanceID", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MANAGERPID",
		"HIST", "LESS", "LS_COLORS", "LSCOLORS", "CLICOLOR", "NO_COLOR", "FORCE_COLOR",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_KEY", "_CREDENTIALS", "_ACCESS_KEY_ID"} {
		if strings.HasSuffix(strings.ToUpper(name), suffix) {
			return true
		}
	}
	switch name {
	case "PWD", "OLDPWD", "SHLVL", "_", "COLUMNS", "LINES", "PAGER", "EDITOR", "VISUAL", "PS1", "PS2", "PROMPT", "PROMPT_COMMAND", "MAIL", "TOKEN", "PASSWORD",
		"PYTEST_CURRENT_TEST", "GIT_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "SUDO_COMMAND":
		return true
	}
	return false
}
