package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ferrus/checks/regular"
	"ferrus/checks/workspace"
)

// SessionsDir returns the directory of what a project's sessions keep outside of it, by
// task. It is next to the lanes of the project's gate.
func (t *Task) SessionsDir() string {
	if t.Lanes == "" {
		return t.Files.Path("run", "tasks")
	}
	sum := sha256.Sum256([]byte(t.Dir))
	return filepath.Join(filepath.Dir(t.Lanes), "tasks", hex.EncodeToString(sum[:8]))
}

// FreeSessions removes what the sessions of a task kept there: private homes, git directories and
// caches, whatever modes they gave them. None of its sessions may live.
func (t *Task) FreeSessions(task string) error {
	if filepath.Base(task) != task || task == "." || task == ".." {
		return fmt.Errorf("%q is not the id of a task", task)
	}
	if err := workspace.RemoveAll(filepath.Join(t.SessionsDir(), task)); err != nil {
		return fmt.Errorf("free the files of task %s: %w", task, err)
	}
	return nil
}

// maxConversation bounds a conversation that a task continues, in bytes.
const maxConversation = 512 << 20

// conversationName is the file of a conversation, beside the private homes of a task's sessions.
const conversationName = "conversation.jsonl"

// StageConversation copies the file of a conversation to where [Task.KeepConversation] can take it from. What
// is staged and not kept is removed with the files of former tasks.
func (t *Task) StageConversation(file string) (staged string, err error) {
	if err := os.MkdirAll(t.SessionsDir(), 0o700); err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp(t.SessionsDir(), "adopting-")
	if err != nil {
		return "", err
	}
	in, err := regular.Open(file)
	if err != nil {
		return "", errors.Join(err, t.DropConversation(filepath.Join(dir, conversationName)))
	}
	defer in.Close()
	staged = filepath.Join(dir, conversationName)
	out, err := os.OpenFile(staged, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err == nil {
		var size int64
		if size, err = io.Copy(out, io.LimitReader(in, maxConversation+1)); size > maxConversation {
			err = fmt.Errorf("it is larger than %d MB", maxConversation>>20)
		}
		err = errors.Join(err, out.Sync(), out.Close())
	}
	if err != nil {
		return "", errors.Join(fmt.Errorf("copy the conversation %s: %w", file, err), t.DropConversation(staged))
	}
	return staged, nil
}

// KeepConversation moves a staged conversation to the files of a task; it must come before the task does.
func (t *Task) KeepConversation(task, staged string) error {
	if err := t.FreeSessions(task); err != nil {
		return err
	}
	if err := os.Rename(filepath.Dir(staged), filepath.Join(t.SessionsDir(), task)); err != nil {
		return fmt.Errorf("keep the conversation: %w", err)
	}
	return nil
}

// DropConversation removes a staged conversation.
func (t *Task) DropConversation(staged string) error {
	return workspace.RemoveAll(filepath.Dir(staged))
}

// Conversation returns the file of the conversation that a task continues.
func (t *Task) Conversation(task string) string {
	return filepath.Join(t.SessionsDir(), task, conversationName)
}
