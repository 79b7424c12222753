package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ReviewComments returns the review comments of a pull request as the API of GitHub has
// them, in one JSON array for each page. The pull request is a number, or the address of
// one in any repository.
func (f Forge) ReviewComments(ctx context.Context, pull string) (string, error) {
	f.doing = "read the comments of the pull request"
	at := "repos/{owner}/{repo}/pulls/" + pull
	if parts := strings.Split(strings.TrimRight(pull, "/"), "/"); len(parts) >= 5 {
		parts = parts[len(parts)-4:]
		if parts[2] != "pull" {
			return "", fmt.Errorf("%s: %.80q is not the address of one", f.doing, pull)
		}
		at, pull = "repos/"+parts[0]+"/"+parts[1]+"/pulls/"+parts[3], parts[3]
	}
	if pull == "" || strings.Trim(pull, "0123456789") != "" {
		return "", fmt.Errorf("%s: %.80q is neither a number nor an address", f.doing, pull)
	}
	if !f.installed() {
		return "", errors.New(f.doing + ": " + f.tool + " is not installed")
	}
	return f.ask(ctx, "api", "--paginate", at+"/comments?per_page=100")
}
