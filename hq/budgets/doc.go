// Package budgets measures the program as it is released, beside tmux and beside the bare
// pseudo-terminal in the same run, and prints for each budget what was measured, the limit and
// whether it holds. It has benchmarks only:
//
//	go test -run '^$' -bench Budgets -benchtime 1x ./hq/budgets
//
// A benchmark never fails because of a time. The test binary plays the agents, see
// agent_test.go.
package budgets
