locals {
  lambda_trust = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "lambda.amazonaws.com" }
      Action    = "sts:AssumeRole"
    }]
  })
  logs_policy = "arn:${local.partition}:iam::aws:policy/service-role/AWSLambdaBasicExecutionRole"
}

# One for each function, as SAM creates them.
resource "aws_iam_role" "made" {
  for_each = local.made_roles

  name               = local.values[each.key]
  assume_role_policy = local.lambda_trust
}

# Roles in the template that functions use.
resource "aws_iam_role" "function" {
  for_each = local.function_roles

  name               = local.values[each.key]
  description        = try(local.properties[each.key].Description, null)
  assume_role_policy = local.trusts[each.key]
}

# Roles that the functions' roles may assume. IAM rejects a trust policy with a role that does not
# exist.
resource "aws_iam_role" "assumed" {
  for_each = setsubtract(local.roles, local.function_roles)

  name                 = local.values[each.key]
  description          = try(local.properties[each.key].Description, null)
  max_session_duration = try(local.properties[each.key].MaxSessionDuration, null)
  assume_role_policy   = local.trusts[each.key]

  depends_on = [aws_iam_role.made, aws_iam_role.function]
}

resource "aws_iam_role_policy" "policy" {
  for_each = local.documents

  name   = split(".", each.key)[1]
  role   = local.values[each.value.role]
  policy = each.value.json

  depends_on = [aws_iam_role.made, aws_iam_role.function, aws_iam_role.assumed]
}

resource "aws_iam_role_policy_attachment" "logs" {
  for_each = setunion(local.made_roles, local.function_roles)

  role       = local.values[each.key]
  policy_arn = local.logs_policy

  depends_on = [aws_iam_role.made, aws_iam_role.function]
}
