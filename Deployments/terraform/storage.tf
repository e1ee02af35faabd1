# Table, bucket and secrets contain data that cannot be recreated: Terraform refuses to destroy
# them. The template retains them when its stack is deleted.

locals {
  # The attributes of a table's key, by type.
  table_keys = {
    for id in local.tables :
    id => { for key in local.properties[id].KeySchema : key.KeyType => key.AttributeName }
  }
}

resource "aws_dynamodb_table" "table" {
  for_each = local.tables

  name         = local.values[each.key]
  billing_mode = local.properties[each.key].BillingMode
  hash_key     = local.table_keys[each.key].HASH
  range_key    = try(local.table_keys[each.key].RANGE, null)

  dynamic "attribute" {
    for_each = local.properties[each.key].AttributeDefinitions
    content {
      name = attribute.value.AttributeName
      type = attribute.value.AttributeType
    }
  }

  ttl {
    attribute_name = local.properties[each.key].TimeToLiveSpecification.AttributeName
    enabled        = local.properties[each.key].TimeToLiveSpecification.Enabled
  }

  point_in_time_recovery {
    enabled = (
      local.properties[each.key].PointInTimeRecoverySpecification.PointInTimeRecoveryEnabled
    )
  }

  # Without a customer key: the AWS owned key of DynamoDB, which needs no permission.
  server_side_encryption {
    enabled = local.properties[each.key].SSESpecification.SSEEnabled
  }

  deletion_protection_enabled = true

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_cloudwatch_log_group" "group" {
  for_each = local.log_groups

  name              = local.values[each.key]
  retention_in_days = local.properties[each.key].RetentionInDays
}

resource "aws_secretsmanager_secret" "secret" {
  for_each = local.secrets

  name        = "${var.name}/${each.key}"
  description = local.properties[each.key].Description

  lifecycle {
    prevent_destroy = true
  }
}

locals {
  generators = {
    for id in local.secrets : id => local.properties[id].GenerateSecretString
    if can(local.properties[id].GenerateSecretString)
  }
  # The generated part of a secret that is JSON.
  generated_keys = { for id, made in local.generators : id => try(made.GenerateStringKey, "") }
}

# The value is write-only: neither plan nor state contains it.
ephemeral "aws_secretsmanager_random_password" "generated" {
  for_each = local.generators

  password_length     = each.value.PasswordLength
  exclude_punctuation = each.value.ExcludePunctuation
}

resource "aws_secretsmanager_secret_version" "generated" {
  for_each = local.generators

  secret_id = aws_secretsmanager_secret.secret[each.key].id
  secret_string_wo = (
    local.generated_keys[each.key] == ""
    ? ephemeral.aws_secretsmanager_random_password.generated[each.key].random_password
    : jsonencode(zipmap(
      [local.generated_keys[each.key]],
      [ephemeral.aws_secretsmanager_random_password.generated[each.key].random_password]
    ))
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
  for_each = { for id in local.buckets : id => local.properties[id].PublicAccessBlockConfiguration }

  bucket                  = aws_s3_bucket.bucket[each.key].id
  block_public_acls       = each.value.BlockPublicAcls
  block_public_policy     = each.value.BlockPublicPolicy
  ignore_public_acls      = each.value.IgnorePublicAcls
  restrict_public_buckets = each.value.RestrictPublicBuckets
}

resource "aws_s3_bucket_ownership_controls" "bucket" {
  for_each = { for id in local.buckets : id => local.properties[id].OwnershipControls }

  bucket = aws_s3_bucket.bucket[each.key].id
  rule {
    object_ownership = each.value.Rules[0].ObjectOwnership
  }
}

resource "aws_s3_bucket_server_side_encryption_configuration" "bucket" {
  for_each = { for id in local.buckets : id => local.properties[id].BucketEncryption }

  bucket = aws_s3_bucket.bucket[each.key].id
  rule {
    apply_server_side_encryption_by_default {
      sse_algorithm = (
        each.value.ServerSideEncryptionConfiguration[0].ServerSideEncryptionByDefault.SSEAlgorithm
      )
    }
  }
}

resource "aws_s3_bucket_lifecycle_configuration" "bucket" {
  for_each = local.buckets

  bucket = aws_s3_bucket.bucket[each.key].id
  dynamic "rule" {
    for_each = local.properties[each.key].LifecycleConfiguration.Rules
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
  for_each = toset(local.allowed_origins == "" ? [] : [
    for id in local.buckets : id if try(local.properties[id].CorsConfiguration, null) != null
  ])

  bucket = aws_s3_bucket.bucket[each.key].id
  dynamic "cors_rule" {
    for_each = local.properties[each.key].CorsConfiguration["Fn::If"][1].CorsRules
    content {
      allowed_origins = split(",", local.allowed_origins)
      allowed_methods = cors_rule.value.AllowedMethods
      allowed_headers = cors_rule.value.AllowedHeaders
      expose_headers  = cors_rule.value.ExposedHeaders
      max_age_seconds = cors_rule.value.MaxAge
    }
  }
}
