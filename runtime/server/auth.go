package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"time"
)

// User is somebody who may use the server: a name, and the SHA-256 of the bearer token that proves it.
type User struct {
	Name        string
	TokenSHA256 [sha256.Size]byte
}

const (
	cookieName   = "podlife_session"
	sessionLife  = 12 * time.Hour
	codeLife     = 10 * time.Minute
	maxSessions  = 32 // of one user
	maxCodes     = 8  // of one user
	maxAuthBytes = 1024
)

// grant is a session or a login code: whose, until when.
type grant struct {
	user  string
	until time.Time
}

// auth knows who is calling. Sessions and login codes live in memory: a restart of the server asks browsers to log in again. Both are kept by their hash.
type auth struct {
	users []User
	now   func() time.Time

	mu       sync.Mutex // guards the following
	sessions map[[32]byte]grant
	codes    map[[32]byte]grant
}

func newAuth(users []User, now func() time.Time) *auth {
	return &auth{users: users, now: now, sessions: map[[32]byte]grant{}, codes: map[[32]byte]grant{}}
}

func secret() string {
	b := make([]byte, 32)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// user says who is calling, or "".
func (a *auth) user(r *http.Request) string {
	if h := r.Header.Get("Authorization"); h != "" {
		token, ok := strings.CutPrefix(h, "Bearer ")
		if !ok || len(token) > maxAuthBytes {
			return ""
		}
		return a.byToken(token)
	}
	c, err := r.Cookie(cookieName)
	if err != nil || len(c.Value) > maxAuthBytes {
		return ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	g, ok := a.sessions[sha256.Sum256([]byte(c.Value))]
	if !ok || !a.now().Before(g.until) {
		return ""
	}
	return g.user
}

// byToken compares with every user, each in constant time.
func (a *auth) byToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	name := ""
	for _, u := range a.users {
		if subtle.ConstantTimeCompare(sum[:], u.TokenSHA256[:]) == 1 {
			name = u.Name
		}
	}
	return name
}

// newCode makes a single-use login code for a user.
func (a *auth) newCode(user string) string {
	return put(a, a.codes, maxCodes, grant{user, a.now().Add(codeLife)})
}

// login trades a code, once, for a session.
func (a *auth) login(code string) (session string, ok bool) {
	if len(code) > maxAuthBytes {
		return "", false
	}
	key := sha256.Sum256([]byte(code))
	a.mu.Lock()
	g, ok := a.codes[key]
	delete(a.codes, key)
	a.mu.Unlock()
	if !ok || !a.now().Before(g.until) {
		return "", false
	}
	return put(a, a.sessions, maxSessions, grant{g.user, a.now().Add(sessionLife)}), true
}

// put keeps a grant under a fresh secret; at the user's bound that user's one that ends first makes room, and nobody else's.
func put(a *auth, m map[[32]byte]grant, bound int, g grant) string {
	s := secret()
	a.mu.Lock()
	defer a.mu.Unlock()
	var first [32]byte
	var until time.Time
	mine := 0
	for k, old := range m {
		if old.user != g.user {
			continue
		}
		mine++
		if until.IsZero() || old.until.Before(until) {
			first, until = k, old.until
		}
	}
	if mine >= bound {
		delete(m, first)
	}
	m[sha256.Sum256([]byte(s))] = g
	return s
}

func sessionCookie(value string, secure bool) *http.Cookie {
	return &http.Cookie{Name: cookieName, Value: value, Path: "/", MaxAge: int(sessionLife.Seconds()), HttpOnly: true, Secure: secure, SameSite: http.SameSiteStrictMode}
}
