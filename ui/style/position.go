package style

import "fmt"

// Position says which of a number of rows are drawn, from the one with an index on: 1-12 of 28.
func Position(first, room, all int) string {
	return fmt.Sprintf("%d-%d of %d", first+1, min(first+room, all), all)
}
