package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ferrus/agent/proxy"
	"ferrus/hq/advice"
	"ferrus/hq/project"
	"ferrus/ui/text"
)

func networkCommand(std *streams) *cobra.Command {
	return taskFlag(std, &cobra.Command{
		Use:   "network [allow|always|no <host>]",
		Short: "List the hosts that programs in the sandbox asked for, or answer",
		Long: `Lists the hosts that agents and checks tried to reach from the sandbox and were refused,
with your answers. allow permits a host for the open task, always permits it for every
task of this project on this machine, and no refuses it for the open task without asking
again, even if a list of hosts names it. An answer takes effect at once; the program has to
retry, and a refusal closes what is open. Of several answers the newest counts.

ferrus asks only with network = "proxy". List hosts that you know in advance in
[sandbox] hosts of ferrus.toml.`,
		Example: "  ferrus network\n  ferrus network allow example.com\n  ferrus network always example.com:8443",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return nil
			case len(args) != 2 || !slices.Contains(advice.HostAnswers, args[0]):
				return usageError(cmd, "network takes allow, always or no, and a host")
			case proxy.CheckHost(args[1]) != nil:
				return usageError(cmd, fmt.Sprintf("%q is not a host, such as example.com:8443", args[1]))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return listHosts(std)
			}
			return answerHost(std, advice.HostAnswer(args[0]), args[1])
		},
	})
}

func listHosts(std *streams) error {
	s, err := loadStatus(std)
	if err != nil {
		return err
	}
	all := s.inboxFacts().Hosts
	if len(all) == 0 {
		std.sayNone("no program has asked for a host")
	}
	for _, a := range all {
		by := ""
		if a.By != "" {
			by = "  (" + a.By + ")"
		}
		fmt.Fprintf(std.out, "%-30s %s%s\n", text.Sanitize(a.Host), a.Words(), text.Sanitize(by))
	}
	return nil
}

func answerHost(std *streams, answer advice.HostAnswer, host string) error {
	pr, err := std.chosenAsHuman("network")
	if err != nil {
		return err
	}
	if err := requireAsked(std, pr, host, answer); err != nil {
		return err
	}
	answered, err := pr.AnswerHost(host, answer)
	if err != nil {
		return err
	}
	fmt.Fprintf(std.out, "%s: %s\n", host, answered.Words())
	return nil
}

// requireAsked refuses an answer for the open task where there is none, while the tasks of the queue may have asked.
func requireAsked(std *streams, pr *project.Task, host string, answer advice.HostAnswer) error {
	if answer == advice.HostAlways || std.present == nil || inQueue(pr) == "" {
		return nil
	}
	state, err := pr.World()
	if err != nil {
		return err
	}
	name, err := proxy.Canonical(host)
	asked := func(a advice.AskedHost) bool { return a.Host == name }
	if err != nil || slices.ContainsFunc(pr.AskedHosts(state.World), asked) {
		return err
	}
	return failure("no program here has asked for " + host)
}
