# No plan or apply of these files was ever run in an AWS account: read a plan before you apply it.
#
# Everything is read from the SAM template, so that the two ways to deploy cannot differ.

locals {
  template  = jsondecode(file("${path.module}/../../Functions/Templates/${var.contract}.json"))
  resources = local.template.Resources
  globals   = local.template.Globals.Function

  properties = { for id, resource in local.resources : id => resource.Properties }

  known_types = [
    "AWS::ApiGatewayV2::ApiMapping", "AWS::ApiGatewayV2::DomainName", "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard", "AWS::DynamoDB::Table", "AWS::IAM::Policy", "AWS::IAM::Role",
    "AWS::Logs::LogGroup", "AWS::S3::Bucket", "AWS::SecretsManager::Secret",
    "AWS::Serverless::Function", "AWS::Serverless::HttpApi",
  ]
  unknown_types = setsubtract([for resource in local.resources : resource.Type], local.known_types)

  # Logical IDs by type. They are known during planning, as for_each requires.
  ids = {
    for type in local.known_types :
    type => toset([for id, resource in local.resources : id if resource.Type == type])
  }
  functions  = local.ids["AWS::Serverless::Function"]
  tables     = local.ids["AWS::DynamoDB::Table"]
  buckets    = local.ids["AWS::S3::Bucket"]
  secrets    = local.ids["AWS::SecretsManager::Secret"]
  log_groups = local.ids["AWS::Logs::LogGroup"]
  apis       = local.ids["AWS::Serverless::HttpApi"]
  policies   = local.ids["AWS::IAM::Policy"]
  roles      = local.ids["AWS::IAM::Role"]
  principals = {
    for id in local.roles :
    id => local.properties[id].AssumeRolePolicyDocument.Statement[0].Principal
  }
  # Lambda assumes these; they depend on no other role.
  function_roles = toset([
    for id, principal in local.principals : id
    if jsonencode(principal) == jsonencode({ Service = "lambda.amazonaws.com" })
  ])
  # SAM creates a role for each function that does not name one.
  made_roles = toset([for id in local.functions : "${id}Role" if !can(local.properties[id].Role)])

  # The executable is the last folder of CodeUri.
  executables = {
    for id in local.functions : id => basename(trimsuffix(local.properties[id].CodeUri, "/"))
  }
  function_names = {
    for id in local.functions : id => try(local.properties[id].FunctionName, "${var.name}-${id}")
  }
  function_variables = {
    for id in local.functions : id => merge(
      local.globals.Environment.Variables, try(local.properties[id].Environment.Variables, {})
    )
  }

  # The APIs with a domain of their own.
  domains = try(local.conditions.HasDomain, false) ? local.apis : toset([])

  parameters = merge(
    {
      for name, parameter in local.template.Parameters : name => tostring(parameter.Default)
      if can(parameter.Default)
    },
    var.parameters,
  )
  allowed_origins = try(local.parameters.AllowedOrigins, "")
  secret_names    = nonsensitive(keys(var.secret_parameters))
  unknown_parameters = setsubtract(
    concat(keys(var.parameters), local.secret_names), keys(local.template.Parameters)
  )
  missing_parameters = setsubtract(
    keys(local.template.Parameters), concat(keys(local.parameters), local.secret_names)
  )
  present_parameters = {
    for name, parameter in local.template.Parameters :
    name => merge(parameter, { value = local.parameters[name] }) if can(local.parameters[name])
  }
  malformed_parameters = [
    for name, parameter in local.present_parameters : name
    if can(parameter.AllowedPattern) && !can(regex(parameter.AllowedPattern, parameter.value))
    || !contains(try(parameter.AllowedValues, [parameter.value]), parameter.value)
    || parameter.Type == "Number" && !can(tonumber(parameter.value))
  ]
}

# {"Ref": …}, {"Fn::GetAtt": …} and {"Fn::Sub": …}, as jsonencode writes them.
locals {
  intrinsic = join("|", [
    "\\{\"(?:Ref|Fn::Sub)\":\"(?:[^\"\\\\]|\\\\.)*\"\\}", "\\{\"Fn::GetAtt\":\\[[^\\]]*\\]\\}",
  ])

  # Everything except the API's domain, whose references are resolved in api.tf.
  described = jsonencode([local.globals, {
    for id, resource in local.resources :
    id => resource if !startswith(resource.Type, "AWS::ApiGatewayV2::")
  }])

  # "${Bucket.Arn}" in a Fn::Sub, and "${!text}", which is a literal.
  placeholder = "\\$\\{[^}\"]*\\}"
  placeholders = {
    for text in distinct(regexall(local.placeholder, local.described)) :
    text => try(local.values[substr(text, 2, length(text) - 3)], replace(text, "!", ""))
  }

  # Each reference in the template, with the JSON of its value.
  intrinsics = {
    for text in distinct(regexall(local.intrinsic, local.described)) :
    text => jsonencode(try(
      local.values[jsondecode(text).Ref],
      local.values[join(".", jsondecode(text)["Fn::GetAtt"])],
      join("", [
        for part in regexall("${local.placeholder}|[^$]+|\\$", jsondecode(text)["Fn::Sub"]) :
        lookup(local.placeholders, part, part)
      ]),
    ))
  }
  pieces = "${local.intrinsic}|[^{]+|\\{"

  # Policies of a function's own role, as one document.
  function_policies = {
    for id in local.functions : "${id}Role.Own" => {
      role = "${id}Role"
      document = {
        Version   = "2012-10-17"
        Statement = flatten([for policy in local.properties[id].Policies : policy.Statement])
      }
    } if can(local.properties[id].Policies)
  }
  role_policies = merge([
    for id in local.roles : {
      for policy in try(local.properties[id].Policies, []) :
      "${id}.${policy.PolicyName}" => { role = id, document = policy.PolicyDocument }
    }
  ]...)
  # One policy of the template can belong to several roles.
  attached_policies = merge([
    for id in local.policies : {
      for role in local.properties[id].Roles :
      "${role.Ref}.${id}" => { role = role.Ref, document = local.properties[id].PolicyDocument }
    }
  ]...)
  documents = {
    for key, policy in merge(
      local.function_policies, local.role_policies, local.attached_policies,
      ) : key => {
      role = policy.role
      json = join("", [
        for part in regexall(local.pieces, jsonencode(policy.document)) :
        lookup(local.intrinsics, part, part)
      ])
    }
  }
  trusts = {
    for id in local.roles : id => join("", [
      for part in regexall(
        local.pieces, jsonencode(local.properties[id].AssumeRolePolicyDocument)
      ) : lookup(local.intrinsics, part, part)
    ])
  }

  # Secret parameters are not in `intrinsics`, from which policies are built.
  variables = {
    for id in local.functions : id => {
      for name, value in local.function_variables[id] :
      name => try(value["Fn::If"][local.conditions[value["Fn::If"][0]] ? 1 : 2], value)
    }
  }
  environments = {
    for id in local.functions : id => {
      for name, value in local.variables[id] :
      name => try(
        var.secret_parameters[value.Ref],
      tostring(jsondecode(local.intrinsics[jsonencode(value)])), tostring(value))
    }
  }

  routes = merge(concat([{}], [
    for id in local.functions : {
      for event in try(local.properties[id].Events, {}) :
      # A route without a path is the default route.
      try("${event.Properties.Method} ${event.Properties.Path}", "$default") => {
        function   = id
        api        = event.Properties.ApiId.Ref
        payload    = event.Properties.PayloadFormatVersion
        authorizer = try(event.Properties.Auth.Authorizer, "")
      } if event.Type == "HttpApi"
    }
  ])...)
  schedules = merge(concat([{}], [
    for id in local.functions : {
      for name, event in try(local.properties[id].Events, {}) :
      "${id}${name}" => { function = id, expression = event.Properties.ScheduleExpression }
      if event.Type == "ScheduleV2"
    }
  ])...)
  authorizers = merge(concat([{}], [
    for id in local.apis : {
      for name, authorizer in try(local.properties[id].Auth.Authorizers, {}) :
      name => {
        api      = id
        function = authorizer.FunctionArn["Fn::GetAtt"][0]
        settings = authorizer
      }
    }
  ])...)
}
