internal import Bytes
internal import Cryptography
internal import EmulatorBase
internal import JSON

// The values of `Ref` and `Fn::GetAtt`. Names are predictable: a resource without an explicit name
// gets its logical ID.
extension TemplateEvaluator {
    func arn(_ service: String, _ resource: String) -> String {
        "arn:aws:\(service):\(settings.region):\(settings.accountID):\(resource)"
    }

    /// Ten characters, derived from the API and the stack.
    func apiID(_ logicalID: String) -> String {
        let symbols = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        let hash = SHA256.hash(utf8: "\(settings.stackName)/\(logicalID)").prefix(10)
        let text = hash.enumerated().map { index, byte in
            symbols[Int(byte) % (index == 0 ? 26 : symbols.count)]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The texts with the addresses of the template's HTTP APIs replaced by the emulator's, which
    /// serves them all: functions then get the address at which they can be reached.
    func reachable(
        _ variables: [(name: String, value: String)]
    ) -> [(name: String, value: String)] {
        let addresses = resources.members.filter { resource in
            let type = resource.value["Type"]?.stringValue ?? ""
            return ["AWS::Serverless::HttpApi", "AWS::ApiGatewayV2::Api"].containsText(type)
        }.map { "https://\(apiID($0.name)).execute-api.\(settings.region).amazonaws.com" }
        guard !addresses.isEmpty else { return variables }
        return variables.map { name, value in
            (name, addresses.reduce(value) { $0.replacing($1, with: settings.issuerURL) })
        }
    }

    func physicalID(of logicalID: String, at path: String) throws(TemplateFailure) -> String {
        guard let resource = try resource(logicalID, at: path) else {
            return try impliedID(of: logicalID, at: path)
        }
        switch resource.type {
        case "AWS::Serverless::Function", "AWS::Lambda::Function":
            return try name("FunctionName", of: resource)
        case "AWS::Serverless::HttpApi", "AWS::Serverless::Api", "AWS::ApiGatewayV2::Api",
            "AWS::ApiGateway::RestApi":
            return apiID(logicalID)
        case "AWS::DynamoDB::Table", "AWS::Serverless::SimpleTable":
            return try name("TableName", of: resource)
        case "AWS::S3::Bucket":
            return try name("BucketName", of: resource).asciiLowercased
        case "AWS::IAM::Role": return try name("RoleName", of: resource)
        case "AWS::IAM::ManagedPolicy":
            return "arn:aws:iam::\(settings.accountID):policy/"
                + (try name("ManagedPolicyName", of: resource))
        case "AWS::SecretsManager::Secret":
            return arn("secretsmanager", "secret:\(try name("Name", of: resource))-AbCdEf")
        case "AWS::SSM::Parameter": return try name("Name", of: resource)
        case "AWS::Logs::LogGroup": return try name("LogGroupName", of: resource)
        case "AWS::SQS::Queue":
            return "https://sqs.\(settings.region).amazonaws.com/\(settings.accountID)/"
                + (try name("QueueName", of: resource))
        case "AWS::SNS::Topic": return arn("sns", try name("TopicName", of: resource))
        default: return id(ofType: resource.type, logicalID)
        }
    }

    func attribute(
        _ attribute: String, of logicalID: String, at path: String
    ) throws(TemplateFailure) -> String {
        guard let resource = try resource(logicalID, at: path) else {
            return try impliedAttribute(attribute, of: logicalID, at: path)
        }
        let id = try physicalID(of: logicalID, at: path)
        switch (resource.type, attribute) {
        case ("AWS::Serverless::Function", "Arn"), ("AWS::Lambda::Function", "Arn"):
            return arn("lambda", "function:\(id)")
        case ("AWS::DynamoDB::Table", "Arn"), ("AWS::Serverless::SimpleTable", "Arn"):
            return arn("dynamodb", "table/\(id)")
        case ("AWS::DynamoDB::Table", "StreamArn"):
            return arn("dynamodb", "table/\(id)/stream/2020-01-01T00:00:00.000")
        case ("AWS::S3::Bucket", "Arn"): return "arn:aws:s3:::\(id)"
        case ("AWS::S3::Bucket", "DomainName"): return "\(id).s3.amazonaws.com"
        case ("AWS::S3::Bucket", "RegionalDomainName"):
            return "\(id).s3.\(settings.region).amazonaws.com"
        case ("AWS::IAM::Role", "Arn"): return "arn:aws:iam::\(settings.accountID):role/\(id)"
        case ("AWS::IAM::Role", "RoleId"): return roleID(id)
        case ("AWS::IAM::ManagedPolicy", "PolicyArn"), ("AWS::SecretsManager::Secret", "Id"):
            return id
        case ("AWS::Logs::LogGroup", "Arn"): return arn("logs", "log-group:\(id):*")
        case ("AWS::Serverless::HttpApi", "ApiId"), ("AWS::Serverless::Api", "RestApiId"),
            ("AWS::ApiGatewayV2::Api", "ApiId"):
            return id
        case ("AWS::Serverless::HttpApi", "ApiEndpoint"), ("AWS::ApiGatewayV2::Api", "ApiEndpoint"):
            return "https://\(id).execute-api.\(settings.region).amazonaws.com"
        case ("AWS::Serverless::Api", "RootResourceId"): return apiID("\(logicalID)/")
        case ("AWS::SQS::Queue", "Arn"): return arn("sqs", try name("QueueName", of: resource))
        case ("AWS::SQS::Queue", "QueueName"): return try name("QueueName", of: resource)
        case ("AWS::SNS::Topic", "TopicArn"): return id
        default:
            guard !Self.knownTypes.containsText(resource.type) else {
                throw TemplateFailure(path, .unknownAttribute("\(logicalID).\(attribute)"))
            }
            return arnAttribute(attribute, ofType: resource.type, logicalID)
                ?? "\(logicalID).\(attribute)"
        }
    }

    func roleID(_ roleName: String) -> String {
        "AROA" + apiID(roleName).asciiUppercased + "EMULAT"
    }

    // The types with attributes that are all supported.
    private static let knownTypes = [
        "AWS::Serverless::Function", "AWS::Lambda::Function", "AWS::DynamoDB::Table",
        "AWS::Serverless::SimpleTable", "AWS::S3::Bucket", "AWS::IAM::Role",
        "AWS::IAM::ManagedPolicy", "AWS::SecretsManager::Secret", "AWS::Logs::LogGroup",
        "AWS::Serverless::HttpApi", "AWS::Serverless::Api", "AWS::ApiGatewayV2::Api",
    ]
}

// Resources that SAM generates from others.
extension TemplateEvaluator {
    static let impliedHTTPAPI = "ServerlessHttpApi"
    static let impliedRESTAPI = "ServerlessRestApi"

    /// The role that SAM creates for a function. Functions of two stacks may have the same logical
    /// ID; their roles are never the same.
    func impliedRole(of function: String) -> String {
        settings.earlier.isEmpty ? "\(function)Role" : "\(settings.stackName)-\(function)Role"
    }

    func roleARN(_ name: String) -> String { "arn:aws:iam::\(settings.accountID):role/\(name)" }

    private func impliedID(of name: String, at path: String) throws(TemplateFailure) -> String {
        if name.isSame(as: Self.impliedHTTPAPI) || name.isSame(as: Self.impliedRESTAPI) {
            return apiID(name)
        }
        if let function = try function(named: name, without: "Role") {
            return impliedRole(of: function)
        }
        if let function = try function(named: name, without: "Url") {
            return arn("lambda", "function:\(try physicalID(of: function, at: path))")
        }
        if isGenerated(name) { return name }
        throw TemplateFailure(path, .unknownReference(name))
    }

    private func impliedAttribute(
        _ attribute: String, of name: String, at path: String
    ) throws(TemplateFailure) -> String {
        if attribute.isSame(as: "FunctionUrl"),
            let function = try function(named: name, without: "Url")
        {
            let id = try physicalID(of: function, at: path)
            return "\(settings.baseURL)\(FunctionURLPath.prefix)\(id)/"
        }
        let id = try impliedID(of: name, at: path)
        if attribute.isSame(as: "Arn"), name.has(suffix: "Role") {
            return "arn:aws:iam::\(settings.accountID):role/\(id)"
        }
        if isGenerated(name) { return "\(name).\(attribute)" }
        throw TemplateFailure(path, .unknownAttribute("\(name).\(attribute)"))
    }

    private func function(
        named name: String, without suffix: String
    ) throws(TemplateFailure) -> String? {
        guard name.has(suffix: suffix) else { return nil }
        let function = String(Substring(name.utf8.dropLast(suffix.utf8.count)))
        guard let type = resources[function]?["Type"]?.stringValue,
            type.isSame(as: "AWS::Serverless::Function")
                || type.isSame(as: "AWS::Serverless::StateMachine")
        else { return nil }
        return function
    }
}

// Reads the properties of a resource that determine its name.
extension TemplateEvaluator {
    private struct TemplateResource {
        let logicalID: String
        let type: String
        let properties: JSONObject
    }

    /// nil if there is no such resource, or its condition is false.
    private func resource(
        _ logicalID: String, at path: String
    ) throws(TemplateFailure) -> TemplateResource? {
        guard let object = resources[logicalID]?.objectValue,
            let type = object["Type"]?.stringValue
        else { return nil }
        if let name = object["Condition"]?.stringValue,
            try !condition(name, at: "Resources.\(logicalID).Condition")
        {
            throw TemplateFailure(path, .unknownReference("\(logicalID) (omitted by \(name))"))
        }
        return TemplateResource(
            logicalID: logicalID, type: type,
            properties: object["Properties"]?.objectValue ?? [:])
    }

    private func name(
        _ property: String, of resource: TemplateResource
    ) throws(TemplateFailure) -> String {
        guard let value = resource.properties[property] else { return resource.logicalID }
        let path = "Resources.\(resource.logicalID).Properties.\(property)"
        guard let text = try resolve(value, at: path)?.scalarText, !text.isEmpty else {
            return resource.logicalID
        }
        return text
    }
}
