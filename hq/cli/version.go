package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// releaseVersion is the version, as CHANGELOG.md calls it.
const releaseVersion = "0.1.0"

// linkedCommit is set by the build of a release, which leaves out what the compiler
// would stamp so that the same source gives the same bytes:
// -ldflags "-X ferrus/hq/cli.linkedCommit=3f2c1a9b0d4e".
var linkedCommit string

// versionString returns the release and, if the build knows it, the commit.
func versionString() string {
	if linkedCommit != "" {
		return releaseVersion + "+" + linkedCommit
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if from := buildCommit(info); from != "" {
			return releaseVersion + "+" + from
		}
	}
	return releaseVersion
}

// commitLetters is how many digits of a commit's hash are shown.
const commitLetters = 12

// buildCommit returns the commit that the compiler stamped: the repository's or, for
// a fetched module, the end of its version.
func buildCommit(info *debug.BuildInfo) string {
	from, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= commitLetters:
			from = s.Value[:commitLetters]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ".changed"
		}
	}
	if from != "" {
		return from + changed
	}
	v := info.Main.Version // v0.0.0-20260811164956-006e29f97886
	if i := strings.LastIndexByte(v, '-'); i >= 0 && len(v)-i-1 == commitLetters {
		return v[i+1:]
	}
	return ""
}

func versionCommand(std *streams) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(std.out, "ferrus %s %s %s/%s\n", versionString(), runtime.Version(), runtime.GOOS,
				runtime.GOARCH)
			return nil
		},
	}
}
