package cli

import (
	"runtime/debug"
	"testing"
)

func TestStamped(t *testing.T) {
	t.Parallel()
	const hash = "3f2c1a9b0d4e5f60718293a4b5c6d7e8f9012345"
	for _, c := range []struct {
		version, revision, modified, want string
	}{
		{"(devel)", "", "", ""},
		{"(devel)", hash, "false", "3f2c1a9b0d4e"},
		{"v0.0.0-20260811164956-006e29f97886+dirty", hash, "true", "3f2c1a9b0d4e.changed"},
		{"v0.0.0-20260811164956-006e29f97886", "", "", "006e29f97886"},
		{"v0.1.0", "", "", ""},
		{"v0.1.0-rc1", "", "", ""},
	} {
		info := &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: c.revision},
			{Key: "vcs.modified", Value: c.modified}}}
		info.Main.Version = c.version
		if got := buildCommit(info); got != c.want {
			t.Errorf("%+v: %q; want %q", c, got, c.want)
		}
	}
}
