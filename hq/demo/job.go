package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// MostTasks is how many tasks the demo of several has.
const MostTasks = 4

// Tasks returns the first n tasks of the demo of several, as a file of tasks.
func Tasks(n int) string {
	all := strings.SplitAfter(script("tasks.md"), "\n\n# ")
	return strings.TrimSuffix(strings.Join(all[:min(n, len(all))], ""), "# ")
}

// TasksAnswer answers the question of one of these tasks in a demo without a human.
const TasksAnswer = "No. A path can name a customer."

// AnswerTo returns the answer to an executor's question in a demo without a human.
func AnswerTo(question string) string {
	if oneLine(question) == oneLine(script("log_question.md")) {
		return TasksAnswer
	}
	return Answer
}

// job is the script of one of these tasks. Like the story's it remembers nothing: what is done is seen in
// the files and in what ferrus answers.
type job struct {
	title    string
	plan     string                                 // what the executor says first
	done     string                                 // what it submits
	question string                                 // that the human has to answer first; empty: none
	broken   version                                // written first; nil: the first version is right
	half     func(dir string) version               // written before the account's limit is met; nil: none is
	write    func(dir string, reply string) version // what is submitted
}

// jobs are in the order of tasks.md.
var jobs = []job{
	{
		title: "Give up on a slow service",
		plan:  "a deadline for every request, in Do",
		done:  "`Client.Do` gives up after five seconds.",
		write: func(dir, _ string) version {
			return version{"timeout.go": script("timeout.go.txt"), "timeout_test.go": script("timeout_test.go.txt"),
				"fetch.go": fetch(dir, deadline)}
		},
	},
	{
		title:  "Refuse a request that the service would not understand",
		plan:   "a check of its own, and Do calls it",
		done:   "`Client.Do` returns `ErrRequest` for a request that the service would not understand.",
		broken: version{"valid.go": script("valid1.go.txt"), "valid_test.go": script("valid_test.go.txt")},
		write: func(dir, _ string) version {
			return version{"valid.go": script("valid2.go.txt"), "valid_test.go": script("valid_test.go.txt"),
				"fetch.go": fetch(dir, checks)}
		},
	},
	{
		title:    "Log what the service answers",
		plan:     "a Sender around the Sender",
		done:     "`Log` prints the status of every answer.",
		question: "log_question.md",
		write: func(_, reply string) version {
			return version{"log.go": logging(reply), "log_test.go": script("log_test.go.txt")}
		},
	},
	{
		title: "Describe the client in the README",
		plan:  "how to make one, and how long it waits",
		done:  "The README says how to use the client, and how long it waits.",
		half: func(string) version {
			return version{"README.md": script("README.md.txt") + script("readme1.md")}
		},
		write: func(string, string) version {
			return version{"README.md": script("README.md.txt") + script("readme1.md") + script("readme2.md")}
		},
	},
}

// jobOf returns the script of a task; nil: it is none of these.
func jobOf(task string) *job {
	title, _, _ := strings.Cut(strings.TrimLeft(task, "# \n"), "\n")
	i := slices.IndexFunc(jobs, func(j job) bool { return j.title == title })
	if i < 0 {
		return nil
	}
	return &jobs[i]
}

// What Do does before it sends a request. Two tasks add a part each, at the same line.
const (
	checks   = "\tif err := r.check(); err != nil {\n\t\treturn Response{}, err\n\t}\n"
	deadline = "\tctx, cancel := context.WithTimeout(ctx, patience)\n\tdefer cancel()\n"
)

// fetch returns fetch.go with a part in Do, and with those parts that it has in dir: also in the two sides
// of a conflict.
func fetch(dir, part string) string {
	now, _ := os.ReadFile(filepath.Join(dir, "fetch.go")) // it is there: see exists
	var parts string
	for _, one := range []string{checks, deadline} {
		if first, _, _ := strings.Cut(one, "\n"); one == part || strings.Contains(string(now), first) {
			parts += one
		}
	}
	const sends = "\treturn c.Sender.Send(ctx, r)\n"
	return strings.Replace(begun["fetch.go"], sends, parts+sends, 1)
}

// logging returns log.go, which follows the human's answer.
func logging(reply string) string {
	named := "r.Method"
	if saysYes(reply) {
		named = `r.Method+" "+r.Path`
	}
	answer := fmt.Sprintf("%.100q", oneLine(reply))
	return strings.NewReplacer("NAMED", named, "ANSWER", answer).Replace(script("log.go.txt"))
}

// errUsedUp ends an agent that has hit its usage limit.
var errUsedUp = errors.New("the demo's usage limit is reached")

// work does one of the tasks, as far as it can be done now.
func (p *demoAgent) work(ctx context.Context, j *job, now answer) (answer, error) {
	reply := last(now.Answers)
	if j.question != "" && reply == "" {
		return p.ask(ctx, "ask_human", script(j.question))
	}
	if now.State == "Executing" {
		p.say(j.plan)
	}
	if j.half != nil && !j.begun(p.Dir) {
		if err := p.write(ctx, j.half(p.Dir)); err != nil {
			return answer{}, err
		}
		return answer{}, errUsedUp
	}
	if now.State == "Executing" && j.broken != nil && !j.begun(p.Dir) {
		first := maps.Clone(j.broken)
		first["fetch.go"] = j.write(p.Dir, reply)["fetch.go"]
		if err := p.write(ctx, first); err != nil {
			return answer{}, err
		}
		return p.check(ctx)
	}
	if now.Review != "" {
		p.say("the branch has another change in the same place: both stay")
	}
	if err := p.write(ctx, j.write(p.Dir, reply)); err != nil {
		return answer{}, err
	}
	return p.checkThenSubmit(ctx)
}

// begun reports whether the first version of the work, or the first half of it, is in dir.
func (j *job) begun(dir string) bool {
	if j.half == nil {
		return j.broken.in(dir) || j.write(dir, "").in(dir)
	}
	return j.half(dir).in(dir) || j.write(dir, "").in(dir)
}

// usedUp reports a usage limit as a vendor's program does, on its last line.
func (p *demoAgent) usedUp() {
	p.printLine("", fmt.Sprintf("The demo's usage limit is reached. It resets in %d seconds.",
		int((limitTime+10*p.Speed)/time.Second)))
}

// limitTime is how long the limit of the demo's account lasts at least.
const limitTime = 2 * time.Second
