package agent

// Models returns names that a built-in agent takes for a model, the first to try
// first: its aliases for the newest of a kind, which stay, where it has some.
// Others are taken as well; nil where none is known.
func Models(name string) []string {
	if m, ok := vendors[name].(modeler); ok {
		return m.models()
	}
	return nil
}

// modeler is an adapter that knows names of models.
type modeler interface{ models() []string }
