package store

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
)

// Doc names the file that holds a text. The zero value is a text that was removed.
type Doc struct {
	// File is a path below .ferrus: docs/<seq of the event that set it>-<name of the text>.
	File string `json:"file,omitempty"`
	// SHA256 is of the text's bytes, in hex.
	SHA256 string `json:"sha256,omitempty"`
}

// named returns the texts without the removed ones.
func named(docs map[string]Doc) map[string]Doc {
	docs = maps.Clone(docs)
	maps.DeleteFunc(docs, func(_ string, doc Doc) bool { return doc.File == "" })
	return docs
}

// readDoc reads a text and compares its hash with what was written.
func readDoc(f folder, doc Doc) ([]byte, error) {
	text, err := readWhole(f, doc.File)
	if err != nil {
		return nil, err
	}
	if sha(text) != doc.SHA256 {
		return nil, &DamagedError{File: doc.File, Why: "it is not the text that was written", Fix: fixDoc}
	}
	return text, nil
}

// sha returns a SHA-256 in hex, as Doc has it.
func sha(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
