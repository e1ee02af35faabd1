"""Real clients against the provider."""
