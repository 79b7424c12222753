package stage

// Numbers of system calls that package syscall does not have. Those above 423 are the same on all machines.
const (
	numberCloseRange       = 436
	numberMountSetattr     = 442
	numberLandlockCreate   = 444
	numberLandlockRestrict = 446

	oPath = 0x200000
)
