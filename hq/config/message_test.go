package config

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestAMessageHasATitle(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"": true, "{title}": true, "feat: {title}\n\n{summary}\n\n{trailers}": true, "{title} ({task}) {": true,
		"{summary}": false, "{title} {item}": false, "{title}\x1b[31m": false,
	} {
		quoted, err := json.Marshal(text) // as TOML writes it
		if err != nil {
			t.Fatal(err)
		}
		c, err := Parse(fmt.Appendf(nil, "merge.message = %s\n", quoted), agents)
		if (err == nil) != good || good && c.Merge.Message != text {
			t.Errorf("%q: message %q, error %v; want it accepted: %v", text, c.Merge.Message, err, good)
		}
	}
}
