"""What pages show, the listening examples, and the Sphinx build."""
