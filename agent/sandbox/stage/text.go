package stage

import "errors"

// What packages strings and fmt have, which would be initialized too late.

// cut returns what is before and after the first separator.
func cut(text string, separator byte) (before, after string, found bool) {
	for i := range len(text) {
		if text[i] == separator {
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// split returns the non-empty parts between separators.
func split(text string, separator byte) (all []string) {
	for text != "" {
		var part string
		if part, text, _ = cut(text, separator); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// join puts a separator between texts.
func join(all []string, separator string) (text string) {
	for i, part := range all {
		if i > 0 {
			text += separator
		}
		text += part
	}
	return text
}

// wrap puts what was tried before an error.
func wrap(what string, err error) error { return &failure{what, err} }

type failure struct {
	what string
	err  error
}

func (f *failure) Error() string { return f.what + ": " + f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// errSpec is what [parse] returns for what [Spec.String] did not write.
var errSpec = errors.New("read what is to be built: it is damaged")
