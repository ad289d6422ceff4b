// Package chancerygame sends a game's facts to Chancery: one file to copy, for Go 1.19 or newer, without modules.
//
//	sender, err := chancerygame.New("http://127.0.0.1:8081", os.Getenv("CHANCERY_OPERATOR_TOKEN"), "/var/lib/game/chancery")
//	sender.Put("nation", map[string]any{"id": "42", "nation_name": "Valdoria"})
//	sender.Batch([]chancerygame.Fact{{"op": "delete", "resource": "treaty", "id": "7"}}, chancerygame.ID("turn-8817"))
//	go sender.Run(ctx)
//
// Batch, Put, Delete and Event store a batch in the spool folder; they never wait for the service. Deliver sends what is stored,
// in order, and applies nothing twice; Run calls it again and again. A spool belongs to one process; its goroutines may share a Sender.
package chancerygame

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	mathrand "math/rand"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	requestBatchesMax = 100
	requestBytesMax   = 4 << 20
	firstWait         = 200 * time.Millisecond
	longestWait       = 30 * time.Second
)

// ErrSpoolFull means that more waits than BytesMax. The facts of the call were not stored.
var ErrSpoolFull = errors.New("the spool is full")

// Fact is one line: put, delete, event, snapshot and so on.
type Fact = map[string]any

// Outcome is what the service did with a batch.
type Outcome struct {
	Batch   string `json:"batch"`
	Status  string `json:"status"`
	Facts   int    `json:"facts"`
	Refused []struct {
		Line   int    `json:"line"`
		Path   string `json:"path"`
		Reason string `json:"reason"`
	} `json:"refused"`
	IsKept bool `json:"is_kept"`
}

// IsApplied is whether the batch was applied, now or before.
func (o Outcome) IsApplied() bool { return o.Status == "applied" || o.Status == "duplicate" }

// Sender stores batches and sends them.
type Sender struct {
	// BytesMax is how much may wait. 1 GiB by default.
	BytesMax int64
	// Log gets a line when an outage begins and ends, and for each rejected batch.
	Log func(format string, values ...any)

	url, token, spool string
	lock              *os.File
	delivering        sync.Mutex
	mutex             sync.Mutex
	next, bytes       int64
	client            http.Client
}

type storedBatch struct {
	file  string
	lines int
}

// New opens the spool. address is that of the operator API, token one of the role "facts".
func New(address, token, spool string) (*Sender, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || (parsed.Scheme != "http" && parsed.Scheme != "https") {
		return nil, fmt.Errorf("address is %s: it must be http or https", address)
	}
	if err := os.MkdirAll(filepath.Join(spool, "rejected"), 0o700); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(filepath.Join(spool, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		return nil, fmt.Errorf("the spool %s is used by another process: %w", spool, err)
	}
	sender := &Sender{
		BytesMax: 1 << 30, Log: log.Printf,
		url: strings.TrimRight(address, "/"), token: token, spool: spool, lock: lock, next: 1,
		// The service says nothing while it applies a large batch; no redirect would get the token.
		client: http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	files, err := sender.files()
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			sender.bytes += info.Size()
		}
		fmt.Sscanf(filepath.Base(file), "%d.ndjson", &sender.next)
		sender.next++
	}
	return sender, err
}

// Close lets another process use the spool.
func (s *Sender) Close() error { return s.lock.Close() }

// Put states current values of an item; omitted fields stay unchanged.
func (s *Sender) Put(resource string, data any) error {
	_, err := s.Batch([]Fact{{"op": "put", "resource": resource, "data": data}})
	return err
}

// Delete deletes an item. Its events stay.
func (s *Sender) Delete(resource, id string) error {
	_, err := s.Batch([]Fact{{"op": "delete", "resource": resource, "id": id}})
	return err
}

// Event logs something that changed no state. about: summary, nation_ids, alliance_ids, war_id, conflict_id, occurred_at.
func (s *Sender) Event(kind string, data any, about map[string]any) error {
	event := map[string]any{"occurred_at": time.Now().UTC().Format("2006-01-02T15:04:05.000Z")}
	for name, value := range about {
		event[name] = value
	}
	event["type"], event["data"] = kind, data
	_, err := s.Batch([]Fact{{"op": "event", "data": event}})
	return err
}

// BatchOption changes how a batch is committed.
type BatchOption func(commit Fact)

// ID is an id of your own, which makes a repetition safe: the same batch is applied once.
func ID(id string) BatchOption { return func(commit Fact) { commit["batch"] = id } }

// History records history, whose events are not sent to webhooks and open streams.
func History() BatchOption { return func(commit Fact) { commit["announce"] = false } }

// SetAside applies the batch without the facts that do not fit: the service keeps these, and applies them as soon as they fit.
func SetAside() BatchOption { return func(commit Fact) { commit["refused"] = "set_aside" } }

// Batch stores facts that belong together: they are applied completely or not at all. It returns the id of the batch.
func (s *Sender) Batch(facts []Fact, options ...BatchOption) (string, error) {
	if len(facts) == 0 {
		return "", errors.New("a batch needs a fact")
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	commit := Fact{"op": "commit", "batch": "game-" + hex.EncodeToString(random)}
	for _, option := range options {
		option(commit)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	for _, fact := range append(facts[:len(facts):len(facts)], commit) {
		if err := encoder.Encode(fact); err != nil {
			return "", err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	size := int64(text.Len())
	if s.bytes+size > s.BytesMax {
		return "", fmt.Errorf("%w: %d bytes wait to be sent, and %d more would exceed %d", ErrSpoolFull, s.bytes, size, s.BytesMax)
	}
	file := filepath.Join(s.spool, fmt.Sprintf("%012d.ndjson", s.next))
	if err := writeDurably(file, text.Bytes()); err != nil {
		return "", err
	}
	s.next++
	s.bytes += size
	return commit["batch"].(string), nil
}

// Deliver sends what is stored, and returns the outcomes. An error means that the outcome of the next batch is not known.
// A rejected batch ("refused", "conflict") is logged with its reasons. The service keeps it (chancery refused list),
// or it stays in the folder "rejected".
func (s *Sender) Deliver(ctx context.Context) ([]Outcome, error) {
	s.delivering.Lock()
	defer s.delivering.Unlock()
	var outcomes []Outcome
	for {
		batches, body, err := s.nextBatches()
		if err != nil || len(batches) == 0 {
			return outcomes, err
		}
		sent, err := s.send(ctx, batches, body)
		outcomes = append(outcomes, sent...)
		if err != nil {
			return outcomes, err
		}
	}
}

// Run delivers until the context ends.
func (s *Sender) Run(ctx context.Context) {
	wait, trouble := firstWait, ""
	for ctx.Err() == nil {
		_, err := s.Deliver(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && trouble != "":
			s.Log("the service takes facts again")
			wait, trouble = firstWait, ""
		case err != nil:
			if err.Error() != trouble {
				s.Log("%v", err)
			}
			trouble = err.Error()
			if wait *= 2; wait > longestWait {
				wait = longestWait
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait/2 + time.Duration(mathrand.Int63n(int64(wait/2)))):
		}
	}
}

func (s *Sender) files() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(s.spool, "*.ndjson"))
	sort.Strings(files)
	return files, err
}

// The next batches, as many as suit one request, and their text.
func (s *Sender) nextBatches() (batches []storedBatch, body []byte, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	files, err := s.files()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, nil, err
		}
		if len(batches) == requestBatchesMax || (len(batches) > 0 && len(body)+len(text) > requestBytesMax) {
			break
		}
		batches, body = append(batches, storedBatch{file, bytes.Count(text, []byte{'\n'})}), append(body, text...)
	}
	return batches, body, err
}

func (s *Sender) send(ctx context.Context, batches []storedBatch, body []byte) (outcomes []Outcome, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/facts", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	request.Header.Set("Content-Type", "application/x-ndjson")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("the service is not reachable: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		var document struct{ Error struct{ Message string } }
		json.NewDecoder(io.LimitReader(response.Body, 65536)).Decode(&document)
		return nil, fmt.Errorf("the service returned status %d: %s", response.StatusCode, document.Error.Message)
	}
	lines := bufio.NewReader(response.Body)
	linesBefore := 0
	for _, batch := range batches {
		line, err := lines.ReadBytes('\n')
		var outcome Outcome
		if json.Unmarshal(line, &outcome) != nil || outcome.Status == "" {
			return outcomes, fmt.Errorf("the connection ended before all outcomes were received: %v", err)
		}
		if outcome.Status == "unavailable" {
			return outcomes, errors.New("the database of the service is unavailable")
		}
		for index := range outcome.Refused {
			if reason := &outcome.Refused[index]; reason.Line > 0 {
				reason.Line -= linesBefore
			}
		}
		linesBefore += batch.lines
		if err := s.finish(batch.file, outcome); err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

func (s *Sender) finish(file string, outcome Outcome) error {
	if !outcome.IsApplied() {
		var reasons []string
		for index, reason := range outcome.Refused {
			if index < 3 {
				reasons = append(reasons, fmt.Sprintf("line %d %s: %s", reason.Line, reason.Path, reason.Reason))
			}
		}
		s.Log("batch %s was rejected (%s): %s", outcome.Batch, outcome.Status, strings.Join(reasons, "; "))
		if !outcome.IsKept {
			return os.Rename(file, filepath.Join(s.spool, "rejected", filepath.Base(file)))
		}
	}
	info, err := os.Stat(file)
	if err == nil {
		err = os.Remove(file)
	}
	if err != nil {
		return err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.bytes -= info.Size()
	return nil
}

func writeDurably(path string, data []byte) error {
	file, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if closeErr := file.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer folder.Close()
	return folder.Sync()
}
