package git

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
)

// PointerPrefix begins a file that stands for an object of git LFS:
// https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md
const PointerPrefix = "version https://git-lfs.github.com/spec/v1\n"

// Hasher returns a hash that names an object of a kind (blob, tree, commit) and a size,
// once its content is written to it. The format is sha1 or sha256, as git calls it.
func Hasher(format, kind string, size int64) hash.Hash {
	sum := sha1.New()
	if format == "sha256" {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "%s %d\x00", kind, size)
	return sum
}

// Hash returns the name of an object.
func Hash(format, kind string, content []byte) string {
	sum := Hasher(format, kind, int64(len(content)))
	sum.Write(content)
	return hex.EncodeToString(sum.Sum(nil))
}
