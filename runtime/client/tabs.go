package client

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// Tab is a session in the caller's container.
type Tab struct {
	Name      string     `json:"name"`
	Epoch     string     `json:"epoch"`
	Viewers   int        `json:"viewers"`
	Created   time.Time  `json:"created"`
	LastInput *time.Time `json:"last_input"` // nil for never
	Exited    bool       `json:"exited"`
	ExitCode  *int       `json:"exit_code"` // of one that has exited
}

// Tabs gives the sessions in the caller's container, also those that have exited and are kept for a while; none while the pod is not ready. Asking wakes nothing.
func (c *Client) Tabs(ctx context.Context) ([]Tab, error) {
	var a struct {
		Tabs []Tab `json:"tabs"`
	}
	err := c.call(ctx, "tabs", http.MethodGet, c.at("/api/tabs"), nil, &a)
	return a.Tabs, err
}

// RenameTab gives a session another name; its terminals stay. A *Problem with code no_tab or tab_taken.
func (c *Client) RenameTab(ctx context.Context, name, to string) error {
	return c.call(ctx, "tabs rename", http.MethodPost, c.at("/api/tabs/")+url.PathEscape(name), map[string]string{"rename": to}, nil)
}

// EndTab ends a session, and returns when its programs are gone. A *Problem with code no_tab.
func (c *Client) EndTab(ctx context.Context, name string) error {
	return c.call(ctx, "tabs close", http.MethodDelete, c.at("/api/tabs/")+url.PathEscape(name), nil, nil)
}
