package harness

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"podlife/runtime/client"
)

// ErrNoMoreUsers says that a world has given away every user that its server knows: start another world.
var ErrNoMoreUsers = errors.New("every user of this server has been given away")

// users is the list that a server is started with, given away one by one.
type users struct {
	http *http.Client // one for all, so that connections are reused

	mu   sync.Mutex // guards the following
	all  []User
	next int
}

func newUsers(n int) *users {
	u := &users{http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
	for i := range n {
		u.all = append(u.all, User{Name: fmt.Sprintf("u%d", i+1), Token: rand.Text()})
	}
	return u
}

// hash is what the server knows of a user's token.
func (u User) hash() [sha256.Size]byte { return sha256.Sum256([]byte(u.Token)) }

func (u User) hexHash() string {
	h := u.hash()
	return hex.EncodeToString(h[:])
}

// take gives the next user a client for the server at url.
func (u *users) take(_ context.Context, url string) (User, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.next == len(u.all) {
		return User{}, ErrNoMoreUsers
	}
	user := u.all[u.next]
	u.next++
	return u.connect(user, url)
}

// connect gives a user a client for the server at url.
func (u *users) connect(user User, url string) (User, error) {
	c, err := client.New(client.Options{BaseURL: url, Token: user.Token, HTTPClient: u.http})
	user.Client = c
	return user, err
}

func (u *users) close() { u.http.CloseIdleConnections() }
