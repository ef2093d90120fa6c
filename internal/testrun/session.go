package testrun

import "strings"

// OfSession reports whether an environment variable only says which terminal, session or
// client a command was started from, how things are to look, or holds a credential. Such
// variables differ between two sittings of one person, or between two commands, and
// change nothing of what a command runs; all others are part of what a run is compared
// with.
func OfSession(name string) bool {
	for _, prefix := range []string{
		"CLAUDE_", "CLAUDECODE", "ANTHROPIC_", "ASTERWEAVE_", "AI_AGENT", "CURSOR_", "VSCODE_", "JETBRAINS_", "INSIDE_EMACS", "EMACS_", "NVIM_",
		"SSH_", "GPG_", "DBUS_", "XDG_SESSION_", "DESKTOP_", "GNOME_", "GTK_", "QT_", "KDE_", "WAYLAND_",
		"TERM_", "ITERM_", "KITTY_", "WEZTERM_", "GHOSTTY_", "ALACRITTY_", "KONSOLE_", "VTE_", "TMUX_", "ZELLIJ_", "LC_TERMINAL",
		"STARSHIP_", "P9K_", "POWERLEVEL9K_", "ATUIN_", "FNM_MULTISHELL", "__CF", "XPC_", "OTEL_",
	} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_KEY", "_CREDENTIALS", "_ACCESS_KEY_ID", "_PAT"} {
		if strings.HasSuffix(strings.ToUpper(name), suffix) {
			return true
		}
	}
	switch name {
	case "PWD", "OLDPWD", "SHLVL", "_", "TERM", "TERMCAP", "COLUMNS", "LINES", "COLORTERM", "COLORFGBG", "DISPLAY", "XAUTHORITY", "WINDOWID", "WINDOWPATH",
		"TMUX", "STY", "ZELLIJ", "WT_SESSION", "WT_PROFILE_ID", "WSLENV", "XDG_RUNTIME_DIR", "XDG_VTNR", "XDG_SEAT", "VIM", "VIMRUNTIME", "NVIM",
		"SECURITYSESSIONID", "LaunchInstanceID", "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "MANAGERPID", "TRACEPARENT", "TRACESTATE",
		"HISTFILE", "HISTSIZE", "HISTFILESIZE", "HISTCONTROL", "HISTIGNORE", "HISTTIMEFORMAT", "LESS", "LESSOPEN", "LESSCLOSE", "LESSHISTFILE",
		"LS_COLORS", "LSCOLORS", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "FORCE_COLOR", "PAGER", "MANPAGER", "EDITOR", "VISUAL", "PS1", "PS2", "PROMPT", "PROMPT_COMMAND",
		"MAIL", "TOKEN", "PASSWORD", "PGPASSWORD", "MYSQL_PWD", "GIT_EDITOR", "GIT_PAGER", "GIT_ASKPASS", "SUDO_COMMAND":
		return true
	}
	return false
}
