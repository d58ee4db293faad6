package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podlife/runtime/config"
)

func TestATokenThatCannotBeReadIsAnErrorThatNamesItsFile(t *testing.T) {
	conf := &config.Loaded{}
	conf.Repo.Username = "me"
	if user, token, err := credentials(conf); user != "me" || token != "" || err != nil {
		t.Errorf("without a file: %q, %q, %v", user, token, err)
	}
	conf.Repo.TokenFile = filepath.Join(t.TempDir(), "token")
	refused := func(what string) {
		t.Helper()
		user, token, err := credentials(conf)
		if err == nil || !strings.Contains(err.Error(), conf.Repo.TokenFile) || strings.Contains(err.Error(), "s3cret") || user+token != "" {
			t.Errorf("%s: %q, %q, %v", what, user, token, err)
		}
	}
	refused("a missing file")
	write := func(text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(conf.Repo.TokenFile, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(conf.Repo.TokenFile, mode); err != nil {
			t.Fatal(err)
		}
	}
	write("s3cret and more\n", 0o600)
	refused("two words")
	write("s3cret\n", 0o644)
	refused("everybody's")
	write("s3cret\n", 0o600)
	if user, token, err := credentials(conf); user != "me" || token != "s3cret" || err != nil {
		t.Errorf("a good file: %q, %q, %v", user, token, err)
	}
}
