package process

import (
	"crypto/sha256"
	"encoding/hex"
)

// NonceEnv is the variable that every process of a session inherits: a process with
// its value acts for the session. Only [SessionID] of it is ever written down.
const NonceEnv = "FERRUS_NONCE"

// SessionID returns the public name of a nonce, the first 16 hex digits of its
// SHA-256; without a nonce it is empty.
func SessionID(nonce string) string {
	if nonce == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(nonce))
	return hex.EncodeToString(sum[:8])
}
