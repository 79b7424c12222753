package lane

import "testing"

// Setup that is known to read no file of the tree runs once, whatever a task changes.
func TestWhatSetupReads(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it runs programs")
	}
	const venv = "python3 -m venv .venv"
	for _, c := range []struct {
		run    string
		again  string // a file whose change has setup run again
		serves string // a file whose change has it not; empty: there is none
	}{
		{run: venv, serves: "six.py"},
		{run: venv + " && .venv/bin/pip install -q pytest setuptools", serves: "six.py"},
		{run: venv + ` && .venv/bin/pip install -U 'httpbin~=0.10.0' "pytest[all]>=8,<9"`, serves: "six.py"},
		{run: venv, again: ".venv/bin/pip", serves: "bin/pip"},
		{run: venv, again: ".venv"},
		{run: venv + " && .venv/bin/pip install -e .", again: "six.py"},
		{run: venv + " && .venv/bin/pip install -e '.[socks]' pytest", again: "six.py"},
		{run: venv + " && .venv/bin/pip install ./six", again: "six.py"},
		{run: venv + " && .venv/bin/pip install -r deps", again: "deps"},
		{run: venv + " && .venv/bin/pip install -c deps pytest", again: "deps"},
		{run: venv + " && .venv/bin/pip install six-1.0.tar.gz", again: "six-1.0.tar.gz"},
		{run: venv + " && .venv/bin/pip install six.whl", again: "six.whl"},
		{run: venv + " && .venv/bin/pip install $(cat deps)", again: "deps"},
		{run: venv + ` && .venv/bin/pip install "$DEPS"`, again: "deps"},
		{run: venv + " && .venv/bin/pip install six >deps", again: "deps"},
		{run: venv + "; sh make.sh", again: "make.sh"},
		{run: venv + "\nsh make.sh", again: "make.sh"},
		{run: venv + " | sh make.sh", again: "make.sh"},
		{run: venv + " & sh make.sh", again: "make.sh"},
		{run: "PATH=bin " + venv, again: "bin/python3"},
		{run: venv + " ../x", again: "six.py"},
		{run: "bin/python3 -m venv .venv", again: "bin/python3"},
		{run: "scripts/bin/pip install pytest", again: "scripts/bin/pip"},
		{run: "python3 setup.py venv", again: "setup.py"},
	} {
		f := newFixture(t, map[string]string{"README": "1"})
		f.job.Setup = setup(c.run)
		key := func(name string) string {
			t.Helper()
			f.write(name, "changed")
			from, err := f.repo().Source(t.Context())
			f.must(err)
			k, err := f.job.key(t.Context(), from, f.tree())
			f.must(err)
			return k
		}
		before := key("README")
		if c.serves != "" && key(c.serves) != before {
			t.Errorf("%q runs again after %s", c.run, c.serves)
		}
		if c.again != "" && key(c.again) == before {
			t.Errorf("%q does not run again after %s", c.run, c.again)
		}
	}
	variable := Job{Setup: setup(venv), Env: []string{"PIP_CONSTRAINT=deps"}}
	if _, ok := variable.environments(); ok {
		t.Error("a variable can name a file")
	}
}
