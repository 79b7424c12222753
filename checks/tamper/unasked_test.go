package tamper

import "testing"

// A configuration of git may name a command under any key that is not known.
func TestCommandsOfGitsConfiguration(t *testing.T) {
	t.Parallel()
	const plain = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n[remote \"origin\"]\n" +
		"\turl = https://x.test/y\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n" +
		"\tremote = origin\n; a comment\n\n"
	if what, runs := RunsUnasked(".git/config", func() string { return plain }, nil); runs {
		t.Errorf("%q counts as a command", what)
	}
	for _, line := range []string{"[diff]\n\texternal = x", "[interactive]\ndiffFilter = x", "[core]\n\tgitProxy = x",
		"[remote \"origin\"]\n\turl = ext::x", "[remote \"origin\"]\n\tvcs = x", "[sendemail]\n smtpserver = /x",
		"[pager]\n\tmerge = x", "[core] fsmonitor = x", "[alias]\n\tname = !x", "[submodule \"a\"]\n\tupdate = !x",
		"[user]\n\tname = a\\\n[diff]\n\texternal = x", "[URL \"a\"]\n\tinsteadOf = b", "[core]\n\tfsmonitor",
	} {
		for _, name := range []string{".git/config", ".git/modules/a/config", "sub/.git/config.worktree"} {
			if _, runs := RunsUnasked(name, func() string { return plain + line + "\n" }, nil); !runs {
				t.Errorf("%s: %q counts as no command", name, line)
			}
		}
	}
}
