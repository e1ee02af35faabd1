"""DynamoDB's cases."""
