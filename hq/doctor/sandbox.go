package doctor

import (
	"context"

	"ferrus/agent/sandbox"
)

// sandbox looks which walls hold on this machine.
func (p *inspection) sandbox(ctx context.Context) {
	mode := sandbox.Auto
	if cfg, err := p.Config(); err == nil {
		mode = sandbox.Mode(cfg.Sandbox.Mode)
	}
	w, err := sandbox.Choose(ctx, mode, sandbox.Open)
	switch {
	case err != nil:
		p.find("sandbox", Error, "checks cannot run: the sandbox that ferrus.toml requires is not available",
			err.Error(), sandbox.Cure(err))
	case w.Kind == "":
		return // This program cannot build walls: it belongs to a test.
	case mode == sandbox.Off:
		p.find("sandbox", Warning, "the sandbox is off: checks run with all your rights", "",
			`remove mode = "off" from [sandbox] in ferrus.toml`)
	case w.Kind == sandbox.Namespace:
		p.find("sandbox", OK, "namespace walls hold", "", "")
	case w.Kind == sandbox.Landlock:
		p.find("sandbox", Warning, "only Landlock walls hold, which protect from accidents", w.Reason, w.Cure)
	default:
		p.find("sandbox", Warning, "there is no sandbox: checks run with all your rights", w.Reason, w.Cure)
	}
}
