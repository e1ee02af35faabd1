# Table, bucket and secrets contain data that cannot be recreated: Terraform refuses to destroy
# them. The template retains them when its stack is deleted.

resource "aws_dynamodb_table" "table" {
  for_each = local.tables

  name         = local.values[each.key]
  billing_mode = local.resources[each.key].Properties.BillingMode
  hash_key     = one([for key in local.resources[each.key].Properties.KeySchema : key.AttributeName if key.KeyType == "HASH"])
  range_key    = one([for key in local.resources[each.key].Properties.KeySchema : key.AttributeName if key.KeyType == "RANGE"])

  dynamic "attribute" {
    for_each = local.resources[each.key].Properties.AttributeDefinitions
    content {
      name = attribute.value.AttributeName
      type = attribute.value.AttributeType
    }
  }

  ttl {
    attribute_name = local.resources[each.key].Properties.TimeToLiveSpecification.AttributeName
    enabled        = local.resources[each.key].Properties.TimeToLiveSpecification.Enabled
  }

  point_in_time_recovery {
    enabled = local.resources[each.key].Properties.PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled
  }

  # Without a customer key: the AWS owned key of DynamoDB, which needs no permission.
  server_side_encryption {
    enabled = local.resources[each.key].Properties.SSESpecification.SSEEnabled
  }

  deletion_protection_enabled = true

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_cloudwatch_log_group" "group" {
  for_each = local.log_groups

  name              = local.values[each.key]
  retention_in_days = local.resources[each.key].Properties.RetentionInDays
}

resource "aws_secretsmanager_secret" "secret" {
  for_each = local.secrets

  name        = "${var.name}/${each.key}"
  description = local.resources[each.key].Properties.Description

  lifecycle {
    prevent_destroy = true
  }
}

locals {
  generated = toset([for id in local.secrets : id if can(local.resources[id].Properties.GenerateSecretString)])
}

# The value is write-only: neither plan nor state contains it.
ephemeral "aws_secretsmanager_random_password" "generated" {
  for_each = local.generated

  password_length     = local.resources[each.key].Properties.GenerateSecretString.PasswordLength
  exclude_punctuation = local.resources[each.key].Properties.GenerateSecretString.ExcludePunctuation
}

resource "aws_secretsmanager_secret_version" "generated" {
  for_each = local.generated

  secret_id = aws_secretsmanager_secret.secret[each.key].id
  secret_string_wo = (
    can(local.resources[each.key].Properties.GenerateSecretString.GenerateStringKey)
    ? jsonencode({ (try(local.resources[each.key].Properties.GenerateSecretString.GenerateStringKey, "")) = ephemeral.aws_secretsmanager_random_password.generated[each.key].random_password })
    : ephemeral.aws_secretsmanager_random_password.generated[each.key].random_password
  )
  # Written when this number changes, so only once. Replacing keys: docs/operating.md.
  secret_string_wo_version = 1
}

resource "aws_s3_bucket" "bucket" {
  for_each = local.buckets

  bucket = local.values[each.key]

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_s3_bucket_public_access_block" "bucket" {
  for_each = local.buckets

  bucket                  = aws_s3_bucket.bucket[each.key].id
  block_public_acls       = local.resources[each.key].Properties.PublicAccessBlockConfiguration.BlockPublicAcls
  block_public_policy     = local.resources[each.key].Properties.PublicAccessBlockConfiguration.BlockPublicPolicy
  ignore_public_acls      = local.resources[each.key].Properties.PublicAccessBlockConfiguration.IgnorePublicAcls
  restrict_public_buckets = local.resources[each.key].Properties.PublicAccessBlockConfiguration.RestrictPublicBuckets
}

resource "aws_s3_bucket_ownership_controls" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id
  rule {
    object_ownership = local.resources[each.key].Properties.OwnershipControls.Rules[0].ObjectOwnership
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = local.resources[each.key].Properties.BucketEncryption.ServerSideEncryptionConfiguration[0].ServerSideEncryptionByDefault.SSEAlgorithm
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id
  dynamic "rule" {
    for_each = local.resources[each.key].Properties.LifecycleConfiguration.Rules
    content {
      id     = rule.value.Id
      status = rule.value.Status
      filter {}
      abort_incomplete_multipart_upload {
        days_after_initiation = rule.value.AbortIncompleteMultipartUpload.DaysAfterInitiation
      }
    }
  }
}

# Web apps upload with the credentials of their users.
resource "aws_s3_bucket_cors_configuration" "bucket" {
  for_each = try(local.parameters.AllowedOrigins, "") == "" ? [] : toset([for id in local.buckets : id if try(local.resources[id].Properties.CorsConfiguration, null) != null])

  bucket = aws_s3_bucket.bucket[each.key].id
  dynamic "cors_rule" {
    for_each = local.resources[each.key].Properties.CorsConfiguration["Fn::If"][1].CorsRules
    content {
      allowed_origins = split(",", local.parameters.AllowedOrigins)
      allowed_methods = cors_rule.value.AllowedMethods
      allowed_headers = cors_rule.value.AllowedHeaders
      expose_headers  = cors_rule.value.ExposedHeaders
      max_age_seconds = cors_rule.value.MaxAge
    }
  }
}
