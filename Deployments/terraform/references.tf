# The values of the template's Ref, Fn::GetAtt and Fn::Sub. Names are chosen here and not by AWS, so
# that a plan shows complete policies, and so that roles and functions can refer to each other.

data "aws_caller_identity" "current" {}
data "aws_partition" "current" {}
data "aws_region" "current" {}

locals {
  account    = data.aws_caller_identity.current.account_id
  partition  = data.aws_partition.current.partition
  region     = data.aws_region.current.region
  url_suffix = data.aws_partition.current.dns_suffix

  # AWS chooses these: the plan of a new deployment does not show values that contain them.
  api_ids     = { for id in local.apis : id => aws_apigatewayv2_api.api[id].id }
  secret_arns = { for id in local.secrets : id => aws_secretsmanager_secret.secret[id].arn }
}

locals {
  # Of services whose resources have a region and an account.
  arns = {
    for service in ["dynamodb", "lambda", "logs"] :
    service => "arn:${local.partition}:${service}:${local.region}:${local.account}"
  }
  # S3 requires lower-case names.
  bucket_names = { for id in local.buckets : id => "${var.name}-${lower(id)}-${local.account}" }
  all_roles    = setunion(local.roles, local.made_roles)

  values = merge(
    local.parameters,
    {
      "AWS::AccountId" = local.account
      "AWS::Partition" = local.partition
      "AWS::Region"    = local.region
      "AWS::URLSuffix" = local.url_suffix
      "AWS::NoValue"   = null
    },
    { for id in local.tables : id => "${var.name}-${id}" },
    { for id in local.tables : "${id}.Arn" => "${local.arns.dynamodb}:table/${var.name}-${id}" },
    local.bucket_names,
    { for id, name in local.bucket_names : "${id}.Arn" => "arn:${local.partition}:s3:::${name}" },
    { for id in local.all_roles : id => "${var.name}-${id}" },
    {
      for id in local.all_roles :
      "${id}.Arn" => "arn:${local.partition}:iam::${local.account}:role/${var.name}-${id}"
    },
    local.function_names,
    {
      for id, name in local.function_names : "${id}.Arn" => "${local.arns.lambda}:function:${name}"
    },
    { for id in local.log_groups : id => "/${var.name}/${id}" },
    {
      for id in local.log_groups :
      "${id}.Arn" => "${local.arns.logs}:log-group:/${var.name}/${id}"
    },
    local.api_ids,
    local.secret_arns,
  )
}
