package queue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ferrus/hq/hqtest"
	"ferrus/hq/project"
	"ferrus/hq/queue"
)

// BenchmarkTurn measures what reconciling the queue costs a conductor, with one task, and with
// 1,000 that wait next to 5,000 that ended.
func BenchmarkTurn(b *testing.B) {
	for _, c := range []struct{ waiting, over int }{{1, 0}, {1000, 5000}} {
		b.Run(fmt.Sprintf("%d waiting, %d over", c.waiting, c.over), func(b *testing.B) {
			p := hqtest.NewProject(b, hqtest.Files{"ferrus.toml": "[hq]\nworkspace = \"worktree\"\n",
				".gitignore": ".ferrus/\n"}, "one", "two")
			q, err := queue.OpenOrCreate(b.Context(), p)
			hqtest.Must(b, err)
			all := make([]queue.New, c.waiting)
			for i := range all {
				all[i] = queue.New{Text: fmt.Sprintf("# Task %d", i), Touches: []string{fmt.Sprintf("dir%d/*.go", i)}}
			}
			_, err = q.Add(b.Context(), project.HumanActor(), all)
			hqtest.Must(b, err)
			for i := range c.over {
				dir := filepath.Join(p.Dir, ".ferrus", "archive", fmt.Sprintf("t-20260101-000000-%04x", i))
				hqtest.Must(b, os.MkdirAll(dir, 0o700))
			}
			limits := queue.ConditionsOf(p)
			limits.Memory = ""
			_, err = q.Reconcile(b.Context(), limits) // from here on the started item waits for its worktree
			hqtest.Must(b, err)
			b.ResetTimer()
			for b.Loop() {
				_, err := q.Reconcile(b.Context(), limits)
				hqtest.Must(b, err)
				_, err = q.Rows(limits)
				hqtest.Must(b, err)
			}
		})
	}
}
