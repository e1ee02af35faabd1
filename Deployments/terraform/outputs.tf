output "api_url" {
  description = "The API's own address: the value of the parameter Issuer, unless you use your own domain."
  value       = { for id in local.apis : id => aws_apigatewayv2_api.api[id].api_endpoint }
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
  description = "Put Apple's .p8 key into AppleKeySecret."
  value       = local.secret_arns
}
