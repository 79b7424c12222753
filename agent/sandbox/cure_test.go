package sandbox

import (
	"strings"
	"testing"
)

// ferrus knows what to do about each kind of machine that refuses namespaces, by what bubblewrap says.
func TestEachSystemHasItsCure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings  map[string]string
		container bool
		confined  bool
		os        string
		says      string
		want      string
	}{
		"Ubuntu 24.04": {settings: map[string]string{"kernel/apparmor_restrict_unprivileged_userns": "1"},
			says: "bwrap: loopback: Failed RTM_NEWADDR", want: "/etc/apparmor.d/bwrap"},
		"Ubuntu 24.04, the map": {settings: map[string]string{"kernel/apparmor_restrict_unprivileged_userns": "1"},
			says: "bwrap: setting up uid map: Permission denied", want: "/etc/apparmor.d/bwrap"},
		"an older Debian": {settings: map[string]string{"kernel/unprivileged_userns_clone": "0"},
			says: "bwrap: No permissions to create new namespace", want: "unprivileged_userns_clone=1"},
		"RHEL 7": {settings: map[string]string{"user/max_user_namespaces": "0"},
			says: "bwrap: Creating new namespace failed: No space left on device", want: "max_user_namespaces=15000"},
		"a container": {container: true, says: "bwrap: Can't mount proc on /newroot/proc: Operation not permitted",
			want: "--security-opt systempaths=unconfined"},
		"a container of Docker": {container: true, says: "bwrap: No permissions to create new namespace",
			want: "--security-opt seccomp=unconfined"},
		"a sandbox": {confined: true, says: "bwrap: setting up uid map: Operation not permitted",
			want: "outside, in your own terminal"},
		"no bubblewrap": {says: "it is not installed", want: "apt-get install bubblewrap"},
		"an old kernel": {says: "the kernel has ABI 0, and 3 is needed", want: "Linux 6.2"},
		"something new": {says: "does not hold: nothing else can be written", want: "update both"},
		"macOS":         {os: "darwin", says: "it is not installed", want: "run ferrus on Linux"},
		"unknown":       {says: "bwrap: what?", want: "ferrus sandbox --explain"},
	} {
		setting := func(key string) string { return c.settings[key] }
		s := system{"linux", setting, c.container, c.confined, "apt-get install bubblewrap"}
		if c.os != "" {
			s.os = c.os
		}
		if got := s.cure(c.says); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// What the kernel says of a process shows that it is in a sandbox; a container alone filters calls, too.
func TestASandboxIsKnownByItsStatus(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]bool{
		"Name:\tx\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n": true,
		"Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t2\nSeccomp_filters:\t1\n": false,
		"Name:\tx\nNoNewPrivs:\t1\nSeccomp:\t0\nSeccomp_filters:\t0\n": false,
		"": false,
	} {
		if got := confined(status); got != want {
			t.Errorf("%q: %v; want %v", status, got, want)
		}
	}
}
