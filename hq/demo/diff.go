package demo

// compare lists the removed and added lines in order, each after "- " or "+ ". Its time and
// memory grow with the product of the lengths, which is little for files of a page.
func compare(before, after []string) []string {
	common := overlaps(before, after)
	var changes []string
	i, j := 0, 0
	for i < len(before) || j < len(after) {
		switch {
		case i < len(before) && j < len(after) && before[i] == after[j]:
			i, j = i+1, j+1
		case j == len(after) || i < len(before) && common[i+1][j] >= common[i][j+1]:
			changes, i = append(changes, "- "+before[i]), i+1
		default:
			changes, j = append(changes, "+ "+after[j]), j+1
		}
	}
	return changes
}

// overlaps returns, at [i][j], how many lines before[i:] and after[j:] have in common.
func overlaps(before, after []string) [][]int {
	common := make([][]int, len(before)+1)
	for i := range common {
		common[i] = make([]int, len(after)+1)
	}
	for i := len(before) - 1; i >= 0; i-- {
		for j := len(after) - 1; j >= 0; j-- {
			if before[i] == after[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	return common
}
