package model

import (
	"fmt"
	"strings"

	"ferrus/ui/text/lazyregexp"
)

// Some models call tools from programs that they write, and wait for a program
// that yields before it has ended. A turn stands for what the program called.

// patience is how long a program may run before it yields, in milliseconds; it is
// more than a tool of ferrus waits.
const patience = 60_000

// program is JavaScript that makes one call.
func program(name string, args map[string]any) string {
	return fmt.Sprintf("// @exec: {\"yield_time_ms\": %d}\nconst result = await "+
		"tools.%s(%s);\ntext(result.structuredContent ?? result);\n",
		patience, name, encode(args))
}

var calling = lazyregexp.New(`await tools\.(\w+)\((.*)\);\n`)

// called returns the call that a program makes.
func called(id, tool, program string) Turn {
	if m := calling.FindStringSubmatch(program); m != nil {
		return Turn{ID: id, Name: m[1], Args: object(m[2])}
	}
	return Turn{ID: id, Name: tool}
}

var running = lazyregexp.New(`Script running with cell ID (\w+)`)

// addTurn adds a turn. Waiting for a program continues with the turn that it makes.
func (c *Conversation) addTurn(turn Turn) {
	if turn.Name == "wait" {
		for i := range c.Turns {
			if cell := c.Turns[i].Cell; cell != "" && cell == str(turn.Args, "cell_id") {
				c.Turns[i].ID = turn.ID
				return
			}
		}
	}
	c.Turns = append(c.Turns, turn)
}

// came takes a result, which may be that there is none yet.
func (c *Conversation) came(id, result string) {
	for i := range c.Turns {
		if t := &c.Turns[i]; t.ID == id {
			t.Result += result
			t.Cell = ""
			if m := running.FindStringSubmatch(result); m != nil {
				t.Cell = m[1]
			}
			t.Done = t.Cell == ""
			t.Failed = strings.HasPrefix(result, "Script failed")
		}
	}
}
