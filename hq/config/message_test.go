package config

import "testing"

func TestAMessageHasATitle(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"": true, "{title}": true, "feat: {title}\n\n{summary}\n\n{trailers}": true, "{title} ({task}) {": true,
		"{summary}": false, "{title} {item}": false,
	} {
		if err := isMessage(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}
