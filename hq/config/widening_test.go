package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// harmless lists the keys whose values are never run and grant agents nothing, and the command
// lists that need their own trust.
var harmless = []string{
	"checks.commands", "checks.setup", "checks.key", "checks.env",
	"checks.timeout_secs",
	"worker.*.slots", "worker.*.labels", "worker.*.patience", "workers.patience",
	"limits.max_check_retries", "limits.max_review_cycles",
	"limits.max_feedback_lines", "limits.wait_timeout_secs", "limits.park_after", "limits.max_task_tokens",
	"limits.max_task_cost", "limits.max_parallel_tasks", "limits.min_free_memory_mb",
	"merge.batch", "merge.message",
	"limits.max_parallel_gates", "limits.max_queue_tokens", "limits.max_queue_cost", "hq.defer_after",
	"agent.*.max_sessions", "checks.quick",
	"agents.path", "agents.*.mcp_isolation", "agent.*.mcp", "spec.directory", "lease.ttl_secs",
	"lease.heartbeat_interval_secs", "hq.supervisor.agent", "hq.supervisor.model", "hq.supervisor.interactive",
	"hq.executor.agent", "hq.executor.fallback", "hq.supervisor.fallback",
	"hq.executor.model", "hq.executor.interactive", "hq.notify", "hq.on_need_after", "hq.talk",
	"hq.theme", "hq.colors.*", "hq.workspace",
	"hq.carry_changes", "hq.setup", "hq.teardown", "hq.setup_timeout_secs", "session.max_consecutive_errors",
	"session.max_total_errors", "session.grace_secs", "session.min_uptime_secs", "session.timeout_secs",
	"session.idle_secs", "pair.done", "pair.pass", "pair.rework", "pair.fail", "keys.preset", "keys.*",
}

// TestEveryKeyIsClassified requires that each new key is classified by whether it needs the human's
// trust.
func TestEveryKeyIsClassified(t *testing.T) {
	for _, k := range Keys() {
		if widening[k.Name] == slices.Contains(harmless, k.Name) {
			t.Errorf("%s: list it in widening if it is run or lets agents do more, else in harmless", k.Name)
		}
	}
}

func TestWidening(t *testing.T) {
	dir := t.TempDir()
	text := "[checks]\ncommands = [\"x\"]\nprotect = false\n[hq.executor]\npermissions = \"bypass\"\nagent = \"m\"\n" +
		"[hq.supervisor]\npermissions = \"ask\"\n[agent.m]\ncommand = [\"sh\", \"-c\", \"x\"]\n"
	if err := os.WriteFile(filepath.Join(dir, File), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`agent.m.command = ["sh","-c","x"]`, `checks.protect = false`, `hq.executor.permissions = "bypass"`,
	}
	if cfg, err := NewCache(dir, nil).Get(); err != nil || !slices.Equal(cfg.Widening, want) {
		t.Errorf("Widening is %q, %v; want %q", cfg.Widening, err, want)
	}
}

// TestAModelIsNoOption checks that a model which an agent would parse as an option is refused.
func TestAModelIsNoOption(t *testing.T) {
	for _, role := range []string{"supervisor", "executor"} {
		_, err := Parse([]byte("[hq."+role+"]\nmodel = \" --yolo\"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), "must not start with a dash") {
			t.Errorf("%s: %v, want that it must not start with a dash", role, err)
		}
	}
}
