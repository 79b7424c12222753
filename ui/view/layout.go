package view

// Split is how the screen is divided, in thousandths of what there is to divide. Zero
// leaves it to the screen.
type Split struct {
	Left  int `json:"left,omitempty"`  // of the columns, for what is on the left
	Below int `json:"below,omitempty"` // of the rows between the bars, for activity and check
}

// SavedLayout is what is saved of the human's changes to a project's screen.
type SavedLayout struct {
	Split
	Viewed []string `json:"viewed,omitempty"` // viewed patches, by [FilePatch.Mark], oldest first
}
