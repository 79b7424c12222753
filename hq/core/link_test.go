package core_test

import (
	"ferrus/hq/advice"
	"ferrus/hq/core"
)

func init() { core.Advice.Next, core.Advice.Explain = advice.Next, advice.Explain }
