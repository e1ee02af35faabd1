import AuthTestSupport
import Contracts
import TestSupport

/// Security properties of the templates.
@Suite("Template safety") struct TemplateSafetyTests {
    @Test(arguments: Template.names)
    func `no policy has a wildcard for an action, a resource or a principal`(name: String) throws {
        for statement in try statements(of: Template(named: name)) {
            let actions = statement["Action"]?.texts ?? []
            #expect(!actions.isEmpty)
            #expect(!actions.contains { $0.contains("*") })
            #expect(statement["Resource"]?.stringValue != "*")
            #expect(statement["NotAction"] == nil && statement["NotResource"] == nil)
            expectEqual(statement["Principal"]?.stringValue, nil)
            expectEqual(statement["Principal"]?["AWS"]?.stringValue, nil)
        }
    }

    /// The gateway's own 429 has neither `Retry-After` nor the contract's form.
    @Test(arguments: Template.names)
    func `one client reaches the functions' limits before the gateway's`(name: String) throws {
        let template = try Template(named: name)
        let contract = try #require(Contract.named(name))
        let most = contract.policy.limits.filter { $0.subject == .address }.map(\.requestsMax).max()
        for api in template.resources.map(\.value["Properties"]) {
            guard let settings = api?["DefaultRouteSettings"] else { continue }
            let burst = try #require(settings["ThrottlingBurstLimit"]?.int64Value)
            #expect(burst > most ?? 0)
        }
    }

    private static func hasStorage(_ name: String) -> Bool {
        Contract.named(name)?.endpoints.contains { $0.needs.contains(.storage) } == true
    }

    @Test(arguments: Template.names.filter(hasStorage))
    func `the storage role restricts each session to the prefix in its tag`(name: String) throws {
        let template = try Template(named: name)
        let role = try #require(template.resources.first { $0.name == "StorageRole" }).value
        let trust = try #require(
            role["Properties"]?["AssumeRolePolicyDocument"]?["Statement"]?.arrayValue)
        try #require(trust.count == 1)
        expectEqual(trust[0]["Action"]?.texts, ["sts:AssumeRole", "sts:TagSession"])
        expectEqual(trust[0]["Condition"]?["StringLike"]?["aws:RequestTag/uid"], "?*")
        let policies = try #require(role["Properties"]?["Policies"]?.arrayValue)
        for statement in policies.flatMap({ JSON.array([$0]).objects }) {
            guard let action = statement["Action"]?.texts else { continue }
            // A session that copies the objects of a merged account has a second tag.
            let source = "users/${aws:PrincipalTag/source}/*"
            if action == ["s3:ListBucket"] {
                let prefix = statement["Condition"]?["StringLike"]?["s3:prefix"]?.stringValue
                #expect(prefix == "users/${aws:PrincipalTag/uid}/*" || prefix == source)
            } else if action == ["s3:GetObject"] {
                expectEqual(
                    statement["Resource"],
                    ["Fn::Sub": "${Bucket.Arn}/users/${!aws:PrincipalTag/source}/*"])
            } else if action == ["s3:ListBucketMultipartUploads"] {
                // No condition can limit it to a prefix: the policies of users lack it.
                expectEqual(statement["Resource"], ["Fn::GetAtt": ["Bucket", "Arn"]])
            } else {
                expectEqual(
                    statement["Resource"],
                    ["Fn::Sub": "${Bucket.Arn}/users/${!aws:PrincipalTag/uid}/*"])
            }
        }
        // Credentials are issued and objects erased below the same prefix.
        let functions = template.functions.filter { $0.environment["STORAGE_BUCKET"] != nil }
        let contract = try #require(Contract.named(name))
        let users = contract.endpoints.filter {
            !$0.needs.isDisjoint(with: [.storage, .erasure, .moving])
        }
        expectEqual(Set(functions.compactMap(\.executable)), Set(users.map(\.operation.function)))
        for function in functions {
            expectEqual(function.environment["STORAGE_PREFIX"], "users/{userId}/")
            expectEqual(
                function.environment["STORAGE_ROLE_ARN"], ["Fn::GetAtt": ["StorageRole", "Arn"]])
        }
    }

    @Test(arguments: Template.names)
    func `only functions that issue storage credentials or erase storage may assume a role`(
        name: String
    )
        throws
    {
        let template = try Template(named: name)
        let holders = template.resources.filter { resource in
            // A trust policy defines who may assume the role, which is not checked here.
            let properties = resource.value["Properties"].map { properties in
                JSON.object(
                    JSONObject(
                        properties.members.filter { $0.name != "AssumeRolePolicyDocument" }
                            .map { ($0.name, $0.value) }))
            }
            return properties?.objects.contains {
                $0["Action"]?.texts.contains("sts:AssumeRole") == true
            } == true
        }
        expectEqual(holders.map(\.name), Self.hasStorage(name) ? ["AssumeStorageRole"] : [])
    }

    private static let served = Template.names.filter { (try? Template(named: $0))?.hasAPI == true }

    @Test func `only photolala has no API`() {
        expectEqual(Set(Template.names).subtracting(Self.served), ["photolala"])
    }

    @Test(arguments: served)
    func `the access log contains no path, query or header`(name: String) throws {
        let api = try #require(
            try Template(named: name).resources(ofType: "AWS::Serverless::HttpApi").first)
        let format = try #require(api["Properties"]?["AccessLogSettings"]?["Format"]?.stringValue)
        let logged = Set(format.matches(of: /\$context\.([A-Za-z.]+)/).map { String($0.1) })
        #expect(!logged.isEmpty)
        #expect(
            logged.isSubset(of: [
                "requestId", "requestTime", "routeKey", "status", "responseLatency",
                "integrationStatus", "authorizer.error",
            ]))
        expectEqual(format.matches(of: /\$/).count, format.matches(of: /\$context\./).count)
        let throttle = api["Properties"]?["DefaultRouteSettings"]
        #expect(throttle?["ThrottlingRateLimit"]?.int64Value != nil)
        #expect(throttle?["ThrottlingBurstLimit"]?.int64Value != nil)
    }

    /// A forwarding header is only trustworthy if the proxy cannot be bypassed.
    @Test(arguments: served)
    func `proxies are only trusted if the default endpoint is disabled`(name: String) throws {
        let template = try Template(named: name)
        let api = try #require(template.resources(ofType: "AWS::Serverless::HttpApi").first)
        expectEqual(
            api["Properties"]?["DisableExecuteApiEndpoint"], ["Ref": "DisableDefaultEndpoint"])
        for function in template.functions {
            expectEqual(function.environment["TRUSTED_HOPS"], ["Ref": "TrustedHops"])
        }
        let parameters = template.json["Parameters"]
        expectEqual(parameters?["TrustedHops"]?["Default"], 0)
        expectEqual(parameters?["DisableDefaultEndpoint"]?["Default"], "false")
        for (one, other) in [
            ("TrustedHops", "DisableDefaultEndpoint"), ("DisableDefaultEndpoint", "TrustedHops"),
        ] {
            let description = parameters?[one]?["Description"]?.stringValue ?? ""
            #expect(description.contains(other), "\(one)")
        }
        expectEqual(
            template.json["Rules"]?["TrustedHopsNeedClosedEndpoint"]?["RuleCondition"],
            ["Fn::Not": [["Fn::Equals": [["Ref": "TrustedHops"], "0"]]]])
        expectEqual(
            template.json["Rules"]?["TrustedHopsNeedClosedEndpoint"]?["Assertions"]?
                .arrayValue?.first?["Assert"],
            ["Fn::Equals": [["Ref": "DisableDefaultEndpoint"], "true"]])
    }

    /// A sign-out takes effect at once only if authorizer results are not cached.
    @Test(arguments: served)
    func `authorizer results are not cached`(name: String) throws {
        let template = try Template(named: name)
        let api = try #require(template.resources(ofType: "AWS::Serverless::HttpApi").first)
        let authorizers = api["Properties"]?["Auth"]?["Authorizers"]?.members ?? []
        let functions = template.functions.filter { $0.executable == "authorizer" }
        expectEqual(authorizers.count, functions.count)
        for (authorizer, function) in zip(authorizers.map(\.value), functions) {
            expectEqual(authorizer["Identity"]?["ReauthorizeEvery"]?.int64Value, 0)
            expectEqual(
                authorizer["FunctionArn"], ["Fn::GetAtt": [.string(function.logicalName), "Arn"]])
        }
    }

    @Test(arguments: Template.names)
    func `irreplaceable resources are retained, and logs expire`(name: String) throws {
        let template = try Template(named: name)
        for type in [
            "AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::S3::Bucket",
        ] {
            for resource in template.resources(ofType: type) {
                expectEqual(resource["DeletionPolicy"]?.stringValue, "Retain")
                expectEqual(resource["UpdateReplacePolicy"]?.stringValue, "Retain")
            }
        }
        let logs = template.resources(ofType: "AWS::Logs::LogGroup")
        #expect(!logs.isEmpty)
        for log in logs { #expect(log["Properties"]?["RetentionInDays"]?.int64Value != nil) }
        for bucket in template.resources(ofType: "AWS::S3::Bucket") {
            let block = bucket["Properties"]?["PublicAccessBlockConfiguration"]?.members ?? []
            expectEqual(block.count, 4)
            #expect(block.allSatisfy { $0.value == true })
        }
    }

    private func statements(of template: Template) -> [JSONObject] {
        template.objects.filter { $0["Effect"] != nil }
    }
}
