"""What the cases of all services share."""
