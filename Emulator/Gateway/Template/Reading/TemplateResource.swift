internal import Bytes
internal import EmulatorBase
internal import JSON

/// The supported resource types.
enum ResourceType: String, CaseIterable {
    case httpAPI = "AWS::Serverless::HttpApi"
    case restAPI = "AWS::Serverless::Api"
    case plainAPI = "AWS::ApiGatewayV2::Api"
    case stage = "AWS::ApiGatewayV2::Stage"
    case integration = "AWS::ApiGatewayV2::Integration"
    case route = "AWS::ApiGatewayV2::Route"
    case function = "AWS::Serverless::Function"
    case plainFunction = "AWS::Lambda::Function"
    case table = "AWS::DynamoDB::Table"
    case simpleTable = "AWS::Serverless::SimpleTable"
    case bucket = "AWS::S3::Bucket"
    case bucketPolicy = "AWS::S3::BucketPolicy"
    case role = "AWS::IAM::Role"
    case managedPolicy = "AWS::IAM::ManagedPolicy"
    case attachedPolicy = "AWS::IAM::Policy"
    case secret = "AWS::SecretsManager::Secret"
    case setting = "AWS::SSM::Parameter"

    init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.isSame(as: name) }) else {
            return nil
        }
        self = known
    }

    static let phases = 0...2

    /// APIs come before functions and stages, integrations before the routes to them, and roles
    /// before the policies attached to them.
    var phase: Int {
        switch self {
        case .httpAPI, .restAPI, .plainAPI: 0
        case .table, .simpleTable, .bucket, .role, .secret, .setting: 0
        case .function, .plainFunction, .bucketPolicy, .managedPolicy, .stage, .integration: 1
        case .attachedPolicy, .route: 2
        }
    }
}

/// One resolved resource.
struct TemplateResource {
    let logicalID: String
    let type: String
    let properties: TemplateSection

    var path: String { "Resources.\(logicalID)" }
}

extension TemplateReader {
    func read(_ resource: TemplateResource, as type: ResourceType) throws(TemplateFailure) {
        switch type {
        case .httpAPI: try readHTTPAPI(resource)
        case .restAPI: try readRESTAPI(resource)
        case .plainAPI: try readPlainAPI(resource)
        case .stage: try readStage(resource)
        case .integration: try readIntegration(resource)
        case .route: try readRoute(resource)
        case .table: try readTable(resource)
        case .simpleTable: try readSimpleTable(resource)
        case .bucket: try readBucket(resource)
        case .role: try readRole(resource)
        case .managedPolicy: try readManagedPolicy(resource)
        case .secret: try readSecret(resource)
        case .setting: try readSetting(resource)
        case .function, .plainFunction: try readFunction(resource)
        case .bucketPolicy: try readBucketPolicy(resource)
        case .attachedPolicy: try readAttachedPolicy(resource)
        }
    }

    /// The resources with a true condition, resolved and merged with the globals.
    func present(_ declared: JSONObject) throws(TemplateFailure) -> [TemplateResource] {
        var resources: [TemplateResource] = []
        for member in declared.members {
            let path = "Resources.\(member.name)"
            // `Fn::ForEach::Name`, and `Fn::Transform` for a file of resources.
            guard !member.name.has(prefix: "Fn::") else {
                log.warn(path, "this is not supported; the resources that it generates are omitted")
                continue
            }
            guard let object = member.value.objectValue else {
                throw TemplateFailure(path, .wrongType(expected: "an object"))
            }
            let envelope = TemplateSection(object, at: path, log: log)
            envelope.ignore(
                "Description", "DeletionPolicy", "UpdateReplacePolicy", "DependsOn", "Metadata",
                "Properties", "CreationPolicy", "UpdatePolicy", "Connectors")
            let type = try envelope.requiredText("Type")
            if let name = try envelope.text("Condition"),
                try !evaluator.condition(name, at: "\(path).Condition")
            {
                continue
            }
            envelope.finish()
            // Resources that are not read are not resolved: they may refer to values that the
            // emulator does not know.
            guard ResourceType(name: type) != nil else {
                let properties = TemplateSection([:], at: "\(path).Properties", log: log)
                resources.append(
                    TemplateResource(logicalID: member.name, type: type, properties: properties))
                continue
            }
            let resolved = try evaluator.resolve(
                object["Properties"] ?? [:], at: "\(path).Properties")
            guard let properties = (resolved ?? [:]).objectValue else {
                throw TemplateFailure("\(path).Properties", .wrongType(expected: "an object"))
            }
            resources.append(
                TemplateResource(
                    logicalID: member.name, type: type,
                    properties: TemplateSection(
                        merged(properties, type: type), at: "\(path).Properties", log: log)))
        }
        return resources
    }

    func merged(_ properties: JSONObject, type: String) -> JSONObject {
        let section: String
        switch type {
        case "AWS::Serverless::Function": section = "Function"
        case "AWS::Serverless::HttpApi": section = "HttpApi"
        case "AWS::Serverless::Api": section = "Api"
        case "AWS::Serverless::SimpleTable": section = "SimpleTable"
        default: return properties
        }
        guard let base = globals[section]?.objectValue else { return properties }
        return Self.merge(base, properties)
    }

    /// SAM's merge rules: objects are merged, lists are concatenated, the resource's scalars win.
    private static func merge(_ base: JSONObject, _ own: JSONObject) -> JSONObject {
        var merged = base
        for (name, value) in own.members {
            switch (merged[name], value) {
            case (.object(let left)?, .object(let right)):
                merged[name] = .object(merge(left, right))
            case (.array(let left)?, .array(let right)): merged[name] = .array(left + right)
            default: merged[name] = value
            }
        }
        return merged
    }
}
