import Contracts
import JSON

/// The template of a contract with one function: `latchkey` behind the API's default route.
///
/// It is derived from the template with one function for each executable: their variables,
/// permissions and schedules are combined. The API is defined by separate resources, because SAM's
/// HttpApi refers to the function in its definition, and the function's environment, which refers
/// to the API, would make the references circular.
struct SingleTemplate {
    /// The template with one function for each executable.
    let whole: JSONObject
    let contract: Contract
    let permissions: Permissions
    let shared: JSONObject
    /// `Parts/single.json`, and `Parts/<contract>-single.json`: merge patches.
    let patches: [JSONObject]

    static let function = "LatchkeyFunction"
    private static let api = "Gateway"

    func document() throws -> JSON {
        var document = whole
        document["Description"] = .string(
            "Latchkey with the contract \(contract.name), as one function.")
        let all = whole["Resources"]?.objectValue ?? [:]
        var resources: JSONObject = [Self.function: try function(all)]
        for (name, value) in all.members
        where value["Type"] != "AWS::Serverless::Function" && !isRole(name, of: all) {
            if name == "Api" {
                for part in api(value).members { resources[part.name] = part.value }
            } else {
                resources[name] = value
            }
        }
        document["Resources"] = .object(resources)
        let renamed = Names(all).applied(to: .object(document))
        let patched = patches.reduce(renamed) { MergePatch.apply(.object($1), to: $0) }
        return Self.withOwnAPI(UnusedParts.removed(from: patched, sharedBy: shared))
    }

    /// The API's logical ID differs from the ID in the other template. With the same ID,
    /// CloudFormation would keep the API and its old routes, which lead to removed functions.
    private static func withOwnAPI(_ json: JSON) -> JSON {
        switch json {
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { name, value in
                        if name == "Ref", value == "Api" { return (name, .string(api)) }
                        return (name == "Api" ? api : name, withOwnAPI(value))
                    }))
        case .array(let items): .array(items.map(withOwnAPI))
        case .string(let text): .string(text.replacing("${Api}", with: "${\(api)}"))
        case .number, .bool, .null: json
        }
    }

    private func functions(_ resources: JSONObject) -> [(name: String, properties: JSON)] {
        resources.members.filter { $0.value["Type"] == "AWS::Serverless::Function" }
            .compactMap { name, value in value["Properties"].map { (name, $0) } }
    }

    /// Whether a resource is a role that functions refer to. SAM makes the role of the single
    /// function.
    private func isRole(_ name: String, of resources: JSONObject) -> Bool {
        functions(resources).contains {
            $0.properties["Role"] == ["Fn::GetAtt": [.string(name), "Arn"]]
        }
    }

    private func function(_ resources: JSONObject) throws -> JSON {
        var variables = JSONObject()
        var statements: [JSON] = []
        var events = JSONObject()
        var memory: Int64 = 0
        for (name, properties) in functions(resources) {
            let own = properties["Environment"]?["Variables"]?.objectValue ?? [:]
            for (variable, value) in own.members {
                guard variables[variable] == nil || variables[variable] == value else {
                    throw Failure("\(name) has another \(variable) than the functions before it")
                }
                variables[variable] = value
            }
            // The combined permissions already contain the statements about the table and secrets.
            let policy = properties["Policies"]?.arrayValue?.first
            for statement in policy?["Statement"]?.arrayValue ?? []
            where !statements.contains(statement) && !Permissions.grants(statement) {
                statements.append(statement)
            }
            for (event, value) in properties["Events"]?.objectValue?.members ?? []
            where value["Type"] == "ScheduleV2" {
                events[event] = value
            }
            memory = max(memory, properties["MemorySize"]?.int64Value ?? 0)
        }
        var properties: JSONObject = [
            "Description": "Serves every operation of the contract.",
            "CodeUri": "../../.build/lambda/latchkey/",
            // Housekeeping may take a minute, although the API gives up after 30 seconds.
            "Timeout": 60, "Environment": ["Variables": .object(variables)],
            "Policies": [permissions.union.policy(of: "latchkey", statements)],
        ]
        if memory > 0 { properties["MemorySize"] = .number(memory) }
        if !events.isEmpty { properties["Events"] = .object(events) }
        return ["Type": "AWS::Serverless::Function", "Properties": .object(properties)]
    }

    private func api(_ serverless: JSON) -> JSONObject {
        let given = serverless["Properties"]
        var properties: JSONObject = [
            "Name": ["Ref": "AWS::StackName"], "ProtocolType": "HTTP",
            "DisableExecuteApiEndpoint": given?["DisableExecuteApiEndpoint"] ?? false,
        ]
        properties["CorsConfiguration"] = given?["CorsConfiguration"]
        return [
            "Api": ["Type": "AWS::ApiGatewayV2::Api", "Properties": .object(properties)],
            "ApiStage": [
                "Type": "AWS::ApiGatewayV2::Stage",
                "Properties": [
                    "ApiId": ["Ref": "Api"], "StageName": "$default", "AutoDeploy": true,
                    "AccessLogSettings": given?["AccessLogSettings"] ?? .null,
                    "DefaultRouteSettings": given?["DefaultRouteSettings"] ?? .null,
                ],
            ],
            "ApiIntegration": [
                "Type": "AWS::ApiGatewayV2::Integration",
                "Properties": [
                    "ApiId": ["Ref": "Api"], "IntegrationType": "AWS_PROXY",
                    "IntegrationUri": ["Fn::GetAtt": [.string(Self.function), "Arn"]],
                    "PayloadFormatVersion": "2.0",
                ],
            ],
            "ApiRoute": [
                "Type": "AWS::ApiGatewayV2::Route",
                "Properties": [
                    "ApiId": ["Ref": "Api"], "RouteKey": "$default",
                    "Target": ["Fn::Sub": "integrations/${ApiIntegration}"],
                ],
            ],
            "ApiPermission": [
                "Type": "AWS::Lambda::Permission",
                "Properties": [
                    "Action": "lambda:InvokeFunction",
                    "FunctionName": ["Ref": .string(Self.function)],
                    "Principal": "apigateway.amazonaws.com",
                    "SourceArn": [
                        "Fn::Sub":
                            "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${Api}/*"
                    ],
                ],
            ],
        ]
    }
}

/// Replaces references to the functions and their roles by references to the single function.
private struct Names {
    private let functions: Set<String>
    private let roles: Set<String>

    init(_ resources: JSONObject) {
        let functions = resources.members.filter {
            $0.value["Type"] == "AWS::Serverless::Function"
        }
        self.functions = Set(functions.map(\.name))
        roles = Set(
            functions.map { name, value in
                value["Properties"]?["Role"]?["Fn::GetAtt"]?.arrayValue?.first?.stringValue
                    ?? "\(name)Role"
            })
    }

    func applied(to json: JSON) -> JSON {
        switch json {
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { name, value in
                        (name, name == "DashboardBody" ? widgets(value) : applied(to: value))
                    }))
        case .array(let items):
            // Metrics that differed only in their function are now duplicates, so they are removed.
            return .array(
                items.map(applied).reduce(into: []) { all, item in
                    if !all.contains(item) || item.objectValue == nil { all.append(item) }
                })
        case .string(let text): return .string(name(text))
        case .number, .bool, .null: return json
        }
    }

    private func name(_ text: String) -> String {
        if functions.contains(text) { return SingleTemplate.function }
        return roles.contains(text) ? "\(SingleTemplate.function)Role" : text
    }

    /// The widgets of a dashboard, whose body is JSON in a text, without duplicate metrics.
    private func widgets(_ body: JSON) -> JSON {
        guard var text = body["Fn::Sub"]?.stringValue else { return body }
        let one = "${\(SingleTemplate.function)}"
        for function in functions.sorted() { text = text.replacing("${\(function)}", with: one) }
        text = text.replacing(",[\"...\",\"\(one)\"]", with: "")
        for title in ["Sign-in and refresh", "Housekeeping"] {
            text = text.replacing("\"\(title)", with: "\"The function")
        }
        return ["Fn::Sub": .string(text)]
    }
}
