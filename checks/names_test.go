package checks

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ferrus/checks/regular"
)

// A command's programs control the usual places of reports: nothing outside is read, nothing is
// waited for, and no more is read than a suite can have.
func TestReportsAreOfTheirDirectory(t *testing.T) {
	t.Parallel()
	outside, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "a.xml"), []byte(`<t><testcase name="outside"/></t>`), 0o600); err != nil {
		t.Fatal(err)
	}
	o := Options{Dir: dir, Reports: t.TempDir(), Env: []string{"PATH=/usr/bin:/bin", "OUT=" + outside},
		Commands: []Command{{Run: `ln -s "$OUT" reports && ln -s "$OUT/a.xml" junit.xml && mkfifo report.xml && ` +
			`mkdir -p target/surefire-reports && ln -s ../../inner.xml target/surefire-reports/a.xml && ` +
			`echo '<t><testcase classname="m" name="inside"/></t>' >inner.xml && truncate -s 1T test-results.xml`}}}
	r := Run(t.Context(), o)
	if got := r.Names(); r.Verdict != Pass || len(got) != 1 || !got.Ran("m::inside") {
		t.Errorf("the record is %s with %v, want a pass with m::inside", r.Why, got)
	}
}

// A report that was replaced by a pipe after it was found is not waited for.
func TestReadReportWaitsForNothing(t *testing.T) {
	t.Parallel()
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := unix.Mkfifo(filepath.Join(root.Name(), "a.xml"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readReport(root, "a.xml", time.Time{}, 1<<20); !errors.Is(err, regular.ErrKind) {
		t.Errorf("a pipe: %v", err)
	}
	if err := root.WriteFile("b.xml", []byte(strings.Repeat(" ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, size, err := readReport(root, "b.xml", time.Time{}, 99); err == nil || size != 0 {
		t.Errorf("more than is left was read: %d, %v", size, err)
	}
}
