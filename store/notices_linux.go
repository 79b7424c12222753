package store

import (
	"slices"

	"golang.org/x/sys/unix"
)

// silent are the file systems whose changes other machines, or another system outside, make
// without a notice here.
var silent = []int64{
	unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.V9FS_MAGIC,
	unix.CEPH_SUPER_MAGIC, unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC, unix.CODA_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC,
	unix.OCFS2_SUPER_MAGIC,
	0x786f4256, // vboxsf
	0x0bd00bd0, // Lustre
	0x01161970, // GFS2
	0x47504653, // GPFS
	0x19830326, // BeeGFS
	0xaad7aaea, // PanFS
	0xbacbacbc, // vmhgfs
}

// sendsNotices reports whether each change of a directory gives a notice.
func sendsNotices(dir string) bool {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return false
	}
	return !slices.Contains(silent, int64(s.Type))
}
