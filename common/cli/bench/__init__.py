"""Performance benchmarks: claims about speed are measured here, never in a timed test."""
