"""The command line: arguments, messages, exit codes."""
