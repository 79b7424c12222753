package sandbox

import (
	"slices"
	"testing"

	"ferrus/agent/paths"
)

func TestWhatIsReadableAlreadyIsNotMountedAgain(t *testing.T) {
	t.Parallel()
	p := Policy{Read: []string{"/r", "/r/in", "/r/w/again", "/s"}, Write: []string{"/r/w"}, Hide: []string{"/s/secret"}}
	var got []string
	for _, m := range p.mounts() {
		if paths.Within("/r", m.path) || paths.Within("/s", m.path) {
			got = append(got, m.path)
		}
	}
	if want := []string{"/r", "/r/w", "/r/w/again", "/s", "/s/secret"}; !slices.Equal(got, want) {
		t.Errorf("mounts %q instead of %q", got, want)
	}
}

// A secret with a part that is readable is hidden by bubblewrap, before that part is mounted.
func TestOnlyWhatHoldsNoOtherMountIsLeftToTheInnerProgram(t *testing.T) {
	t.Parallel()
	null := func(path string) mount { return mount{path, rankHide, []string{"--ro-bind", "/dev/null", path}} }
	all := []mount{
		bind(rankSystem, "--ro-bind", "/etc"), null("/etc/shadow"), null("/etc/ssl/private"),
		bind(rankRead, "--ro-bind", "/etc/ssl/private/mine"), null("/home/key"),
		{"/proc", rankSystem, []string{"--proc", "/proc"}}, bind(rankSystem, "--ro-bind", "/proc/sys"),
	}
	now, hide, fix := later(all)
	var left []string
	for _, m := range now {
		left = append(left, m.path)
	}
	if !slices.Equal(left, []string{"/etc", "/etc/ssl/private", "/etc/ssl/private/mine", "/home/key", "/proc"}) ||
		!slices.Equal(hide, []string{"/etc/shadow"}) || !slices.Equal(fix, []string{"/proc/sys"}) {
		t.Errorf("now %q, hidden %q, fixed %q", left, hide, fix)
	}
}
