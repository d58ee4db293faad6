// Command write makes the files of conformance/testdata/PodRuntime anew: the paths that are kept, and the digest of the others.
//
//	go run ./conformance/paths/write [--to DIR]
//
// It imports conformance/paths, where digest.go is the file to read.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"

	"podlife/conformance/paths"
)

func main() {
	to := flag.String("to", "conformance/testdata/PodRuntime", "the folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := write(ctx, *to); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write replaces what is in the folder.
func write(ctx context.Context, to string) error {
	files, err := paths.Files(ctx, paths.Server())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(to, "*.itf.json"))
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, stays := files[filepath.Base(name)]; !stays {
			err = errors.Join(err, os.Remove(name))
		}
	}
	size := 0
	for name, text := range files {
		size += len(text)
		err = errors.Join(err, os.WriteFile(filepath.Join(to, name), text, 0o644))
	}
	fmt.Printf("%d files, %d kB\n", len(files), size/1000)
	return err
}
