package forge

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// GH is GitHub, as its command line tool speaks to it.
type GH struct {
	Runner Runner
	Tool   string // empty: gh
}

// New returns the forge of a project: the command, if there is one, else gh.
func New(runner Runner, command []string) Forge {
	if len(command) > 0 {
		return Command{Argv: command, Runner: runner}
	}
	return GH{Runner: runner}
}

// ask runs gh.
func (g GH) ask(ctx context.Context, doing, input string, args ...string) (string, error) {
	out, err := g.Runner.Run(ctx, strings.NewReader(input), append([]string{cmp.Or(g.Tool, "gh")}, args...)...)
	switch {
	case errors.Is(err, ErrNotInstalled):
		return "", &Error{doing, "install gh (https://cli.github.com), or name a command for your forge in [merge] " +
			"publish", err}
	case errors.Is(err, ErrLoggedOut):
		return "", &Error{doing, "run: gh auth login", err}
	case err != nil:
		return "", &Error{doing, "", err}
	}
	return out, nil
}

// ghPull is a pull request as gh prints it.
type ghPull struct {
	Number       int    `json:"number"`
	URL          string `json:"url"`
	State        string `json:"state"` // OPEN, MERGED, CLOSED
	HeadRefName  string `json:"headRefName"`
	HeadRefOid   string `json:"headRefOid"`
	BaseRefName  string `json:"baseRefName"`
	CrossFork    bool   `json:"isCrossRepository"`
	IsDraft      bool   `json:"isDraft"`
	Mergeable    string `json:"mergeable"`        // CONFLICTING
	MergeStatus  string `json:"mergeStateStatus"` // BEHIND
	Decision     string `json:"reviewDecision"`   // REVIEW_REQUIRED, CHANGES_REQUESTED
	ghDiscussion        // flattened
}

// ghDiscussion is what was said of it. MergeCommit is here to keep the parts small.
type ghDiscussion struct {
	MergeCommit *struct {
		Oid string `json:"oid"`
	} `json:"mergeCommit"`
	Rollup  []ghCheck  `json:"statusCheckRollup"`
	Reviews []ghReview `json:"reviews"`
}

// ghCheck is a CheckRun, with a conclusion, or a StatusContext, with a state.
type ghCheck struct {
	Name       string `json:"name"`
	Context    string `json:"context"`
	Workflow   string `json:"workflowName"`
	Status     string `json:"status"`
	Conclusion string `json:"conclusion"`
	State      string `json:"state"`
	DetailsURL string `json:"detailsUrl"`
	TargetURL  string `json:"targetUrl"`
}

type ghReview struct {
	ID     string `json:"id"`
	Author struct {
		Login string `json:"login"`
	} `json:"author"`
	Association string `json:"authorAssociation"`
	Body        string `json:"body"`
	State       string `json:"state"`
}

// ghComment is a comment of the API.
type ghComment struct {
	ID   int64 `json:"id"`
	User struct {
		Login string `json:"login"`
		Type  string `json:"type"`
	} `json:"user"`
	Association string `json:"author_association"`
	Body        string `json:"body"`
	Path        string `json:"path"`
	Line        int    `json:"line"`
	Original    int    `json:"original_line"`
}

// What gh prints of states.
const (
	ghOpen             = "OPEN"
	ghChangesRequested = "CHANGES_REQUESTED"
	ghReviewRequired   = "REVIEW_REQUIRED"
	ghDismissed        = "DISMISSED"
)

const (
	listFields = "number,url,state,headRefName,headRefOid,baseRefName,isCrossRepository,mergeCommit"
	viewFields = listFields + ",isDraft,mergeable,mergeStateStatus,reviewDecision,statusCheckRollup,reviews"
)

// Find implements [Forge]. A pull request from a fork is not ours, whatever its branch is called.
func (g GH) Find(ctx context.Context, r Request) (p Pull, err error) {
	const doing = "read the pull request"
	if r.ID != "" {
		return g.view(ctx, r.ID)
	}
	out, err := g.ask(ctx, doing, "", "pr", "list", "--head", r.Branch, "--state", "all", "--limit", "30", "--json",
		listFields)
	if err != nil {
		return p, err
	}
	var all []ghPull
	if err := json.Unmarshal([]byte(cmp.Or(out, "[]")), &all); err != nil {
		return p, &Error{Doing: doing, Err: fmt.Errorf("the answer of gh cannot be read: %w", err)}
	}
	all = slices.DeleteFunc(all, func(p ghPull) bool { return p.CrossFork || p.HeadRefName != r.Branch })
	if len(all) == 0 {
		return p, nil
	}
	slices.SortFunc(all, func(a, b ghPull) int { // an open one first, then the newest
		return cmp.Or(-cmp.Compare(rank(a), rank(b)), cmp.Compare(b.Number, a.Number))
	})
	return all[0].pull(), nil
}

func rank(p ghPull) int {
	if p.State == ghOpen {
		return 1
	}
	return 0
}

// view returns all that is known of a pull request.
func (g GH) view(ctx context.Context, id string) (p Pull, err error) {
	const doing = "read the pull request"
	out, err := g.ask(ctx, doing, "", "pr", "view", id, "--json", viewFields)
	if err != nil {
		return p, err
	}
	var found ghPull
	if err := json.Unmarshal([]byte(out), &found); err != nil || found.Number == 0 {
		return p, &Error{Doing: doing, Err: fmt.Errorf("the answer of gh cannot be read: %w",
			cmp.Or(err, errors.New("it has no number")))}
	}
	if p = found.pull(); p.State != Open {
		return p, nil
	}
	out, err = g.ask(ctx, "read the comments of the pull request", "", "api",
		"repos/{owner}/{repo}/pulls/"+p.ID+"/comments?per_page=100&sort=created&direction=desc")
	if err != nil {
		return p, err
	}
	var inline []ghComment
	if err := json.Unmarshal([]byte(cmp.Or(out, "[]")), &inline); err != nil {
		return p, &Error{Doing: "read the comments of the pull request",
			Err: fmt.Errorf("the answer of gh cannot be read: %w", err)}
	}
	slices.Reverse(inline)
	for _, c := range inline {
		p.Comments = append(p.Comments, c.comment())
	}
	for i, c := range p.Checks {
		if c.State == Failed {
			p.Checks[i].Text = g.log(ctx, c.URL)
		}
	}
	return p.bounded(), nil
}

// job matches the address of a job of GitHub's own runner.
var job = lazyregexp.New(`/actions/runs/\d+/job/(\d+)`)

// log returns the end of the log of a failed job; empty where gh has none. The executor may not have a network.
func (g GH) log(ctx context.Context, url string) string {
	m := job.FindStringSubmatch(url)
	if m == nil {
		return ""
	}
	out, err := g.ask(ctx, "read the log of a check", "", "run", "view", "--job", m[1], "--log-failed")
	if err != nil {
		return "" // its address is enough
	}
	return out
}

// pull converts gh's answer into a Pull.
func (f ghPull) pull() Pull {
	p := Pull{ID: strconv.Itoa(f.Number), URL: f.URL, State: State(strings.ToLower(f.State)), Head: f.HeadRefOid,
		Base: f.BaseRefName, Conflicts: f.Mergeable == "CONFLICTING", Waits: f.waits()}
	if f.MergeCommit != nil {
		p.Commit = f.MergeCommit.Oid
	}
	for _, c := range f.Rollup {
		p.Checks = append(p.Checks, c.check())
	}
	for _, r := range f.Reviews {
		if strings.TrimSpace(r.Body) == "" && r.State != ghChangesRequested || r.State == ghDismissed {
			continue
		}
		stranger := isStranger(r.Association, "")
		p.Comments = append(p.Comments, Comment{ID: "review-" + r.ID, Author: r.Author.Login,
			Text: cmp.Or(r.Body, "Changes are requested."), Demands: r.State == ghChangesRequested && !stranger,
			Stranger: stranger})
	}
	return p.bounded()
}

// waits says what keeps it from being merged, beside its checks.
func (f ghPull) waits() string {
	switch {
	case f.State != ghOpen:
		return ""
	case f.IsDraft:
		return "it is a draft"
	case f.Decision == ghReviewRequired:
		return "a review is required"
	case f.Decision == ghChangesRequested:
		return "changes were requested"
	case f.MergeStatus == "BEHIND":
		return "the forge wants it brought up to date with " + f.BaseRefName
	}
	return ""
}

// check returns one as any forge reports it. What was cancelled or skipped says nothing of the change.
func (c ghCheck) check() Check {
	out := Check{Name: cmp.Or(c.Name, c.Context), URL: cmp.Or(c.DetailsURL, c.TargetURL), State: Pending}
	if c.Workflow != "" {
		out.Name = c.Workflow + " / " + out.Name
	}
	switch cmp.Or(c.Conclusion, c.State) {
	case "FAILURE", "TIMED_OUT", "STARTUP_FAILURE", "ERROR":
		out.State = Failed
	case "SUCCESS", "NEUTRAL", "SKIPPED", "CANCELLED", "STALE":
		out.State = Passed
	}
	return out
}

func (c ghComment) comment() Comment {
	stranger := isStranger(c.Association, c.User.Type)
	return Comment{ID: strconv.FormatInt(c.ID, 10), Author: c.User.Login, Path: c.Path,
		Line: cmp.Or(c.Line, c.Original), Text: c.Body, Demands: !stranger, Stranger: stranger}
}

// isStranger reports whether an author may not write to the repository. An app was installed there.
func isStranger(association, kind string) bool {
	switch association {
	case "NONE", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN":
		return kind != "Bot"
	}
	return false
}

// Open implements [Forge].
func (g GH) Open(ctx context.Context, r Request) (Pull, error) {
	const doing = "open the pull request"
	if r.ID != "" {
		if _, err := g.ask(ctx, "reopen the pull request", "", "pr", "reopen", r.ID); err != nil {
			return Pull{}, err
		}
		return g.view(ctx, r.ID)
	}
	out, err := g.ask(ctx, doing, r.Body, "pr", "create", "--head", r.Branch, "--base", r.Base,
		"--title", cleanLine(r.Title), "--body-file", "-")
	if err != nil {
		return Pull{}, err
	}
	url := LastLine(out)
	id := url[strings.LastIndexByte(url, '/')+1:]
	if _, err := strconv.Atoi(id); err != nil {
		return Pull{}, &Error{Doing: doing, Err: fmt.Errorf("gh printed %.80q, which is not an address", url)}
	}
	return Pull{ID: id, URL: url, State: Open, Head: r.Commit, Base: r.Base}.bounded(), nil
}

// Close implements [Forge].
func (g GH) Close(ctx context.Context, r Request) error {
	p, err := g.Find(ctx, r)
	if err != nil || p.State != Open {
		return err
	}
	_, err = g.ask(ctx, "close the pull request", "", "pr", "close", p.ID, "--comment", "The task was cancelled.")
	return err
}
