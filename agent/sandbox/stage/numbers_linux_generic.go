//go:build linux && !amd64

package stage

// The numbers of machines that came later; for others package sandbox has no filter.
const (
	numberMemfdCreate = 279
	numberStatx       = 291
)
