package agent

// Models returns model names that a built-in agent accepts, preferably aliases that do not
// age. It accepts others as well. Nil if none is known.
func Models(name string) []string {
	if m, ok := adapters[name].(modeler); ok {
		return m.models()
	}
	return nil
}

// TakesImages reports whether a built-in agent looks at images whose paths its prompt names.
func TakesImages(name string) bool {
	viewer, ok := adapters[name].(interface{ takesImages() bool })
	return ok && viewer.takesImages()
}

// modeler is an adapter that knows model names.
type modeler interface{ models() []string }
