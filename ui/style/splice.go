package style

import "ferrus/ui/text"

// Ends returns the first left and the last right cells of a line. Half of a wide
// character becomes a blank.
func Ends(line string, left, right int) (string, string) {
	head, tail := "", ""
	if left > 0 {
		head = text.Prefix(line, left) + ResetSGR
		head += text.Blanks(left - text.Width(head))
	}
	if right > 0 {
		tail = text.Suffix(line, text.Width(line)-right)
		tail = text.Blanks(right-text.Width(tail)) + tail
	}
	return head, tail
}

// Splice returns a line of w cells with a patch over it from cell x on.
func Splice(line string, x int, patch string, w int) string {
	left, right := Ends(line, x, w-x-text.Width(patch))
	return left + patch + right
}
