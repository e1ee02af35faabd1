"""Shared by the cases of all services."""
