"""From requests to stored predictions, and attributes that are computed from audio."""
