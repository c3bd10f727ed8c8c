package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// state is what outlives the process: the conversation itself is on the server.
type state struct {
	path string
	mu   sync.Mutex
	data stateData
}

type stateData struct {
	// The first turn that is not done.
	Turn int `json:"turn"`
	// Where the watch resumes, and the last event before that place.
	ResumeToken string `json:"resumeToken"`
	Revision    int64  `json:"revision"`
	Index       int32  `json:"index"`
}

func loadState(path string) (*state, error) {
	s := &state{path: path, data: stateData{Turn: 1}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	return s, json.Unmarshal(text, &s.data)
}

func (s *state) get() stateData {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.data
}

// change stores the change before it returns: a rename replaces the file whole.
func (s *state) change(apply func(*stateData)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	apply(&s.data)
	text, err := json.Marshal(s.data)
	if err != nil {
		return err
	}
	if err := os.WriteFile(s.path+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(s.path+".new", s.path)
}
