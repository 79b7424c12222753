package land

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ferrus/checks/git"
	"ferrus/store/longtest"
)

// planted writes what a session could put into a file that git reads. It gets the common git
// directory, the git directory of the task's worktree, and the fixture.
type planted func(l *fixture, common, own string)

// file returns a planted file with a text, in which {} stands for a directory outside the project.
func file(name, text string) planted {
	return func(l *fixture, common, own string) {
		l.Helper()
		for _, dir := range []string{common, own} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			l.ok(os.MkdirAll(filepath.Dir(path), 0o700))
			l.ok(os.RemoveAll(path))
			l.ok(os.WriteFile(path, []byte(strings.ReplaceAll(text, "{}", l.elsewhere())), 0o600))
		}
	}
}

// config returns a text appended to the configuration.
func config(text string) planted {
	return func(l *fixture, common, _ string) {
		l.Helper()
		f, err := os.OpenFile(filepath.Join(common, "config"), os.O_APPEND|os.O_WRONLY, 0)
		l.ok(err)
		_, err = f.WriteString(strings.ReplaceAll(text, "{}", l.elsewhere()))
		l.ok(errors.Join(err, f.Close()))
	}
}

// pipe returns a named pipe in place of a file in the git directory.
func pipe(name string) planted {
	return func(l *fixture, common, own string) {
		l.Helper()
		for _, dir := range slices.Compact([]string{common, own}) {
			path := filepath.Join(dir, filepath.FromSlash(name))
			l.ok(os.MkdirAll(filepath.Dir(path), 0o700))
			l.ok(os.RemoveAll(path))
			l.ok(syscall.Mkfifo(path, 0o600))
		}
	}
}

// raw runs plain git commands, as a session does in its worktree.
func raw(commands ...string) planted {
	return func(l *fixture, _, _ string) {
		l.Helper()
		for _, line := range commands {
			l.gitIn(l.in(), strings.Fields(line)...)
		}
	}
}

// elsewhere returns a git directory with an object store, outside the project.
func (l *fixture) elsewhere() string {
	l.Helper()
	dir := filepath.Join(l.TempDir(), "elsewhere")
	l.ok(git.In(filepath.Dir(dir)).Do(l.Context(), "init", "-q", "--bare", dir))
	return dir
}

// gitFiles lists all files that git reads, each with what a session could put there.
var gitFiles = map[string]planted{
	"index.lock":           file("index.lock", ""),
	"HEAD.lock":            file("HEAD.lock", ""),
	"packed-refs.lock":     file("packed-refs.lock", ""),
	"config.lock":          file("config.lock", ""),
	"a lock of the branch": file("refs/heads/main.lock", ""),
	"an empty index":       file("index", ""),
	"an index of noise":    file("index", "DIRC\x00\x00\x00\x02\xff\xff\xff\xff noise"),
	"split index":          raw("update-index --split-index"),
	"shared index gone":    file("sharedindex."+strings.Repeat("0", 40), "noise"),
	"untracked cache":      raw("update-index --force-untracked-cache"),
	"fsmonitor extension": raw("-c core.fsmonitor=/bin/false update-index --fsmonitor",
		"update-index --fsmonitor-valid a.txt"),
	"assume-unchanged":       raw("update-index --assume-unchanged a.txt gone.txt"),
	"skip-worktree":          raw("update-index --skip-worktree a.txt"),
	"skip-worktree, deleted": raw("update-index --skip-worktree a.txt gone.txt"),
	"sparse-checkout of a session": raw("sparse-checkout set --no-cone /new.txt /.gitignore /ferrus.toml /a.txt",
		"update-index --skip-worktree gone.txt"),
	"intent to add":                 raw("add -N new.txt"),
	"info/sparse-checkout":          file("info/sparse-checkout", "/none/\n"),
	"info/exclude":                  file("info/exclude", "new.txt\na.txt\n"),
	"info/attributes":               file("info/attributes", "* -text filter=x ident export-ignore\n"),
	"info/grafts":                   file("info/grafts", strings.Repeat("1", 40)+"\n"),
	"info/refs":                     file("info/refs", "noise\n"),
	"malformed packed-refs":         file("packed-refs", "noise\x00\nmore noise"),
	"packed-refs without an end":    file("packed-refs", strings.Repeat("a", 40)+" refs/heads/other"),
	"shallow of noise":              file("shallow", "noise\n"),
	"objects/info/alternates":       file("objects/info/alternates", "{}/objects\n"),
	"objects/info/http-alternates":  file("objects/info/http-alternates", "{}/objects\n"),
	"objects/info/commit-graph":     file("objects/info/commit-graph", "noise"),
	"objects/pack/multi-pack-index": file("objects/pack/multi-pack-index", "noise"),
	"a pack of noise":               file("objects/pack/pack-"+strings.Repeat("a", 40)+".idx", "noise"),
	"commondir":                     file("commondir", "{}\n"),
	"gitdir":                        file("gitdir", "{}/.git\n"),
	"HEAD of noise":                 file("HEAD", "noise\n"),
	"HEAD on another branch":        file("HEAD", "ref: refs/heads/other\n"),
	"HEAD outside of refs":          file("HEAD", "ref: ../../../etc/passwd\n"),
	"MERGE_HEAD":                    file("MERGE_HEAD", strings.Repeat("1", 40)+"\n"),
	"CHERRY_PICK_HEAD":              file("CHERRY_PICK_HEAD", strings.Repeat("1", 40)+"\n"),
	"rebase in progress":            file("rebase-merge/head-name", "refs/heads/main\n"),
	"a branch of noise":             file("refs/heads/noise", "noise\n"),
	"replaced commit": func(l *fixture, _, own string) {
		l.Helper()
		other := l.gitIn(l.in(), "commit-tree", "HEAD^{tree}", "-m", "other")
		l.gitIn(l.in(), "replace", "HEAD", other)
	},
	"core.worktree": config("[core]\n\tworktree = {}\n"),
	"core.bare":     config("[core]\n\tbare = true\n"),
	"core.gitProxy and other programs": config("[core]\n\tgitProxy = false\n\tsshCommand = false\n" +
		"\tfsmonitor = false\n"),
	"core.excludesFile": config("[core]\n\texcludesFile = {}/HEAD\n"),
	"core.autocrlf":     config("[core]\n\tautocrlf = true\n\teol = crlf\n\tsafecrlf = true\n"),
	"core.sparseCheckout": config("[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = true\n" +
		"[index]\n\tsparse = true\n"),
	"core.ignoreCase": config("[core]\n\tignoreCase = true\n\tfileMode = false\n" +
		"\tsymlinks = false\n"),
	"core.checkStat": config("[core]\n\tcheckStat = minimal\n\ttrustctime = false\n" +
		"\tignoreStat = true\n"),
	"include":       config("[include]\n\tpath = {}/config\n"),
	"includeIf":     config("[includeIf \"gitdir:/\"]\n\tpath = {}/config\n"),
	"url.insteadOf": config("[url \"{}/\"]\n\tinsteadOf = https://\n"),
	"repository format of the future": config("[core]\n\trepositoryformatversion = 99\n" +
		"[extensions]\n\tnoise = true\n"),
	"no configuration that git reads": config("[core\n noise"),
	"diff settings": config("[diff]\n\tnoprefix = true\n\trenames = copies\n\torderFile = {}/HEAD\n" +
		"[merge]\n\trenames = false\n"),
	"commit settings": config("[commit]\n\tcleanup = verbatim\n\ttemplate = {}/HEAD\n" +
		"[i18n]\n\tcommitEncoding = noise\n"),
	"a pipe as HEAD":         pipe("HEAD"),
	"a pipe as index":        pipe("index"),
	"a pipe as config":       pipe("config"),
	"a pipe as packed-refs":  pipe("packed-refs"),
	"a pipe as info/exclude": pipe("info/exclude"),
	"a pipe as shallow":      pipe("shallow"),
	"a pipe as commondir":    pipe("commondir"),
	"a pipe as alternates":   pipe("objects/info/alternates"),
}

// TestFilesOfGitDecideNothing plants something into each file that git reads, before the gate and
// before the landing. Either the approved work lands, or nothing lands and ferrus says why.
func TestFilesOfGitDecideNothing(t *testing.T) {
	longtest.Only(t)
	t.Parallel()
	for name, plant := range gitFiles {
		for _, workspace := range []string{"here", "worktree"} {
			for _, late := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/late=%v", name, workspace, late), func(t *testing.T) {
					t.Parallel()
					landPlanted(t, plant, workspace, late)
				})
			}
		}
	}
}

// landPlanted lands work after planting a file, either before ferrus knows the tree or later.
func landPlanted(t *testing.T, plant planted, workspace string, late bool) {
	l := newFixture(t, workspace).startTask()
	work := l.in()
	l.work()
	r, err := git.Locate(work)
	l.ok(err)
	before := l.gitIn(l.Dir, "rev-parse", "refs/heads/main")
	if late {
		l.approve()
	}
	plant(l, r.Common, r.Dir)
	if !late && !l.approves() {
		return // A refusal with a reason.
	}
	l.ok(os.RemoveAll(filepath.Join(l.Dir, "hook-ran"))) // A session's plain git may run hooks.
	_, err = l.land(Options{})
	var moved string
	if err != nil {
		if strings.TrimSpace(err.Error()) == "" {
			t.Error("the landing was refused without a reason")
		}
		t.Logf("refused: %v", err)
		return
	}
	w := l.world()
	if moved = w.Task.Landed.Commit; moved == before {
		t.Error("the landing succeeded but main did not move")
	}
	env := append(git.Environment(), "GIT_DIR="+r.Common, "GIT_CONFIG_GLOBAL=/dev/null")
	objects := git.Git{Dir: r.Common, Env: env}
	entries, err := objects.CommitTree(l.Context(), moved)
	if err != nil {
		t.Logf("plain git can no longer read this repository: %v", err)
		return
	}
	got := map[string]string{}
	all, err := objects.Objects(l.Context())
	l.ok(err)
	defer all.Close()
	for _, e := range entries {
		content, err := all.Blob(e.ID)
		l.ok(err)
		got[e.Path] = string(content)
	}
	want := map[string]string{"a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n", "new.txt": "new\n",
		".gitignore": ".ferrus/\nignored\n", "ferrus.toml": got["ferrus.toml"]}
	if !maps.Equal(got, want) {
		t.Errorf("landed %q, want %q", got, want)
	}
}

// approves takes the workspace's changes to Complete, or logs why that was refused.
func (l *fixture) approves() bool {
	l.Helper()
	tree, err := l.Work(l.world()).Tree(l.Context())
	if err != nil {
		l.Logf("hash the tree: %v", err)
		return false
	}
	if len(tree.Problems) > 0 {
		l.Logf("problems of the tree: %v", tree.Problems)
		return false
	}
	l.approve()
	return true
}
