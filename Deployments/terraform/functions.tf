resource "aws_lambda_function" "function" {
  for_each = local.functions

  function_name = local.function_names[each.key]
  description   = try(local.properties[each.key].Description, null)
  role = (
    try(local.properties[each.key].Role, null) == null
    ? aws_iam_role.made["${each.key}Role"].arn
    : aws_iam_role.function[local.properties[each.key].Role["Fn::GetAtt"][0]].arn
  )
  runtime          = local.globals.Runtime
  handler          = local.globals.Handler
  architectures    = [local.parameters.Architecture]
  memory_size      = try(local.properties[each.key].MemorySize, local.globals.MemorySize)
  timeout          = try(local.properties[each.key].Timeout, local.globals.Timeout)
  filename         = "${var.packages}/${local.executables[each.key]}.zip"
  source_code_hash = filebase64sha256("${var.packages}/${local.executables[each.key]}.zip")

  environment {
    variables = local.environments[each.key]
  }

  logging_config {
    # As in the template: one group for all functions, with unchanged lines.
    log_format = "Text"
    log_group  = local.values[local.globals.LoggingConfig.LogGroup.Ref]
  }

  # A function that starts before its policy is attached may not read its secrets.
  depends_on = [
    aws_cloudwatch_log_group.group, aws_dynamodb_table.table, aws_iam_role_policy.policy,
    aws_iam_role_policy_attachment.logs, aws_secretsmanager_secret_version.generated,
    terraform_data.parameters,
  ]
}

# Schedules: SAM creates a role for each.
resource "aws_iam_role" "schedule" {
  for_each = local.schedules

  name = "${var.name}-${each.key}Schedule"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Principal = { Service = "scheduler.amazonaws.com" }
      Action    = "sts:AssumeRole"
      # Against the confused deputy problem: only schedules of this account.
      Condition = { StringEquals = { "aws:SourceAccount" = local.account } }
    }]
  })
}

resource "aws_iam_role_policy" "schedule" {
  for_each = local.schedules

  name = "Invoke"
  role = aws_iam_role.schedule[each.key].name
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect   = "Allow"
      Action   = "lambda:InvokeFunction"
      Resource = local.values["${each.value.function}.Arn"]
    }]
  })
}

resource "aws_scheduler_schedule" "schedule" {
  for_each = local.schedules

  name                = "${var.name}-${each.key}"
  schedule_expression = each.value.expression

  flexible_time_window {
    mode = "OFF"
  }

  target {
    arn      = aws_lambda_function.function[each.value.function].arn
    role_arn = aws_iam_role.schedule[each.key].arn
  }

  depends_on = [aws_iam_role_policy.schedule]
}
