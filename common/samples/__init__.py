"""Tables of samples, their audio and event lists, the importers, and the embedded corpora."""
