"""S3's cases."""
