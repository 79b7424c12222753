package merge

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ferrus/hq/forge"
	"ferrus/hq/hqtest"
)

// fakeForge is a forge: what it knows is in the git directory of the project that it is asked in, and its remote
// is a bare repository.
type fakeForge struct {
	Fault string      `json:"fault"` // login, network; empty: it answers
	Pulls []*fakePull `json:"pulls"`
	Calls []string    `json:"calls"`
	Slow  bool        `json:"slow"` // it takes its time, before and after what it does
	Hold  string      `json:"hold"` // two pipes, .began and .ends: it opens nothing before the second one was opened
}

// fakePull is a pull request of it, as gh prints one.
type fakePull struct {
	Number      int               `json:"number"`
	URL         string            `json:"url"`
	State       string            `json:"state"`
	HeadRefName string            `json:"headRefName"`
	HeadRefOid  string            `json:"headRefOid"`
	BaseRefName string            `json:"baseRefName"`
	CrossFork   bool              `json:"isCrossRepository"`
	MergeCommit map[string]string `json:"mergeCommit"`
	Mergeable   string            `json:"mergeable"`
	Checks      []map[string]any  `json:"statusCheckRollup"`
	Reviews     []map[string]any  `json:"reviews"`
	Inline      []map[string]any  `json:"inline"`
	Text        string            `json:"text"`
}

// mergedAs has the forge report it as merged.
func (p *fakePull) mergedAs(commit string) {
	p.State, p.MergeCommit = "MERGED", map[string]string{"oid": commit}
}

func forgeFile(dir string) string { return filepath.Join(dir, ".git", "forge.json") }

func readForge(dir string) (f fakeForge, err error) {
	data, err := os.ReadFile(forgeFile(dir))
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	return f, err
}

func (f fakeForge) write(dir string) error {
	data, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(forgeFile(dir), data, 0o600)
}

// installGH has this program found as gh on PATH.
func installGH() (remove func(), err error) {
	dir, err := os.MkdirTemp("", "ferrus-test-gh-")
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(dir, "gh"))
	}
	if err == nil {
		err = os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	}
	return func() { os.RemoveAll(dir) }, err
}

// playGH is gh, for one call.
func playGH(args []string) int {
	dir, err := os.Getwd()
	if err != nil {
		return 1
	}
	f, err := readForge(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	f.Calls = append(f.Calls, strings.Join(args[:2], " "))
	f.rest()
	out, code := f.answer(dir, args)
	if err := f.write(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	f.rest()
	if code != 0 {
		fmt.Fprintln(os.Stderr, out)
		return code
	}
	fmt.Println(out)
	return 0
}

// rest takes a while, as a network does.
func (f *fakeForge) rest() {
	if f.Slow {
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond)
	}
}

func (f *fakeForge) answer(dir string, args []string) (string, int) {
	switch f.Fault {
	case "login":
		return "To get started with GitHub CLI, please run:  gh auth login", 4
	case "network":
		return "error connecting to api.github.com\ncheck your internet connection", 1
	}
	flag := func(name string) string {
		if at := slices.Index(args, name); at >= 0 && at+1 < len(args) {
			return args[at+1]
		}
		return ""
	}
	for _, p := range f.Pulls {
		if at := remoteHeadOf(dir, p.HeadRefName); at != "" && p.State == "OPEN" && at != p.HeadRefOid {
			p.HeadRefOid, p.Checks = at, nil // checks are of a commit
		}
	}
	switch strings.Join(args[:2], " ") {
	case "pr list":
		found := []*fakePull{}
		for _, p := range f.Pulls {
			if p.HeadRefName == flag("--head") {
				found = append(found, p)
			}
		}
		return encode(found), 0
	case "pr create":
		body, _ := io.ReadAll(os.Stdin)
		if f.Hold != "" {
			os.WriteFile(f.Hold+".began", nil, 0o600) //nolint:errcheck // it waits for its reader
			os.ReadFile(f.Hold + ".ends")             //nolint:errcheck // it waits for its writer
		}
		if remoteHeadOf(dir, flag("--head")) == "" {
			return "pull request create failed: Head sha can't be blank", 1
		}
		n := len(f.Pulls) + 1
		f.Pulls = append(f.Pulls, &fakePull{Number: n, URL: fmt.Sprintf("https://forge.example/o/r/pull/%d", n),
			State: "OPEN", HeadRefName: flag("--head"), BaseRefName: flag("--base"),
			Text: flag("--title") + "\n\n" + string(body)})
		return "Creating pull request\n" + f.Pulls[n-1].URL, 0
	case "pr view", "pr reopen", "pr close":
		n, _ := strconv.Atoi(args[2])
		if n < 1 || n > len(f.Pulls) {
			return "no pull requests found", 1
		}
		switch p := f.Pulls[n-1]; args[1] {
		case "reopen":
			p.State = "OPEN"
		case "close":
			p.State = "CLOSED"
		}
		return encode(f.Pulls[n-1]), 0
	}
	if args[0] == "api" {
		n, _ := strconv.Atoi(strings.Split(args[1], "/")[4])
		inline := slices.Clone(f.Pulls[n-1].Inline)
		slices.Reverse(inline)
		return encode(inline), 0
	}
	if args[0] == "run" {
		return "the end of the log of " + args[3], 0
	}
	return "unknown command " + args[0], 1
}

func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if string(data) == "null" {
		return "[]"
	}
	return string(data)
}

func remoteHeadOf(dir, branch string) string {
	c := exec.Command("git", "ls-remote", "origin", "refs/heads/"+branch)
	c.Dir = dir
	out, _ := c.Output()
	at, _, _ := strings.Cut(string(out), "\t")
	return at
}

// playPublish returns a command of [merge] publish that speaks to the same forge.
func playPublish() int {
	var r struct {
		Action string `json:"action"`
		forge.Request
	}
	if err := json.NewDecoder(os.Stdin).Decode(&r); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	dir, _ := os.Getwd()
	f, err := readForge(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	f.Calls = append(f.Calls, r.Action)
	at := slices.IndexFunc(f.Pulls, func(p *fakePull) bool { return p.HeadRefName == r.Branch })
	if r.Action == "open" && at < 0 {
		p := &fakePull{Number: 1, State: "OPEN", HeadRefName: r.Branch, BaseRefName: r.Base}
		f.Pulls, at = append(f.Pulls, p), 0
	}
	out := forge.Pull{}
	if at >= 0 {
		p := f.Pulls[at]
		out = forge.Pull{ID: "mr!1", State: forge.State(strings.ToLower(p.State)), Head: r.Commit, Base: p.BaseRefName,
			Commit: p.MergeCommit["oid"]}
		for _, c := range p.Checks {
			state := forge.Result(c["state"].(string))
			out.Checks = append(out.Checks, forge.Check{Name: c["name"].(string), State: state})
		}
	}
	if err := f.write(dir); err != nil {
		return 1
	}
	fmt.Println(encode(out))
	return 0
}

// withRemote gives the project a remote, a forge, and [merge] mode = "pr".
func (f *fixture) withRemote() *fixture {
	f.Helper()
	bare := filepath.Join(f.TempDir(), "remote.git")
	f.git("clone", "-q", "--bare", f.Dir, bare)
	f.git("remote", "add", "origin", bare)
	f.ok(fakeForge{}.write(f.Dir))
	f.o.every = 1 // at each look
	return f
}

// forge changes what the forge knows, and returns it.
func (f *fixture) forge(change func(*fakeForge)) fakeForge {
	f.Helper()
	all, err := readForge(f.Dir)
	f.ok(err)
	if change != nil {
		change(&all)
		f.ok(all.write(f.Dir))
	}
	return all
}

// opened counts the pull requests that were opened, and how often.
func (f *fixture) opened() (pulls, calls int) {
	f.Helper()
	all := f.forge(nil)
	for _, c := range all.Calls {
		if c == "pr create" {
			calls++
		}
	}
	return len(all.Pulls), calls
}

// remote returns git in the remote.
func (f *fixture) remote(args ...string) string {
	f.Helper()
	return f.git(append([]string{"--git-dir", f.git("remote", "get-url", "origin")}, args...)...)
}

// mergeThere has the forge merge the first pull request, as a merge commit, a squash or a rebase, after someone
// else's commit.
func (f *fixture) mergeThere(how string) string {
	f.Helper()
	clone := filepath.Join(f.TempDir(), "clone")
	f.git("clone", "-q", f.git("remote", "get-url", "origin"), clone)
	in := func(args ...string) string { f.Helper(); return f.git(append([]string{"-C", clone}, args...)...) }
	in("config", "user.name", "Someone")
	in("config", "user.email", "someone@example.com")
	hqtest.Write(f, clone, "someone", "else")
	in("add", "someone")
	in("commit", "-q", "-m", "someone else's")
	head := "origin/" + f.forge(nil).Pulls[0].HeadRefName
	switch how {
	case "merge":
		in("merge", "-q", "--no-ff", "-m", "Merge pull request #1", head)
	case "squash":
		in("merge", "-q", "--squash", head)
		in("commit", "-q", "-m", "squashed (#1)")
	case "rebase":
		in("cherry-pick", "main.."+head)
	}
	in("push", "-q", "origin", "main")
	commit := in("rev-parse", "HEAD")
	f.forge(func(all *fakeForge) { all.Pulls[0].mergedAs(commit) })
	return commit
}

// sync takes the steps of the pull requests that are due.
func (f *fixture) sync() {
	f.Helper()
	for range 3 { // the first look may make what the second one is about
		next, err := f.m.Advance(f.Context(), f.o)
		f.ok(err)
		for _, n := range next.Pulls {
			f.ok(f.m.Sync(f.Context(), n, f.o))
		}
	}
	f.reconcile()
}
