package slash

import (
	"ferrus/ui/dialog"
	"ferrus/ui/intent"
	"ferrus/ui/view"
)

var statusOptions = []option{{name: "--all", help: "everything that is known"}}

func parseStatus(_ *view.View, args string) (intent.Intent, error) {
	given, err := read("status", statusOptions, args)
	if err != nil {
		return nil, err
	}
	if err := noArguments(given.text); err != nil {
		return nil, err
	}
	if given.has("--all") {
		return dialog.Open{Dialog: dialog.StatusInFull()}, nil
	}
	return dialog.Open{Dialog: dialog.Status()}, nil
}
