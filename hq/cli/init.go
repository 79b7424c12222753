package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ferrus/agent"
	"ferrus/agent/program"
	"ferrus/checks/git"
	"ferrus/checks/regular"
	"ferrus/hq/config"
	"ferrus/hq/project"
)

func initCommand(std *streams) *cobra.Command {
	i := &initialization{streams: std}
	c := &cobra.Command{
		Use:   "init",
		Short: "Set up ferrus in this git repository",
		Long: `Writes ferrus.toml with the installed agents and check commands that fit the project,
the directory .ferrus/ for the state, skill files for the agents, a directory for
specs, and the line .ferrus/ in .gitignore. Existing files are not touched, and a
second run changes nothing.`,
		Example: "  ferrus init\n  ferrus init --yes --agents-path .skills",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return i.run(cmd) },
	}
	c.Flags().StringVar(&i.skills, "agents-path", "", "directory for the skill files (default .agents)")
	c.Flags().BoolVar(&i.yes, "yes", false, "accept and trust the proposed check commands without asking")
	return c
}

func (i *initialization) run(cmd *cobra.Command) error {
	if i.skills != "" && !filepath.IsLocal(i.skills) {
		return usageError(cmd, fmt.Sprintf("--agents-path %s is not a path inside the project", i.skills))
	}
	dir, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("set up ferrus: %w", err)
	}
	i.dir = dir
	if err := project.CheckPath(dir); err != nil {
		return err
	}
	if err := requireRepository(dir); err != nil {
		return err
	}
	text, c, err := i.loadOrPropose()
	if err != nil {
		return err
	}
	if err := i.scaffold(cmd.Context(), text, c); err != nil {
		return err
	}
	if err := i.trustWritten(); err != nil {
		return err
	}
	return i.printNextStep(cmd.Context(), c)
}

// trustWritten trusts the commands that were just accepted.
func (i *initialization) trustWritten() error {
	if !i.yes && !i.accepted {
		return nil
	}
	pr, err := openAt(i.dir)
	if err != nil {
		return err
	}
	if _, inside := pr.InsideSession(); inside {
		return nil // an agent trusts nothing for you
	}
	all, err := untrustedChecks(i.streams, pr)
	if err != nil || len(all) == 0 {
		return err
	}
	if i.accepted {
		return pr.Trust(all...) // they have just been shown
	}
	return confirmTrust(i.streams, pr, all, true)
}

// requireRepository refuses a directory outside a git repository.
func requireRepository(dir string) error {
	if _, err := program.Find("git"); err != nil {
		return failure("git is not on PATH", "install git; ferrus identifies work by git trees")
	}
	inside, err := git.In(dir).Output(context.Background(), "rev-parse", "--is-inside-work-tree")
	if errors.Is(err, git.ErrOwner) {
		return failure(dir+": "+git.ErrOwner.Error(), git.OwnerCure(dir))
	}
	if _, located := git.Locate(dir); err != nil && located == nil {
		return failure(err.Error(), "git itself refuses this repository; see its message")
	}
	if err != nil {
		return failure(dir+" is not in a git repository", "run: git init")
	}
	if inside != "true" {
		return failure(dir+" is in a git repository, but not in a working tree",
			"run ferrus init in a clone of it, or in a worktree: git worktree add <directory>")
	}
	return nil
}

// loadOrPropose returns the configuration that exists, or else the text of a new one.
func (i *initialization) loadOrPropose() (text string, c config.Config, err error) {
	c, err = config.Load(i.dir, agentNames(), keyActions()...)
	switch {
	case err == nil && i.skills != "" && filepath.Clean(i.skills) != filepath.Clean(c.Agents.Path):
		return "", c, failure(fmt.Sprintf("ferrus.toml already sets agents.path = %q", c.Agents.Path),
			"change it there, or omit --agents-path")
	case err == nil:
		return "", c, nil
	case !errors.Is(err, config.ErrNone):
		return "", c, err
	}
	if i.skills == "" {
		i.skills = config.Default().Agents.Path
	}
	agents := chooseAgents()
	for _, line := range agents.notes() {
		fmt.Fprintln(i.out, line)
	}
	fmt.Fprintf(i.out, "supervisor: %s, executor: %s (change them in ferrus.toml)\n", agents.supervisor,
		agents.executor)
	commands, setup := i.proposeChecks()
	committed := hasCommit(i.dir)
	fmt.Fprintln(i.out, describeWorkspace(committed))
	text = config.Template(config.Proposal{Agents: agents.names(), Skills: i.skills, Checks: commands, Setup: setup,
		Worktree: committed})
	c, err = config.Parse([]byte(text), agentNames())
	return text, c, err
}

// hasCommit reports whether there is a commit that a worktree can be made from.
func hasCommit(dir string) bool {
	return git.In(dir).Do(context.Background(), "rev-parse", "--verify", "--quiet", "HEAD^{commit}") == nil
}

// describeWorkspace says where agents will work, and what that costs.
func describeWorkspace(worktree bool) string {
	if worktree {
		return `workspace: worktree. Each task works on a branch of its own in .ferrus/worktrees; your checkout
  changes only when you land one`
	}
	return `workspace: here, because the repository has no commit yet. ` + costOfHere + `
  After the first commit, set workspace = "worktree" in ferrus.toml`
}

// costOfHere says what it means that agents work in your checkout.
const costOfHere = `Agents change the files of your checkout:
  one task at a time, and do not edit, switch branches or stash there while it runs`

// proposeChecks shows commands that fit the project, with what they need to be set up,
// and asks whether to use them.
func (i *initialization) proposeChecks() (commands, setup []string) {
	commands, setup = proposeInstalled(i.dir, i.out), config.ProposeSetup(i.dir)
	if len(commands) == 0 {
		return nil, nil
	}
	fmt.Fprintln(i.out, "proposed check commands:")
	for _, c := range setup {
		fmt.Fprintln(i.out, "  setup: "+c)
	}
	for _, c := range commands {
		fmt.Fprintln(i.out, "  "+c)
	}
	if !i.yes && !i.canAsk {
		return commands, setup // they run once you trust them
	}
	if i.yes || i.confirm("use them?", true) {
		i.accepted = true
		return commands, setup
	}
	return nil, nil
}

// scaffold creates what is missing. The state comes first: it refuses a foreign .ferrus.
func (i *initialization) scaffold(ctx context.Context, text string, c config.Config) error {
	skills := agent.Skills(c.Agents.Path)
	names := append(slices.Sorted(maps.Keys(skills)), config.File, c.Spec.Directory, ".gitignore")
	if err := i.refuseLinks(names); err != nil {
		return err
	}
	if err := i.makeState(ctx); err != nil {
		return err
	}
	if text != "" {
		if err := i.writeMissing(config.File, text); err != nil {
			return err
		}
	}
	if err := i.makeDir(c.Spec.Directory); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(skills)) {
		if err := i.writeMissing(name, skills[name]); err != nil {
			return err
		}
	}
	return i.addToGitignore()
}

// printNextStep prints what was created and what to do next.
func (i *initialization) printNextStep(ctx context.Context, c config.Config) error {
	if len(i.created) == 0 {
		fmt.Fprintf(i.out, "nothing to do: ferrus is already set up in %s\n", oneLine(i.dir))
		return nil
	}
	for _, m := range i.created {
		fmt.Fprintln(i.out, "created", oneLine(m))
	}
	fmt.Fprintf(i.out, "ferrus is set up in %s\n", oneLine(i.dir))
	advice, err := commitAdvice(ctx, i.dir, c.Agents.Path)
	if advice != "" {
		fmt.Fprintln(i.out, advice)
	}
	switch {
	case len(c.Checks.Commands) == 0:
		fmt.Fprintln(i.out, "next: add check commands to [checks] commands in ferrus.toml, then run: ferrus")
	case !i.yes && !i.accepted:
		fmt.Fprintln(i.out, "next: trust the check commands with ferrus trust, then run: ferrus")
	default:
		fmt.Fprintln(i.out, "next: run ferrus to open HQ, or ferrus run \"task text\" without a screen")
	}
	return err
}

// maxSetupFile bounds a file of the setup that is read as a whole, in bytes.
const maxSetupFile = 16 << 20

// uncommitted reports whether a file, or one in a directory, is not in the commit that is
// checked out, and not ignored. It compares the contents itself: git status would run the
// filters that the repository's configuration names.
func uncommitted(ctx context.Context, dir, name string) (changed bool, err error) {
	if ignored, err := git.In(dir).Output(ctx, "check-ignore", "--", name); err == nil && ignored != "" {
		return false, nil
	}
	committed := map[string]string{}
	// Without a commit there is none.
	out, _ := git.In(dir).Output(ctx, "ls-tree", "-r", "-z", "HEAD", "--", name)
	for _, line := range strings.Split(out, "\x00") {
		about, path, _ := strings.Cut(line, "\t")
		if fields := strings.Fields(about); len(fields) == 3 {
			committed[path] = fields[2]
		}
	}
	err = filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || changed || !d.Type().IsRegular() {
			return err
		}
		data, err := regular.Read(path, maxSetupFile)
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		was := committed[filepath.ToSlash(below)]
		changed = git.Hash(was, "blob", data) != was
		return err
	})
	return changed, err
}

// commitAdvice says which files of the setup to commit before the first task: uncommitted,
// they are in the way when it lands. It is empty if all are committed or ignored.
func commitAdvice(ctx context.Context, dir, skills string) (string, error) {
	var names []string
	for _, name := range []string{config.File, ".gitignore", skills} {
		changed, err := uncommitted(ctx, dir, name)
		if err != nil {
			return "", fmt.Errorf("find what to commit: %w", err)
		}
		if strings.ContainsAny(name, " '\"$&;()*?<>|`\\") {
			name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
		}
		if changed {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return "", nil
	}
	return "commit these before the first task, or they will be in the way when it lands: git add " +
		strings.Join(names, " ") + " && git commit -m \"Set up ferrus\"", nil
}
