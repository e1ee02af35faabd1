# The alarms and the dashboard of docs/operating.md. They are created if AlarmTopicArn is given.

locals {
  # {"Fn::Not": [{"Fn::Equals": [{"Ref": …}, …]}]}, and {"Fn::And": [{"Condition": …}, …]} of those.
  comparisons = {
    for name, condition in try(local.template.Conditions, {}) :
    name => local.parameters[condition["Fn::Not"][0]["Fn::Equals"][0].Ref] != condition["Fn::Not"][0]["Fn::Equals"][1]
    if can(condition["Fn::Not"])
  }
  conditions = merge(local.comparisons, {
    for name, condition in try(local.template.Conditions, {}) :
    name => alltrue([for part in condition["Fn::And"] : local.comparisons[part.Condition]])
    if !can(condition["Fn::Not"])
  })

  alarms     = toset([for id, resource in local.resources : id if resource.Type == "AWS::CloudWatch::Alarm" && try(local.conditions[resource.Condition], true)])
  dashboards = toset([for id, resource in local.resources : id if resource.Type == "AWS::CloudWatch::Dashboard" && try(local.conditions[resource.Condition], true)])

  # A text, or the value of a reference.
  alarm_texts = {
    for text in distinct(flatten([
      for id in local.alarms : [
        for value in concat(
          [try(local.resources[id].Properties.Namespace, "")],
          local.resources[id].Properties.AlarmActions, local.resources[id].Properties.OKActions,
          [for dimension in try(local.resources[id].Properties.Dimensions, []) : dimension.Value],
          [for metric in try(local.resources[id].Properties.Metrics, []) : try(metric.MetricStat.Metric.Namespace, "")],
          flatten([for metric in try(local.resources[id].Properties.Metrics, []) : [for dimension in try(metric.MetricStat.Metric.Dimensions, []) : dimension.Value]]),
        ) : jsonencode(value)
      ]
    ])) : text => jsondecode(lookup(local.intrinsics, text, text))
  }
}

resource "aws_cloudwatch_metric_alarm" "alarm" {
  for_each = local.alarms

  alarm_name          = "${var.name}-${each.key}"
  alarm_description   = local.resources[each.key].Properties.AlarmDescription
  alarm_actions       = [for action in local.resources[each.key].Properties.AlarmActions : local.alarm_texts[jsonencode(action)]]
  ok_actions          = [for action in local.resources[each.key].Properties.OKActions : local.alarm_texts[jsonencode(action)]]
  comparison_operator = local.resources[each.key].Properties.ComparisonOperator
  evaluation_periods  = local.resources[each.key].Properties.EvaluationPeriods
  threshold           = local.resources[each.key].Properties.Threshold
  treat_missing_data  = local.resources[each.key].Properties.TreatMissingData
  # For an alarm with one metric; an alarm with several has queries.
  namespace          = can(local.resources[each.key].Properties.Namespace) ? local.alarm_texts[jsonencode(local.resources[each.key].Properties.Namespace)] : null
  metric_name        = try(local.resources[each.key].Properties.MetricName, null)
  period             = try(local.resources[each.key].Properties.Period, null)
  statistic          = try(local.resources[each.key].Properties.Statistic, null)
  extended_statistic = try(local.resources[each.key].Properties.ExtendedStatistic, null)
  dimensions         = can(local.resources[each.key].Properties.Dimensions) ? { for dimension in local.resources[each.key].Properties.Dimensions : dimension.Name => local.alarm_texts[jsonencode(dimension.Value)] } : null

  dynamic "metric_query" {
    for_each = try(local.resources[each.key].Properties.Metrics, [])
    content {
      id         = metric_query.value.Id
      expression = try(metric_query.value.Expression, null)
      # CloudFormation's default is true, Terraform's is false.
      return_data = try(metric_query.value.ReturnData, true)

      dynamic "metric" {
        for_each = try([metric_query.value.MetricStat], [])
        content {
          namespace   = local.alarm_texts[jsonencode(metric.value.Metric.Namespace)]
          metric_name = metric.value.Metric.MetricName
          dimensions  = { for dimension in try(metric.value.Metric.Dimensions, []) : dimension.Name => local.alarm_texts[jsonencode(dimension.Value)] }
          period      = metric.value.Period
          stat        = metric.value.Stat
        }
      }
    }
  }
}

resource "aws_cloudwatch_dashboard" "dashboard" {
  for_each = local.dashboards

  dashboard_name = "${var.name}-${each.key}"
  dashboard_body = jsondecode(local.intrinsics[jsonencode(local.resources[each.key].Properties.DashboardBody)])
}
