package stage

import (
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestASpecificationIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	want := Spec{
		Bwrap: "/usr/bin/bwrap", Flags: []string{"--bind", "/a b", "/a\n\"b\"", "", "\xff"}, Reach: []string{"/r"},
		Env: "/usr/bin/env", Set: []string{"A=1\n2", "B="},
		Filter: Filter{{0xffff, 0xff, 1, 0xffffffff}, {K: 3}}, Scopes: true,
		Proxy: "/p", ProxyPort: 4, Ports: []int{1, 2},
		Held: []Held{{Path: "/x", Source: "/y", ReadOnly: true, dev: 1 << 63, ino: 7}, {Path: "/z"}}, offer: 5,
		Root: &Root{Hide: []string{"/h"}, Fix: []string{"/f"}, Devices: []string{"/d"}, Filter: Filter{{K: 9}}},
	}
	if got, err := parse(want.String()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %v", got, err, want)
	}
}

func TestADamagedSpecificationIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"x", `held "a"`, "held", `port "x"`, `hide "/x"`, `flags "a`, "flags a", `filter "xyz"`,
		`scopes`, `offer "1" "b"`, `held "a" "b" "c" "d" "1"`, "root\nfix x"} {
		if s, err := parse(text); err == nil {
			t.Errorf("parse(%q) = %+v, want an error", text, s)
		}
	}
}

// What is initialized before this package is paid for twice by each program inside.
func TestItStartsBeforeWhatItDoesNotNeed(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip(err)
	}
	for _, late := range []string{"fmt", "strings", "reflect", "path/filepath", "encoding/json",
		"golang.org/x/sys/unix"} {
		if slices.Contains(strings.Fields(string(out)), late) {
			t.Errorf("it imports %s, and so its turn comes late", late)
		}
	}
}

func TestTextIsTakenApart(t *testing.T) {
	t.Parallel()
	if got := split("//a/b//", '/'); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("split = %q, want a and b", got)
	}
	if before, after, found := cut("a=b=c", '='); before != "a" || after != "b=c" || !found {
		t.Errorf("cut = %q %q %v, want a, b=c and true", before, after, found)
	}
	if got := join([]string{"a", "", "b"}, ","); got != "a,,b" {
		t.Errorf("join([]string{'a', '', 'b'}, ',') is %q, want %q", got, "a,,b")
	}
}
