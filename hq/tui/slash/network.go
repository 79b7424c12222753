package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ferrus/hq/advice"
	"ferrus/ui/intent"
	"ferrus/ui/prompt"
	"ferrus/ui/text"
	"ferrus/ui/view"
)

var networkWords = []view.Suggestion{
	{Word: string(advice.HostTask), Help: "for the open task"},
	{Word: string(advice.HostAlways), Help: "for every task of this project, on this machine"},
	{Word: string(advice.HostNo), Help: "refuse it for the open task, without asking again"},
}

// network lists the hosts that programs in the sandbox asked for, or answers for one.
type network struct{ Answer, Host string }

func parseNetwork(_ *view.View, args string) (intent.Intent, error) {
	answer, host := prompt.Word(args)
	if answer != "" && !slices.Contains(advice.HostAnswers, answer) {
		return nil, errors.New("/network takes allow, always or no, and a host")
	}
	return network{answer, strings.TrimSpace(host)}, nil
}

// Intent implements [intent.Intent].
func (network) Intent() {}

// Run answers for the host, which needs no name while only one waits.
func (n network) Run(_ context.Context, e *Env) (Result, error) {
	all := e.Viewer.View().Hosts
	if n.Answer == "" {
		return Result{Page: Page{"network", hostList(all)}}, nil
	}
	if n.Host == "" {
		all = slices.DeleteFunc(slices.Clone(all), func(a advice.AskedHost) bool { return a.Answer != "" })
		if len(all) != 1 {
			return Result{}, errSeveralHosts(all)
		}
		n.Host = all[0].Host
	}
	answered, err := e.Project.AnswerHost(n.Host, advice.HostAnswer(n.Answer))
	return report(text.Sanitize(n.Host)+": "+answered.Words(), err)
}

// errSeveralHosts says which hosts an answer without a host could be for.
func errSeveralHosts(all []advice.AskedHost) error {
	if len(all) == 0 {
		return errors.New("no host waits for an answer")
	}
	var names []string
	for _, a := range all {
		names = append(names, text.Sanitize(a.Host))
	}
	return fmt.Errorf("%d hosts wait for an answer; name one: %s", len(all), strings.Join(names, ", "))
}

// CommandLine returns the command as it would be typed.
func (n network) CommandLine() string {
	return strings.TrimSpace("/network " + strings.TrimSpace(n.Answer+" "+n.Host))
}

// hostList returns a list of hosts as Markdown.
func hostList(all []advice.AskedHost) string {
	if len(all) == 0 {
		return "No host has been requested."
	}
	var lines []string
	for _, a := range all {
		lines = append(lines, fmt.Sprintf("- %s: %s", text.Sanitize(a.Host), a.Words()))
	}
	return strings.Join(lines, "\n")
}
