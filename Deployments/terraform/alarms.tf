# The alarms and the dashboard of docs/operating.md. They are created if AlarmTopicArn is given.

locals {
  # {"Fn::Not": [{"Fn::Equals": [{"Ref": …}, …]}]}, and {"Fn::And": [{"Condition": …}, …]} of those.
  compared = {
    for name, condition in try(local.template.Conditions, {}) :
    name => condition["Fn::Not"][0]["Fn::Equals"] if can(condition["Fn::Not"])
  }
  comparisons = {
    for name, sides in local.compared : name => local.parameters[sides[0].Ref] != sides[1]
  }
  conditions = merge(local.comparisons, {
    for name, condition in try(local.template.Conditions, {}) :
    name => alltrue([for part in condition["Fn::And"] : local.comparisons[part.Condition]])
    if !can(condition["Fn::Not"])
  })

  wanted = toset([
    for id, resource in local.resources : id if try(local.conditions[resource.Condition], true)
  ])
  alarms     = setintersection(local.ids["AWS::CloudWatch::Alarm"], local.wanted)
  dashboards = setintersection(local.ids["AWS::CloudWatch::Dashboard"], local.wanted)
  # The metrics of alarms with several.
  alarm_metrics = { for id in local.alarms : id => try(local.properties[id].Metrics, []) }

  # A text, or the value of a reference.
  alarm_texts = {
    for text in distinct(flatten([
      for id in local.alarms : [
        for value in concat(
          [try(local.properties[id].Namespace, "")],
          local.properties[id].AlarmActions, local.properties[id].OKActions,
          [for dimension in try(local.properties[id].Dimensions, []) : dimension.Value],
          [for metric in local.alarm_metrics[id] : try(metric.MetricStat.Metric.Namespace, "")],
          flatten([
            for metric in local.alarm_metrics[id] : [
              for dimension in try(metric.MetricStat.Metric.Dimensions, []) : dimension.Value
            ]
          ]),
        ) : jsonencode(value)
      ]
    ])) : text => jsondecode(lookup(local.intrinsics, text, text))
  }
}

resource "aws_cloudwatch_metric_alarm" "alarm" {
  for_each = local.alarms

  alarm_name        = "${var.name}-${each.key}"
  alarm_description = local.properties[each.key].AlarmDescription
  alarm_actions = [
    for action in local.properties[each.key].AlarmActions : local.alarm_texts[jsonencode(action)]
  ]
  ok_actions = [
    for action in local.properties[each.key].OKActions : local.alarm_texts[jsonencode(action)]
  ]
  comparison_operator = local.properties[each.key].ComparisonOperator
  evaluation_periods  = local.properties[each.key].EvaluationPeriods
  threshold           = local.properties[each.key].Threshold
  treat_missing_data  = local.properties[each.key].TreatMissingData
  # For an alarm with one metric; an alarm with several has queries.
  namespace = try(
    local.alarm_texts[jsonencode(local.properties[each.key].Namespace)], null
  )
  metric_name        = try(local.properties[each.key].MetricName, null)
  period             = try(local.properties[each.key].Period, null)
  statistic          = try(local.properties[each.key].Statistic, null)
  extended_statistic = try(local.properties[each.key].ExtendedStatistic, null)
  dimensions = try({
    for dimension in local.properties[each.key].Dimensions :
    dimension.Name => local.alarm_texts[jsonencode(dimension.Value)]
  }, null)

  dynamic "metric_query" {
    for_each = local.alarm_metrics[each.key]
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
          dimensions = {
            for dimension in try(metric.value.Metric.Dimensions, []) :
            dimension.Name => local.alarm_texts[jsonencode(dimension.Value)]
          }
          period = metric.value.Period
          stat   = metric.value.Stat
        }
      }
    }
  }
}

resource "aws_cloudwatch_dashboard" "dashboard" {
  for_each = local.dashboards

  dashboard_name = "${var.name}-${each.key}"
  dashboard_body = jsondecode(
    local.intrinsics[jsonencode(local.properties[each.key].DashboardBody)]
  )
}
