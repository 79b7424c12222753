package advice

import "time"

// UsedUp is an account that has reached its usage limit.
type UsedUp struct {
	Agent, Words string
	Since        time.Time
}

// QueueFacts are what all tasks of the queue wait for.
type QueueFacts struct {
	Accounts []UsedUp
	Over     string // that the budget of the queue is used up; empty: it is not
}

// queueItems returns what keeps tasks of the queue from continuing, with one line for each account:
// the tasks that use it wait for the same thing, and continue by themselves.
func queueItems(f InboxFacts) (all []InboxItem) {
	if f.Over != "" {
		all = append(all, InboxItem{
			Kind: ItemLimit, ID: "queue:" + f.Over, Text: f.Over + ", the limit in ferrus.toml: all tasks are paused",
			Do: "/resume allows the same amount again", Run: "ferrus resume", Options: []string{"ferrus resume"},
			About: &About{},
		})
	}
	for _, a := range f.Accounts {
		all = append(all, InboxItem{
			Kind: ItemLimit, ID: "account:" + a.Agent + ":" + stampID(a.Since), Since: a.Since, Delegated: true,
			Text: a.Words, Do: "its tasks continue then; /resume retries now", Run: "ferrus resume",
			Options: []string{"ferrus resume"}, About: &About{},
		})
	}
	return all
}
