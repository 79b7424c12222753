package checks

import "testing"

// Characters that are drawn as nothing are hidden, unless they belong to what is drawn before them.
func TestHiddenCharacters(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"x = `\uFE00\uFE01\uFE02`": true, "x = `\U000E0101\U000E0102`": true, "x = '⚠\uFE0F\uFE01'": true,
		"const \u3164 = 1": true, "a\u115F = 1": true, "a\uFFA0b": true, "a\u034Fb": true, "x\uFE0F = 1": true,
		"x = '⚠\uFE0F done 1\uFE0F\u20E3'": false, "# 葛\U000E0100城": false, "한글 = 'ㅎ'": false, "x = 'é'": false,
		"'👩\u200D💻'": false, "\tx = 1": false,
	} {
		if got := hasHidden(line, false); got != want {
			t.Errorf("%+q has hidden characters: %t, want %t", line, got, want)
		}
	}
	if got := escape("a\u3164b"); got != `a\u3164b` {
		t.Errorf("the line is shown as %q", got)
	}
}
