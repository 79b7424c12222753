package advice

import (
	"fmt"

	"ferrus/hq/core"
)

// permissionItem asks for what a session wants to do.
func permissionItem(r core.PermissionRequest) InboxItem {
	text := r.By + " wants to " + r.Wanted.String()
	if r.Detail != "" && r.Detail != r.What {
		text += " (it says: " + r.Detail + ")"
	}
	item := InboxItem{
		Kind: ItemPermission, ID: fmt.Sprint("permission:", r.Number), Ticket: r.Number, Slot: r.Slot, Since: r.At,
		Text: text, Type: fmt.Sprintf("/permit %d ", r.Number),
		Do:  fmt.Sprintf("/permit %d once, or task (for this task), or never", r.Number),
		Run: fmt.Sprintf("ferrus permit %d once, or task (for this task), or never", r.Number),
	}
	if r.Long {
		item.Do += fmt.Sprintf("; /permit %d shows all of it", r.Number)
		item.Run += fmt.Sprintf("; ferrus permit %d prints all of it", r.Number)
	}
	for _, answer := range core.PermissionAnswers {
		item.Options = append(item.Options, fmt.Sprintf("ferrus permit %d %s", r.Number, answer))
	}
	return item
}
