package worker

import (
	"encoding/json"

	"ferrus/hq/wire"
)

// answer decodes a question and encodes the answer.
func answer[Q, A any](m wire.Method, body []byte, f func(Q) (A, error)) ([]byte, error) {
	var q Q
	if err := wire.Read(m, body, &q); err != nil {
		return nil, err
	}
	a, err := f(q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(a)
}

// serve decodes the request for a stream.
func serve[Q any](m wire.Method, body []byte, f func(Q) error) error {
	var q Q
	if err := wire.Read(m, body, &q); err != nil {
		return err
	}
	return f(q)
}
