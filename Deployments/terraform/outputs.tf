output "api_url" {
  description = "The API's own address."
  value       = { for id in local.apis : id => aws_apigatewayv2_api.api[id].api_endpoint }
}

output "domain_target" {
  description = "Where DomainName must lead: the value of its CNAME record."
  value = {
    for id, domain in aws_apigatewayv2_domain_name.domain :
    id => domain.domain_name_configuration[0].target_domain_name
  }
}

output "functions" {
  description = "The names of the functions, by executable, for aws lambda invoke."
  value       = { for id in local.functions : local.executables[id] => local.function_names[id] }
}

output "tables" {
  value = { for id in local.tables : id => local.values[id] }
}

output "buckets" {
  value = { for id in local.buckets : id => local.values[id] }
}

output "secrets" {
  description = "AppleKeySecret is for Apple's .p8 key, GoogleKeySecret for Google's client secret."
  value       = local.secret_arns
}
