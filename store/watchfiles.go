package store

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// WatchFiles sends whenever one of some files may have changed, has come or is gone, until
// ctx is done; the channel is closed then. Several changes can give one notice. Only notices
// of the file system count: where it sends none, or a file's directory does not exist, nothing
// is sent, so nothing may depend on it but how soon a change is seen.
func WatchFiles(ctx context.Context, files ...string) <-chan struct{} {
	changed := make(chan struct{}, 1) // one waiting notice is enough
	notices, err := processHub.join()
	if err != nil {
		close(changed)
		return changed
	}
	for _, file := range files {
		_ = notices.add(filepath.Dir(file)) // an editor replaces the file, so its directory is watched
	}
	go func() {
		defer close(changed)
		defer notices.close()
		for {
			select {
			case <-ctx.Done():
				return
			case <-notices.arrived:
				all, missed := notices.drain()
				if !missed && !slices.ContainsFunc(all, func(e fsnotify.Event) bool {
					return slices.Contains(files, e.Name)
				}) {
					continue
				}
			}
			select {
			case changed <- struct{}{}:
			default:
			}
		}
	}()
	return changed
}
