package worker

import (
	"context"
	"errors"
	"fmt"
	"io"

	"ferrus/hq/session"
	"ferrus/hq/wire"
	"ferrus/ui/text/lazyregexp"
)

// textNames matches the permitted names of files for sessions.
var textNames = lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,199}$`)

// receiveFile stores your file where the sessions of a task can read it, and sends its path.
func (h *home) receiveFile(ctx context.Context, q wire.UserFile, s wire.Stream) error {
	if !textNames.MatchString(q.Name) {
		return fmt.Errorf("%q is not the name of a text", wire.Words(q.Name, 80))
	}
	if _, err := h.claim(q.Task, nil); err != nil {
		return err
	}
	var data []byte
	for {
		m, err := s.Receive(ctx)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
		if len(m) == 0 {
			break
		}
		if data = append(data, m...); len(data) > wire.MaxUserFile {
			return fmt.Errorf("the text %s is too long", q.Name)
		}
	}
	t, err := h.project.MakeTask(ctx, q.Task.Task)
	if err != nil {
		return err
	}
	file, err := session.WriteFile(t, q.Task.Task, q.Name, data)
	if err != nil {
		return err
	}
	return s.Send(ctx, []byte(file))
}
