package testnames

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// testCase is one testcase of a report:
// https://github.com/testmoapp/junitxml
type testCase struct {
	Class   string    `xml:"classname,attr"`
	Name    string    `xml:"name,attr"`
	Failure *struct{} `xml:"failure"`
	Error   *struct{} `xml:"error"`
	Skipped *struct{} `xml:"skipped"`
}

// ReadJUnit reads a report in JUnit's XML. What was read before an error is returned, too.
func ReadJUnit(in io.Reader) (Set, error) {
	all := Set{}
	for d := xml.NewDecoder(in); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, fmt.Errorf("read a report of tests: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "testcase" {
			continue
		}
		var c testCase
		if err := d.DecodeElement(&c, &start); err != nil {
			return all, fmt.Errorf("read a report of tests: %w", err)
		}
		all.Add(c.Class+inFile+c.Name, c.outcome())
	}
}

func (c testCase) outcome() Outcome {
	switch {
	case c.Failure != nil, c.Error != nil:
		return Failed
	case c.Skipped != nil:
		return Skipped
	}
	return Passed
}
