package server

import (
	_ "embed"
	"net/http"
)

// openapiDocument is OpenAPI 3.1 of everything that can be called. It is written by hand; its test holds it against routes and against what the handlers answer.
//
//go:embed openapi.json
var openapiDocument []byte

// openapi gives the document to anybody: there is nothing in it that is anybody's.
func (s *Server) openapi(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(openapiDocument); err != nil {
		s.o.Logger.Debug("could not write an answer", "err", err)
	}
}
