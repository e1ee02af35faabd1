resource "aws_apigatewayv2_api" "api" {
  for_each = local.apis

  name          = "${var.name}-${each.key}"
  protocol_type = "HTTP"
  disable_execute_api_endpoint = tobool(
    local.parameters[local.properties[each.key].DisableExecuteApiEndpoint.Ref]
  )

  # The API answers preflights, and replaces the CORS headers of functions.
  dynamic "cors_configuration" {
    for_each = (
      local.allowed_origins == "" ? [] : [local.properties[each.key].CorsConfiguration["Fn::If"][1]]
    )

    content {
      allow_origins  = split(",", local.allowed_origins)
      allow_methods  = cors_configuration.value.AllowMethods
      allow_headers  = cors_configuration.value.AllowHeaders
      expose_headers = cors_configuration.value.ExposeHeaders
      max_age        = cors_configuration.value.MaxAge
    }
  }
}

resource "aws_apigatewayv2_stage" "default" {
  for_each = local.apis

  api_id      = aws_apigatewayv2_api.api[each.key].id
  name        = "$default"
  auto_deploy = true

  access_log_settings {
    destination_arn = aws_cloudwatch_log_group.group[
      local.properties[each.key].AccessLogSettings.DestinationArn["Fn::GetAtt"][0]
    ].arn
    format = local.properties[each.key].AccessLogSettings.Format
  }

  default_route_settings {
    throttling_burst_limit = local.properties[each.key].DefaultRouteSettings.ThrottlingBurstLimit
    throttling_rate_limit  = local.properties[each.key].DefaultRouteSettings.ThrottlingRateLimit
  }
}

# One for each function that has routes.
resource "aws_apigatewayv2_integration" "function" {
  for_each = { for route in local.routes : route.function => route... }

  api_id                 = aws_apigatewayv2_api.api[each.value[0].api].id
  integration_type       = "AWS_PROXY"
  integration_method     = "POST"
  integration_uri        = aws_lambda_function.function[each.key].invoke_arn
  payload_format_version = each.value[0].payload
}

resource "aws_apigatewayv2_route" "route" {
  for_each = local.routes

  api_id    = aws_apigatewayv2_api.api[each.value.api].id
  route_key = each.key
  target = format(
    "integrations/%s", aws_apigatewayv2_integration.function[each.value.function].id
  )
  authorization_type = each.value.authorizer == "" ? "NONE" : "CUSTOM"
  authorizer_id = (
    each.value.authorizer == ""
    ? null : aws_apigatewayv2_authorizer.authorizer[each.value.authorizer].id
  )
}

# The API may call a function for its own routes only.
resource "aws_lambda_permission" "route" {
  for_each = local.routes

  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.function[each.value.function].function_name
  principal     = "apigateway.amazonaws.com"
  # A parameter of the path, such as {id}, is a wildcard.
  source_arn = format(
    "%s/*/%s", aws_apigatewayv2_api.api[each.value.api].execution_arn,
    each.key == "$default" ? "*" : replace(
      trimsuffix(replace(each.key, " ", ""), "/"), "/\\{[^}]*\\}/", "*"
    )
  )
}

resource "aws_apigatewayv2_authorizer" "authorizer" {
  for_each = local.authorizers

  api_id                            = aws_apigatewayv2_api.api[each.value.api].id
  name                              = each.key
  authorizer_type                   = "REQUEST"
  authorizer_uri                    = aws_lambda_function.function[each.value.function].invoke_arn
  authorizer_payload_format_version = each.value.settings.AuthorizerPayloadFormatVersion
  enable_simple_responses           = each.value.settings.EnableSimpleResponses
  identity_sources = [
    for header in each.value.settings.Identity.Headers : "$request.header.${header}"
  ]
  # 0, because a cached result would outlive a sign-out.
  authorizer_result_ttl_in_seconds = each.value.settings.Identity.ReauthorizeEvery
}

resource "aws_lambda_permission" "authorizer" {
  for_each = local.authorizers

  action        = "lambda:InvokeFunction"
  function_name = aws_lambda_function.function[each.value.function].function_name
  principal     = "apigateway.amazonaws.com"
  source_arn = format(
    "%s/authorizers/%s", aws_apigatewayv2_api.api[each.value.api].execution_arn,
    aws_apigatewayv2_authorizer.authorizer[each.key].id
  )
}

# The parameters DomainName and CertificateArn. The domain's record is yours to make: it leads to
# the output domain_target.
resource "aws_apigatewayv2_domain_name" "domain" {
  for_each = local.domains

  domain_name = local.parameters.DomainName

  domain_name_configuration {
    certificate_arn = local.parameters.CertificateArn
    endpoint_type   = "REGIONAL"
    security_policy = "TLS_1_2"
  }
}

resource "aws_apigatewayv2_api_mapping" "domain" {
  for_each = local.domains

  api_id      = aws_apigatewayv2_api.api[each.key].id
  domain_name = aws_apigatewayv2_domain_name.domain[each.key].id
  stage       = aws_apigatewayv2_stage.default[each.key].id
}
