package git

import "golang.org/x/sys/unix"

// localFilesystems are the file systems on which a directory gets another change time whenever a file in it comes or
// goes: none that other machines write to, and none that a program implements. Package unix has no constants for
// Bcachefs and ZFS, the last two.
var localFilesystems = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
	unix.F2FS_SUPER_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true, 0xca451a4e: true, 0x2fc12fc1: true,
}

// tellsChanges reports whether the change times of directories on the file system of a path can be relied on.
func tellsChanges(path string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(path, &fs) == nil && localFilesystems[int64(fs.Type)]
}
