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
func NewCode(p *project.Task, ticket uint64) (string, error) {
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
	c.Hash = c.digest(p, word)
	name, err := p.KeptFile("codes")
	if err == nil {
		err = c.save(name)
	}
	if err != nil {
		return "", fmt.Errorf("make a code: %w", err)
	}
	return word[:4] + "-" + word[4:8] + "-" + word[8:12] + "-" + word[12:], nil
}

// ErrCode is returned for a code that is wrong, used, too old, or for another question.
var ErrCode = errors.New("the code is wrong, used, expired, or for another question")

// UseCode accepts a code for the question with a ticket, and uses it up, whatever becomes
// of the answer. Of two that use it at the same time, one finds it.
func UseCode(p *project.Task, ticket uint64, word string) error {
	name, err := p.KeptFile("codes")
	if err != nil {
		return fmt.Errorf("use a code: %w", err)
	}
	taken := fmt.Sprintf("%s.%d", name, os.Getpid())
	if err := os.Rename(name, taken); errors.Is(err, fs.ErrNotExist) {
		return ErrCode
	} else if err != nil {
		return fmt.Errorf("use a code: %w", err)
	}
	c, err := readCode(taken)
	if err = errors.Join(err, os.Remove(taken)); err != nil {
		return fmt.Errorf("use a code: %w", err)
	}
	if depth, err := process.Depth(os.Getpid()); err != nil || depth > c.Depth {
		return errors.Join(errors.New("a code cannot be used inside an agent session"), err, c.save(name))
	}
	late := time.Now().After(c.Expires)
	good := subtle.ConstantTimeCompare([]byte(c.digest(p, normal(word))), []byte(c.Hash)) == 1
	if good && !late && c.Ticket == ticket {
		return nil
	}
	if c.Tries--; !good && !late && c.Tries > 0 {
		if err := c.save(name); err != nil {
			return fmt.Errorf("use a code: %w", err)
		}
	}
	return ErrCode
}

func readCode(name string) (c code, err error) {
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	return c, err
}

// normal returns a code in its original form, however it was typed.
func normal(word string) string {
	return strings.NewReplacer("-", "", " ", "", "0", "O", "1", "I", "8", "B").Replace(strings.ToUpper(word))
}

// digest binds a code to the project and the question.
func (c code) digest(p *project.Task, word string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "ferrus answer\n%s\n%d\n%s\n%s", p.Dir, c.Ticket, c.Salt, word))
	return hex.EncodeToString(sum[:])
}

func (c code) save(name string) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return project.WriteKept(name, data)
}
