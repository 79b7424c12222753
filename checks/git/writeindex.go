package git

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
)

// longName is the length in the flags of an entry for every name of that length or
// longer.
const longName = 0xfff

// EncodeIndex returns an index with entries whose files git has yet to look at, as git read-tree writes it. Like is a
// name in the format of the objects.
func EncodeIndex(like string, entries []TreeEntry) ([]byte, error) {
	all := slices.Clone(entries)
	slices.SortFunc(all, func(a, b TreeEntry) int { return cmp.Compare(a.Path, b.Path) })
	var b bytes.Buffer
	b.WriteString("DIRC")
	binary.Write(&b, binary.BigEndian, [2]uint32{2, uint32(len(all))}) //nolint:errcheck // a buffer takes all
	for _, e := range all {
		id, err := hex.DecodeString(e.ID)
		if err != nil {
			return nil, fmt.Errorf("write an index: %w", err)
		}
		var stat [indexStat]byte
		binary.BigEndian.PutUint32(stat[indexMode:], e.Mode)
		began := b.Len()
		b.Write(stat[:])
		b.Write(id)
		b.Write(binary.BigEndian.AppendUint16(nil, uint16(min(len(e.Path), longName))))
		b.WriteString(e.Path)
		b.Write(make([]byte, indexAlignment-(b.Len()-began)%indexAlignment))
	}
	return withSum(b.Bytes(), formatOf(like)), nil
}

// withSum appends the hash of an index to it.
func withSum(data []byte, format string) []byte {
	if format == "sha256" {
		sum := sha256.Sum256(data)
		return append(data, sum[:]...)
	}
	sum := sha1.Sum(data)
	return append(data, sum[:]...)
}
