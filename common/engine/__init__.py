"""The run: what there is to do, doing it, writing what was found, and what is stale."""
