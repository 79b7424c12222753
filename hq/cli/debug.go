package cli

import (
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"ferrus/checks/redact"
	"ferrus/hq/project"
)

// debugFlag adds --debug to a command that conducts.
func debugFlag(c *cobra.Command, debug *bool) {
	c.Flags().BoolVar(debug, "debug", false, "write a log for a bug report into .ferrus/logs, without secrets")
}

// openDebugLog opens a debug log if one is wanted. It has what happened, but no text of a task
// and, of an agent's output, only the last lines of a session that failed. Secrets are removed.
// Close it at the end, which says where it is. Without one the logger is nil.
func openDebugLog(std *streams, pr *project.Task, wanted bool) (log *slog.Logger, closeLog func(), err error) {
	if !wanted {
		return nil, func() {}, nil
	}
	name := fmt.Sprintf("logs/debug_%d.log", time.Now().Unix())
	file, err := pr.Store.Append(name)
	if err != nil {
		return nil, nil, fmt.Errorf("open the debug log: %w", err)
	}
	log = slog.New(slog.NewTextHandler(file, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: hideSecrets}))
	log.Info("start", "ferrus", versionString(), "system", runtime.GOOS+"/"+runtime.GOARCH, "go", runtime.Version(),
		"pid", os.Getpid())
	return log, func() {
		log.Info("end")
		if err := file.Close(); err != nil {
			fmt.Fprintf(std.err, "ferrus: close the debug log: %v\n", err)
		}
		fmt.Fprintln(std.err, "debug log: .ferrus/"+name)
	}, nil
}

// hideSecrets takes the secrets out of a value before it is quoted, which may change them.
func hideSecrets(_ []string, a slog.Attr) slog.Attr {
	if kind := a.Value.Kind(); kind == slog.KindString || kind == slog.KindAny {
		a.Value = slog.StringValue(redact.RemoveSecrets(a.Value.String(), os.Environ()...))
	}
	return a
}
