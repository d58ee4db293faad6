package main

import "github.com/spf13/cobra"

func (m *Main) shellCommand() *cobra.Command { return &cobra.Command{Use: "shell"} }
