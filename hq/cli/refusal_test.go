package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ferrus/hq/core"
	"ferrus/hq/project"
	"ferrus/store"
	"ferrus/store/longtest"
)

// A .ferrus as the first version of ferrus left it: no lock, no journal.
const older = `{"schema_version":1,"state":%q,"check_retries":0,"review_cycles":0,"failure_reason":null,` +
	`"updated_at":"2026-05-13T09:04:24Z","owner_pid":%s,"paused_state":null}`

func asOlder(state, pid string) string {
	return "rm -r .ferrus; mkdir .ferrus; printf '%s' '" + fmt.Sprintf(older, state, pid) + "' > .ferrus/STATE.json; "
}

// Shell commands that bring a project, made by init, to a state in which a command is refused.
const (
	demoAgents = "printf '[checks]\\ncommands = [\"true\"]\\n[hq.supervisor]\\nagent = " +
		"\"demo\"\\n[hq.executor]\\nagent = \"demo\"\\n' > ferrus.toml; "
	mistyped = "printf '[chekcs]\\ncommands = [\"true\"]\\n' > ferrus.toml; "
	damaged  = "printf '{' > .ferrus/STATE.json; "
	newer    = "sed -i.bak 's/\"schema_version\": *2/\"schema_version\": 9/' .ferrus/STATE.json; rm -f " +
		".ferrus/STATE.json.bak; "
)

// A refusal changes nothing on the disk: no file that was there, and no new one beside it.
func TestRefusalsChangeNothing(t *testing.T) {
	longtest.OnlyCI(t)
	for _, c := range []struct{ name, prepare, command string }{
		{"init outside of git", "rm -rf .git .ferrus ferrus.toml", "init --yes"},
		{"init with a wrong configuration", "rm -r .ferrus; " + mistyped, "init --yes"},
		{"init with a path outside", "rm -r .ferrus; rm ferrus.toml", "init --yes --agents-path ../x"},
		{"init with another path", "rm -r .ferrus", "init --yes --agents-path elsewhere"},
		{"init over a file", "rm -r .ferrus; echo mine > .ferrus", "init --yes"},
		{"init over a link", "rm -r .ferrus; mkdir there; ln -s there .ferrus", "init --yes"},
		{"init on a damaged state", damaged, "init --yes"},
		{"init on a newer state", newer, "init --yes"},
		{"import of an unknown state", asOlder("Fixing", "0"), "init --yes"},
		{"import of an unknown state by status", asOlder("Fixing", "0"), "status"},
		{"import while its program runs", "cp \"$(command -v sleep)\" \"$WORK/ferrus\"; \"$WORK/ferrus\" 100 > " +
			"/dev/null 2>&1 & echo $! > ../runs; " + asOlder("Executing", "'\"$(cat ../runs)\"'"), "init --yes"},
		{"import with a wrong configuration", asOlder("Executing", "0") + mistyped, "status"},
		{"import beside a later journal", asOlder("Idle", "0") +
			"echo '{\"seq\":3,\"event\":\"hold\",\"data\":{}}' > .ferrus/journal.jsonl", "init --yes"},
		{"doctor on a damaged state", damaged, "doctor"},
		{"doctor on a newer state", newer, "doctor"},
		{"doctor on an older state", asOlder("Idle", "0"), "doctor"},
		{"doctor with a bundle that is there", "echo mine > b.tar.gz", "doctor --bundle b.tar.gz"},
		{"status of a damaged state", damaged, "status"},
		{"run on a damaged state", demoAgents + damaged, "run work"},
		{"run with a wrong configuration", mistyped, "run work"},
		{"run without commands", "printf '[hq.supervisor]\\nagent = \"demo\"\\n[hq.executor]\\nagent = \"demo\"\\n' " +
			"> ferrus.toml", "run work"},
		{"run with an unknown agent", "printf '[checks]\\ncommands = [\"true\"]\\n[hq.executor]\\nagent = " +
			"\"nosuch\"\\n' > ferrus.toml", "run work"},
		{"run without trust", demoAgents, "run work"},
		{"run without a task", demoAgents + "ferrus trust --yes", "run"},
		{"run of an empty text", demoAgents + "ferrus trust --yes", "run ''"},
		{"land without a task", demoAgents, "land"},
		{"land of an unknown task", demoAgents, "land t-20260101-000000-0000"},
		{"check without a task", demoAgents, "check"},
		{"approve without a task", demoAgents, "approve"},
		{"reject without a task", demoAgents, "reject no"},
		{"retry without a task", demoAgents, "retry"},
		{"answer without a question", demoAgents, "answer yes"},
		{"tell an unknown slot", demoAgents, "tell nosuch hello"},
		{"attach to no session", demoAgents, "attach executor"},
		{"pair of unknown agents", demoAgents + "ferrus trust --yes", "pair work --primary nosuch"},
		{"pair without trust", demoAgents, "pair work --primary demo --secondary demo"},
		{"resume of no pair", demoAgents + "ferrus trust --yes", "pair --resume 20260101-000000-0000"},
		{"workflow of an unknown kind", demoAgents, "workflow start chores tidy"},
		{"approve without a workflow", demoAgents, "workflow approve"},
		{"cancel without a workflow", demoAgents, "workflow cancel --yes"},
		{"workflow with a wrong configuration", mistyped, "workflow start feature work"},
		{"worktree of nothing", demoAgents, "worktree remove t-20260101-000000-0000"},
		{"register of an unknown agent", demoAgents, "register --supervisor nosuch"},
		{"report of an unknown task", demoAgents, "report t-20260101-000000-0000"},
		{"logs of no session", demoAgents, "logs executor"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := refusing(t)
			t.Cleanup(func() {
				shell(dir, "[ ! -e ../runs ] || kill $(cat ../runs)") //nolint:errcheck // it may have ended
			})
			if out, err := shell(dir, c.prepare); err != nil {
				t.Fatalf("prepare: %v\n%s", err, out)
			}
			tryRefused(t, dir, c.command)
		})
	}
}

// The same while a task is Executing.
func TestRefusalsLeaveTheTask(t *testing.T) {
	longtest.OnlyCI(t)
	for _, command := range []string{"run other", "reset", "land", "approve", "reject no", "retry", "answer yes",
		"check --cancel", "worktree remove t-20260101-000000-0000", "pair work --primary demo --secondary demo"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			dir := refusing(t)
			if out, err := shell(dir, demoAgents+"ferrus trust --yes"); err != nil {
				t.Fatalf("trust: %v\n%s", err, out)
			}
			p, err := project.OpenKept(dir, store.UserHeads(), agentNames()...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Do(t.Context(), store.Call{}, core.Command{Kind: "create_task", By: project.HumanActor(),
				Text: "# Work\n"}); err != nil {
				t.Fatal(err)
			}
			tryRefused(t, dir, command)
		})
	}
}

// What a refusal says that you can run is accepted there, alone and beside a workflow.
func TestRefusalsOfferWhatIsAccepted(t *testing.T) {
	longtest.OnlyCI(t)
	for state, prepare := range map[string]string{
		"idle":     demoAgents + "ferrus trust --yes",
		"workflow": demoAgents + "ferrus trust --yes && ferrus workflow start oneshot work",
	} {
		for _, command := range []string{"check", "approve", "reject no", "retry", "answer yes"} {
			t.Run(state+" "+command, func(t *testing.T) {
				t.Parallel()
				prepared := func() string {
					dir := refusing(t)
					if out, err := shell(dir, prepare); err != nil {
						t.Fatalf("prepare: %v\n%s", err, out)
					}
					return dir
				}
				out, err := shell(prepared(), "ferrus "+command)
				_, offers, found := strings.Cut(strings.Join(strings.Fields(out), " "), "you can run: ")
				if err == nil || !found {
					t.Fatalf("%v, without an offer: %s", err, out)
				}
				for offer := range strings.SplitSeq(offers, ", ") {
					if out, err := shell(prepared(), offer); err != nil {
						t.Errorf("%s: %v\n%s", offer, err, out)
					}
				}
			})
		}
	}
}

// refusing returns a project that init made, with its own home.
func refusing(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "app")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if out, err := shell(dir, "git init -q . && ferrus init --yes"); err != nil {
		t.Fatalf("init: %v\n%s", err, out)
	}
	return dir
}

// shell runs a script in a project, and returns what it says.
func shell(dir, script string) (string, error) {
	home := filepath.Dir(dir)
	cmd := exec.Command("sh", "-c", script+"\n")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+home, "WORK="+home, "XDG_CONFIG_HOME="+home+"/config",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+home)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// tryRefused runs a command of ferrus that must be refused.
func tryRefused(t *testing.T, dir, command string) {
	home := filepath.Dir(dir)
	before, err := listing(home)
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell(dir, "ferrus "+command)
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() > 3 ||
		!strings.Contains(out, "ferrus: ") && command != "doctor" {
		t.Errorf("%v:\n%s", err, out)
	}
	after, err := listing(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range without(after, before) {
		t.Errorf("now there is %s\nit said: %s", line, out)
	}
	for _, line := range without(before, after) {
		t.Errorf("gone is %s\nit said: %s", line, out)
	}
}

// without returns the lines of a text that another does not have.
func without(text, other string) []string {
	return slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return slices.Contains(strings.Split(other, "\n"), line)
	})
}
