package tamper

import (
	"strings"
	"testing"
)

// A file that has another one's name where the case of letters does not count is an alarm that names the other one.
func TestAlikeNamesAreAnAlarm(t *testing.T) {
	t.Parallel()
	c := change("A Main.go\nA other.go")
	c.Alike = map[string]string{"Main.go": "main.go"}
	alarms, err := Find(c)
	if err != nil || len(alarms) != 1 || alarms[0].Rule != nameAlike || !alarms[0].NeedsHuman ||
		!strings.HasSuffix(alarms[0].Why, "(main.go)") {
		t.Errorf("the alarms are %+v, %v", alarms, err)
	}
}
