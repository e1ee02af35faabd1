"""Checks of the provider."""
