package merge

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/store/exectest"
	"ferrus/store/longtest"
)

// signer writes a program that signs as gpg does, with a signature that is always the same, and returns its path.
func (f *fixture) signer(script string) string {
	f.Helper()
	path := filepath.Join(f.TempDir(), "signer")
	f.ok(exectest.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o755))
	return path
}

const fixedSignature = `cat >/dev/null
echo "[GNUPG:] SIG_CREATED D 1 8 00 1 0" >&2
printf -- '-----BEGIN PGP SIGNATURE-----\n\nit is me\n-----END PGP SIGNATURE-----\n'
`

// signs has git sign commits with a program.
func (f *fixture) signs(script string) {
	f.Helper()
	f.git("config", "commit.gpgSign", "true")
	f.git("config", "gpg.program", f.signer(script))
	f.git("config", "user.signingKey", "ada")
}

// Commits are signed as git's configuration says when the branch moves to them: each that lands, with the same tree,
// message and author, on its predecessor. Candidates are not.
func TestSignsWhatLands(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.signs(fixedSignature)
	f.tasks(work{"file-a": "a"}, work{"not-with-a": "b"}, work{"file-c": "c"}, work{"file-d": "d"})
	first := f.git("rev-parse", "main")
	f.stage(1, 2, 3, 4)
	next, err := f.m.Advance(t.Context(), f.o)
	f.ok(err)
	if len(next.Prove) != 1 {
		t.Fatalf("nothing is to be proven: %+v", next)
	}
	const form = "--format=%T %an %ad %cn %cd %B"
	candidates := map[string]string{}
	for _, p := range f.merge().Batch.Picks {
		if raw := f.git("cat-file", "commit", p.Commit); strings.Contains(raw, "gpgsig") {
			t.Errorf("the candidate of #%d is signed:\n%s", p.N, raw)
		}
		candidates[f.git("log", "-1", "--format=%s", p.Commit)] = f.git("log", "-1", form, p.Commit)
	}
	f.complete()
	f.reconcile()
	if got := strings.Count(f.states(), "Landed"); got != 3 {
		t.Fatalf("the states are %s, want 3 landed", f.states())
	}
	parent := first
	for _, c := range strings.Fields(f.git("rev-list", "--reverse", first+"..main")) {
		raw := f.git("cat-file", "commit", c)
		if !strings.Contains(raw, "gpgsig -----BEGIN PGP SIG") || !strings.Contains(raw, "\nparent "+parent+"\n") {
			t.Errorf("a commit that landed is not signed, or not on %s:\n%s", parent, raw)
		}
		subject := f.git("log", "-1", "--format=%s", c)
		if was := candidates[subject]; subject == "Task 1" && was != f.git("log", "-1", form, c) {
			t.Errorf("signed, %s is another commit than %s", c, was)
		}
		parent = c
	}
}

// With gpg.format = ssh the key of git's configuration signs, and git itself finds the signature good.
func TestSignsWithSSH(t *testing.T) {
	skipShort(t)
	t.Parallel()
	keygen, err := exec.LookPath("ssh-keygen")
	if err != nil {
		keygen = "" // the stand-in above has shown the rest
	}
	f := newFixture(t)
	key := filepath.Join(t.TempDir(), "key")
	f.git("config", "commit.gpgSign", "true")
	f.git("config", "gpg.format", "ssh")
	f.git("config", "user.signingKey", key+".pub")
	if keygen != "" {
		out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", key).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	f.tasks(work{"file-a": "a"})
	first := f.git("rev-parse", "main")
	f.stage(1)
	f.complete()
	if keygen == "" {
		if f.git("rev-parse", "main") != first || !strings.Contains(f.merge().Why, "sign the commit") {
			t.Errorf("without ssh-keygen: %+v", f.merge())
		}
		return
	}
	f.shows("#1 Landed")
	public, err := os.ReadFile(key + ".pub")
	f.ok(err)
	allowed := filepath.Join(t.TempDir(), "allowed")
	f.ok(os.WriteFile(allowed, append([]byte("ada "), public...), 0o600))
	check := []string{"-c", "gpg.ssh.allowedSignersFile=" + allowed, "log", "-1", "--format=%G? %GS", "main"}
	if got := f.git(check...); got != "G ada" {
		t.Errorf("git says of the signature: %q", got)
	}
}

// A signer that fails keeps the branch where it is, says what it said and how to continue, and is asked again
// only when you say so.
func TestSignerFails(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	f := newFixture(t)
	f.signs("echo 'gpg: no pinentry' >&2\nexit 2\n")
	f.tasks(work{"file-a": "a"})
	first, before := f.git("rev-parse", "main"), f.picture(f.Dir)
	f.stage(1)
	f.complete()
	f.complete()
	f.restart()
	f.complete()
	m := f.merge()
	if !m.NeedsHuman() || !strings.Contains(m.Why, "failed to sign") || !strings.Contains(m.Why, "unlock your key") {
		t.Errorf("the merge is %+v", m)
	}
	if d := differences(before, f.picture(f.Dir)); len(d) > 0 || f.git("rev-parse", "main") != first {
		t.Errorf("these changed: %q", d)
	}
	lines, err := f.journal()
	f.ok(err)
	if runs := strings.Count(strings.Join(lines, "\n"), "merge_waits main: sign"); runs != 1 {
		t.Errorf("the signer ran %d times:\n%s", runs, strings.Join(lines, "\n"))
	}
	f.git("config", "gpg.program", f.signer(fixedSignature))
	f.ok(Decide(t.Context(), f.q, project.HumanActor(), "main", Grant))
	f.complete()
	f.shows("#1 Landed")
}

// A program of the worktree, which a session may have written, signs nothing.
func TestSignerOfTheTree(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it lands a task")
	}
	f := newFixture(t)
	hqtest.Write(t, f.Dir, "sign.sh", "#!/bin/sh\ntouch "+f.Dir+"/signed\n"+fixedSignature)
	f.ok(os.Chmod(filepath.Join(f.Dir, "sign.sh"), 0o755))
	f.signs("")
	f.git("config", "gpg.program", filepath.Join(f.Dir, "sign.sh"))
	f.tasks(work{"file-a": "a"})
	first := f.git("rev-parse", "main")
	f.stage(1)
	f.complete()
	if m := f.merge(); f.git("rev-parse", "main") != first || !strings.Contains(m.Why, "not outside its worktree") {
		t.Errorf("the merge is %+v", m)
	}
	if _, err := os.Stat(filepath.Join(f.Dir, "signed")); err == nil {
		t.Error("the program of the tree ran")
	}
}
