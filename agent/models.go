package agent

// Models returns model names that a built-in agent accepts, preferably aliases that do not
// age. It accepts others as well. Nil if none is known.
func Models(name string) []string {
	if m, ok := adapters[name].(modeler); ok {
		return m.models()
	}
	return nil
}

// modeler is an adapter that knows model names.
type modeler interface{ models() []string }
