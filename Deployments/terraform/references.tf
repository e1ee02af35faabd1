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
    { for id in local.tables : "${id}.Arn" => "arn:${local.partition}:dynamodb:${local.region}:${local.account}:table/${var.name}-${id}" },
    # S3 requires lower-case names.
    { for id in local.buckets : id => "${var.name}-${lower(id)}-${local.account}" },
    { for id in local.buckets : "${id}.Arn" => "arn:${local.partition}:s3:::${var.name}-${lower(id)}-${local.account}" },
    { for id in setunion(local.roles, local.made_roles) : id => "${var.name}-${id}" },
    { for id in setunion(local.roles, local.made_roles) : "${id}.Arn" => "arn:${local.partition}:iam::${local.account}:role/${var.name}-${id}" },
    { for id in local.functions : id => local.function_names[id] },
    { for id in local.functions : "${id}.Arn" => "arn:${local.partition}:lambda:${local.region}:${local.account}:function:${local.function_names[id]}" },
    { for id in local.log_groups : id => "/${var.name}/${id}" },
    { for id in local.log_groups : "${id}.Arn" => "arn:${local.partition}:logs:${local.region}:${local.account}:log-group:/${var.name}/${id}" },
    local.api_ids,
    local.secret_arns,
  )
}
