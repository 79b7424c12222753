package human

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"ferrus/agent/process"
	"ferrus/hq/project"
)

// A code is good for one answer to one question, for a day, and for few tries.
const (
	codeFile  = "run/answer-code.json"
	codeLock  = "answer-code.lock"
	codeLife  = 24 * time.Hour
	codeTries = 5
)

// code is what is kept of a one-time code.
type code struct {
	Ticket  uint64    `json:"ticket"` // of the question
	Salt    string    `json:"salt"`
	Hash    string    `json:"hash"` // of salt and code
	Expires time.Time `json:"expires"`
	Tries   int       `json:"tries"` // that are left
	Depth   uint64    `json:"depth"` // of the process that made it, see [process.Depth]
}

// NewCode returns a code that answers the question with a ticket once, without a terminal.
// It replaces an earlier one. Only its hash is written.
func NewCode(p *project.Project, ticket uint64) (string, error) {
	var random [26]byte
	_, _ = rand.Read(random[:]) // It never fails.
	word := base32.StdEncoding.EncodeToString(random[:10])
	depth, err := process.Depth(os.Getpid())
	if err != nil {
		return "", fmt.Errorf("make a code: %w", err)
	}
	c := code{
		Ticket: ticket, Salt: hex.EncodeToString(random[10:]), Expires: time.Now().Add(codeLife).UTC().Round(0),
		Tries: codeTries, Depth: depth,
	}
	c.Hash = c.digest(word)
	if err := c.save(p); err != nil {
		return "", fmt.Errorf("make a code: %w", err)
	}
	return word[:4] + "-" + word[4:8] + "-" + word[8:12] + "-" + word[12:], nil
}

// ErrCode is returned for a code that is wrong, used, too old, or for another question.
var ErrCode = errors.New("the code is wrong, was used, has expired, or is for another question")

// UseCode takes a code for the question with a ticket. It is used up then, whatever becomes
// of the answer.
func UseCode(p *project.Project, ticket uint64, word string) (err error) {
	lock, err := p.Store.TryLock(codeLock)
	if err != nil {
		return fmt.Errorf("use a code: %w", err)
	}
	defer lock.Close() //nolint:errcheck // it goes with the process at the latest
	data, err := p.Store.ReadFile(codeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrCode
	}
	var c code
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return fmt.Errorf("use a code: %w", err)
	}
	depth, err := process.Depth(os.Getpid())
	if err != nil || depth > c.Depth {
		return errors.Join(errors.New("a code cannot be used inside an agent session"), err)
	}
	good := subtle.ConstantTimeCompare([]byte(c.digest(normal(word))), []byte(c.Hash)) == 1
	if c.Tries--; good || c.Tries <= 0 || time.Now().After(c.Expires) {
		err = p.Store.Remove(codeFile)
	} else {
		err = c.save(p)
	}
	if err == nil && (!good || c.Ticket != ticket || time.Now().After(c.Expires)) {
		err = ErrCode
	}
	return err
}

// normal returns a code in its original form, however it was typed.
func normal(word string) string {
	return strings.NewReplacer("-", "", " ", "", "0", "O", "1", "I", "8", "B").Replace(strings.ToUpper(word))
}

func (c code) digest(word string) string {
	sum := sha256.Sum256([]byte("ferrus answer\n" + c.Salt + "\n" + word))
	return hex.EncodeToString(sum[:])
}

func (c code) save(p *project.Project) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return p.Store.WriteFile(codeFile, append(data, '\n'))
}
