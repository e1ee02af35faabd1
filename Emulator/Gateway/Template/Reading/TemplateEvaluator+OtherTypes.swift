internal import Bytes
internal import EmulatorBase
internal import JSON

// Names of resources that the emulator does not have. References to them have the same form as on
// AWS, so that policies and settings can be read.
extension TemplateEvaluator {
    /// The types for which `Ref` is an ARN.
    private static let typesWithARN = [
        "AWS::Serverless::StateMachine", "AWS::StepFunctions::StateMachine",
        "AWS::StepFunctions::Activity", "AWS::CertificateManager::Certificate",
        "AWS::ElasticLoadBalancingV2::LoadBalancer", "AWS::ElasticLoadBalancingV2::TargetGroup",
        "AWS::ElasticLoadBalancingV2::Listener", "AWS::Batch::JobQueue",
        "AWS::Batch::JobDefinition", "AWS::Batch::ComputeEnvironment", "AWS::ECS::TaskDefinition",
        "AWS::ECS::Service", "AWS::AppSync::GraphQLApi", "AWS::Serverless::LayerVersion",
        "AWS::Lambda::LayerVersion", "AWS::Lambda::Alias", "AWS::Lambda::Version",
        "AWS::CloudFormation::Stack",
    ]

    /// Service names in ARNs where they are not the lower-case name in the type.
    private static let services = [
        "StepFunctions": "states", "KinesisFirehose": "firehose", "Cognito": "cognito-idp",
        "ElasticLoadBalancingV2": "elasticloadbalancing", "ApiGatewayV2": "apigateway",
        "CertificateManager": "acm", "OpenSearchService": "es",
    ]

    func id(ofType type: String, _ logicalID: String) -> String {
        Self.typesWithARN.containsText(type) ? arn(ofType: type, logicalID) : logicalID
    }

    /// Whether SAM generates a resource of that name from one that the emulator does not have.
    func isGenerated(_ name: String) -> Bool {
        resources.members.contains { owner, resource in
            guard name.has(prefix: owner), let type = resource["Type"]?.stringValue else {
                return false
            }
            return type.has(prefix: "AWS::Serverless::") && ResourceType(name: type) == nil
        }
    }

    /// nil for an attribute that is not an ARN.
    func arnAttribute(
        _ attribute: String, ofType type: String, _ logicalID: String
    ) -> String? {
        attribute.has(suffix: "Arn") ? arn(ofType: type, logicalID) : nil
    }

    /// `arn:aws:kinesis:us-east-1:123456789012:stream/Orders`
    private func arn(ofType type: String, _ logicalID: String) -> String {
        let parts = type.pieces(at: ":").filter { !$0.isEmpty }
        guard parts.count == 3 else { return arn("custom", logicalID) }
        let isStateMachine = parts[2].isSame(as: "StateMachine")
        let service = isStateMachine ? "states" : Self.services[parts[1]]
        let kind = parts[2].asciiLowercased
        let resource = isStateMachine ? "stateMachine:\(logicalID)" : "\(kind)/\(logicalID)"
        return arn(service ?? parts[1].asciiLowercased, resource)
    }
}

extension TemplateEvaluator {
    /// The type of the resource with this ID, unless it is a SAM API.
    func type(ofAPI id: String) -> String? {
        let found = resources.members.first { name, _ in
            name.isSame(as: id) || apiID(name).isSame(as: id)
        }
        guard let type = found?.value["Type"]?.stringValue, !type.has(prefix: "AWS::Serverless::")
        else { return nil }
        return type
    }
}

// The resources that SAM generates for APIs, and for functions with `AutoPublishAlias`.
extension TemplateEvaluator {
    func generated(_ name: String, at path: String) throws(TemplateFailure) -> String? {
        if let alias = try aliasARN(name, at: path) { return alias }
        return try stage(name, at: path)
    }

    /// `Api.Stage` and `ApiProdStage`, for the stage of an API; nil for any other name.
    private func stage(_ name: String, at path: String) throws(TemplateFailure) -> String? {
        for member in resources.members where name.has(prefix: member.name) {
            let type = member.value["Type"]
            guard type == "AWS::Serverless::Api" || type == "AWS::Serverless::HttpApi" else {
                continue
            }
            let given = member.value["Properties"]?["StageName"]
            let stage = try given.map { value throws(TemplateFailure) in
                try text(value, at: path)
            }
            let rest = name.dropping(prefix: member.name)
            let generated = "\(stage ?? "ApiGatewayDefault")Stage"
            if rest.isSame(as: ".Stage") || rest.isSame(as: generated) {
                return stage ?? API.defaultStage
            }
        }
        if name.isSame(as: "\(Self.impliedRESTAPI)ProdStage") { return "Prod" }
        return nil
    }

    /// `F.Alias`, `F.Version`, `FAliaslive`; nil for any other name.
    private func aliasARN(_ name: String, at path: String) throws(TemplateFailure) -> String? {
        let (function, kind) = name.halves(at: ".")
        if let kind, let alias = try alias(of: function, at: path) {
            let id = try physicalID(of: function, at: path)
            if kind.isSame(as: "Alias") { return arn("lambda", "function:\(id):\(alias)") }
            if kind.isSame(as: "Version") { return arn("lambda", "function:\(id):1") }
        }
        for member in resources.members where name.has(prefix: "\(member.name)Alias") {
            guard let alias = try alias(of: member.name, at: path),
                name.isSame(as: "\(member.name)Alias\(alias)")
            else { continue }
            let id = try physicalID(of: member.name, at: path)
            return arn("lambda", "function:\(id):\(alias)")
        }
        return nil
    }

    private func alias(of function: String, at path: String) throws(TemplateFailure) -> String? {
        guard let resource = resources[function], resource["Type"] == "AWS::Serverless::Function"
        else { return nil }
        guard let value = resource["Properties"]?["AutoPublishAlias"] ?? globalAlias else {
            return nil
        }
        return try text(value, at: path)
    }
}
