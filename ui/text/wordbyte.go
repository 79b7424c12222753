package text

// IsWordByte says of each byte whether it is a letter, a digit or an underscore of ASCII. It is a table because each
// byte that an agent prints is looked up.
var IsWordByte = func() (is [256]bool) {
	for i := range is {
		c := byte(i)
		is[i] = c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
	}
	return is
}()
