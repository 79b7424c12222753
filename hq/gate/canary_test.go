package gate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ferrus/checks"
)

// cargo is a runner in shell: it reports what the functions in src/lib.rs would come to,
// unless the code under test has it print something else.
const cargo = `sh run.sh`

const suite = `echo '     Running unittests src/lib.rs (target/a)'
if test -f forged; then cat forged; exit 0; fi
awk '/fn /{name = $2; sub(/\(.*/, "", name); if (/\{\}/) print "test t::" name " ... ok"}
	/panic!|assert!\(false/{print "test t::" name " ... FAILED"; bad = 1} END {exit bad}' src/lib.rs
`

// A runner whose output lacks the tests that ferrus added is found out, unless it lacked them on
// the base as well.
func TestCanary(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	t.Parallel()
	forged := "test t::a ... ok\ntest t::b ... ok\n"
	for name, c := range map[string]struct {
		command string
		files   map[string]string
		want    []string
	}{
		"honest work": {cargo, map[string]string{"src/lib.rs": "fn a() {}\nfn b() {}\nfn c() {}\n"}, nil},
		"forged output": {cargo, map[string]string{"forged": forged, "src/lib.rs": "fn a() {}\nfn b() {}\n//" +
			" x\n"}, []string{"src/lib.rs"}},
		"only tests that are selected": {cargo + " | grep -v '[a-z]\\{9\\}'; true",
			map[string]string{"src/lib.rs": "fn a() {}\nfn b() {}\nfn c() {}\n"}, nil},
		"no code is changed": {cargo, map[string]string{"README.md": forged}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name != "honest work" && name != "forged output" {
				t.Skip("short: a pass and a failure are enough")
			}
			t.Parallel()
			l := newFixture(t, c.command)
			l.ok(os.Mkdir(filepath.Join(l.Dir, "src"), 0o755))
			l.write(filepath.Join(l.Dir, "run.sh"), suite)
			l.write(filepath.Join(l.Dir, "src", "lib.rs"), "fn a() {}\nfn b() {}\n")
			l.pin(`protect = true`)
			for file, text := range c.files {
				l.write(filepath.Join(l.Dir, file), text)
			}
			r := l.run(l.check())
			if r.Verdict != checks.Pass || r.Demands == nil || !slices.Equal(r.Demands.Forged, c.want) {
				t.Errorf("%s: the demands are %+v, want a pass with %v forged", r.Why, r.Demands, c.want)
			}
			if data, err := os.ReadFile(filepath.Join(l.Dir, "src", "lib.rs")); err != nil || len(data) > 60 {
				t.Errorf("the worktree has the tests: %q, %v", data, err)
			}
		})
	}
}

// A test that fails in the second run on a tree after it had passed is named.
func TestUnsteadyTests(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it runs several gates")
	}
	t.Parallel()
	l := newFixture(t, cargo)
	l.write(filepath.Join(l.Dir, "run.sh"), suite)
	l.ok(os.Mkdir(filepath.Join(l.Dir, "src"), 0o755))
	l.write(filepath.Join(l.Dir, "src", "lib.rs"), "fn a() {}\nfn b() {}\n")
	l.pin(`protect = true`)
	l.write(filepath.Join(l.Dir, "src", "lib.rs"), "fn a() {}\nfn b() {} // x\n")
	once := `test -f ` + l.out + `/once && sed -i 's/fn a() {}/fn a() { panic!() }/' src/lib.rs
touch ` + l.out + "/once\n"
	l.write(filepath.Join(l.Dir, "run.sh"), once+suite)
	r := l.run(l.check())
	if r.Verdict != checks.Pass || r.Demands == nil || !slices.Equal(r.Demands.Unsteady, []string{"a"}) {
		t.Errorf("%s: the demands are %+v, want a pass with a unsteady", r.Why, r.Demands)
	}
}
