package cli

import (
	"slices"
	"testing"

	"ferrus/hq/config"
	"ferrus/ui/style"
)

// TestThemesHaveTheirNames checks that the configuration accepts exactly the themes that the screen
// has.
func TestThemesHaveTheirNames(t *testing.T) {
	if !slices.Equal(config.Themes, style.ThemeNames()) || !slices.Equal(config.Colors, style.ColorNames()) {
		t.Errorf("the configuration has %v %v, the screen %v %v", config.Themes, config.Colors, style.ThemeNames(),
			style.ColorNames())
	}
}
