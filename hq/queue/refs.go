package queue

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
)

// Refs of a branch have no directory below their own, so that none is ever in the way of another branch, such as
// feature/a of a branch feature that is gone.

// CandidateRef names the ref that keeps the candidates of a branch. Each project of a repository has its own.
func (q *Queue) CandidateRef(target string) string {
	sum := sha256.Sum256([]byte(q.project.Dir))
	return "refs/ferrus/merge/" + url.PathEscape(target) + "@" + hex.EncodeToString(sum[:4])
}

// FetchedRef names the ref that a branch of a remote is fetched to.
func FetchedRef(target string) string { return "refs/ferrus/fetched/" + url.PathEscape(target) }
