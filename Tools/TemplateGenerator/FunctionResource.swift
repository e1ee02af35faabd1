import AuthDomain
import AuthOperations
import Contracts
import JSON

/// One function of a template.
struct FunctionResource {
    let folder: FunctionFolder
    let endpoints: [Endpoint]
    let permissions: Permissions
    /// The names of the parameters and resources in the contract's template.
    let sources: Set<String>
    /// Whether the function's policies belong to a separate role.
    let hasRole: Bool

    var json: JSON {
        var properties: JSONObject = [
            "Description": .string(folder.description),
            "CodeUri": .string("../../.build/lambda/\(folder.executable)/"),
        ]
        var needs = endpoints.reduce(into: ServiceNeeds()) { $0.formUnion($1.needs) }
        // The authorizer exists only if the contract has one for a resource.
        if sources.contains("AuthorizerResource"), folder.executable == "authorizer" {
            needs.insert(.oauth)
        }
        let variables = FunctionVariables.variables(
            for: needs, secrets: permissions.secrets(of: folder.executable), sources: sources)
        let sendsMail = variables["MAIL_URL"] != nil
        // These functions wait for other services: SES, the mail server, Apple, Google, or up to
        // three hooks.
        let verifiesTokens =
            !needs.isDisjoint(with: [.identityProviders, .identityProvidersIfAny])
        if sendsMail || verifiesTokens || needs.contains(.hooks) { properties["Timeout"] = 20 }
        if !variables.isEmpty {
            properties["Environment"] = ["Variables": .object(variables)]
        }
        if !hasRole {
            let extra =
                (sendsMail ? [Self.sendingMail] : [])
                + (variables["HOOKS"] != nil ? [Self.invokingHooks] : [])
            let policy = permissions.policy(of: folder.executable, extra)
            // IAM refuses a policy without statements.
            if policy["Statement"]?.arrayValue?.isEmpty == false {
                properties["Policies"] = [policy]
            }
        }
        let events = self.events
        if !events.isEmpty { properties["Events"] = .object(events) }
        return [
            "Type": "AWS::Serverless::Function", "Properties": .object(properties),
        ]
    }

    private static let sendingMail: JSON = [
        "Effect": "Allow", "Action": ["ses:SendEmail", "ses:SendRawEmail"],
        "Resource": [
            "Fn::Sub": "arn:${AWS::Partition}:ses:${AWS::Region}:${AWS::AccountId}:identity/*"
        ],
        "Condition": ["StringEquals": ["ses:FromAddress": ["Ref": "MailFrom"]]],
    ]

    private static let invokingHooks: JSON = [
        "Effect": "Allow", "Action": "lambda:InvokeFunction",
        "Resource": [
            "Fn::Sub":
                "arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:${HookFunctions}"
        ],
    ]

    /// One event for each route, named after its operation. The names of further routes of the same
    /// operation include the method, or for pages the end of the path.
    private var events: JSONObject {
        var events = JSONObject()
        for endpoint in endpoints {
            guard let route = endpoint.route else { continue }
            var name = endpoint.operation.name.capitalizedFirst
            if endpoint.isPage {
                name += route.path.split(separator: "/").last.map(String.init)?.camelCase ?? ""
            }
            if events[name] != nil { name += route.method.lowercased().capitalizedFirst }
            events[name] = [
                "Type": "HttpApi",
                "Properties": [
                    "ApiId": ["Ref": "Api"], "Method": .string(route.method),
                    "Path": .string(route.path), "PayloadFormatVersion": "2.0",
                ],
            ]
        }
        return events
    }
}

extension String {
    /// `magic-link` becomes `MagicLink`, and `{provider}` becomes `Provider`.
    fileprivate var camelCase: String {
        filter { $0 != "{" && $0 != "}" }.split(separator: "-").map { String($0).capitalizedFirst }
            .joined()
    }

    /// `signIn` is `SignIn`.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
