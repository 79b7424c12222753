package stage

const (
	numberMemfdCreate = 319
	numberStatx       = 332
)
