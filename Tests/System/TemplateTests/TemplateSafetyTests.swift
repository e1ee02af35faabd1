import Contracts
import JSON
import Testing

/// What a template must not give away.
@Suite("Template safety") struct TemplateSafetyTests {
    @Test(arguments: Template.names)
    func `no policy has a wildcard for an action, a resource or a principal`(name: String) throws {
        for statement in try statements(of: Template(named: name)) {
            let actions = statement["Action"]?.texts ?? []
            #expect(!actions.isEmpty)
            #expect(!actions.contains { $0.contains("*") })
            #expect(statement["Resource"]?.stringValue != "*")
            #expect(statement["NotAction"] == nil && statement["NotResource"] == nil)
            #expect(statement["Principal"]?.stringValue == nil)
            #expect(statement["Principal"]?["AWS"]?.stringValue == nil)
        }
    }

    @Test(arguments: ["latchkey", "photolala"])
    func `the storage role confines each session to the prefix of its tag`(name: String) throws {
        let template = try Template(named: name)
        let role = try #require(template.resources.first { $0.name == "StorageRole" }).value
        let trust = try #require(
            role["Properties"]?["AssumeRolePolicyDocument"]?["Statement"]?.arrayValue)
        try #require(trust.count == 1)
        #expect(trust[0]["Action"]?.texts == ["sts:AssumeRole", "sts:TagSession"])
        #expect(trust[0]["Condition"]?["StringLike"]?["aws:RequestTag/uid"] == "?*")
        let policies = try #require(role["Properties"]?["Policies"]?.arrayValue)
        for statement in policies.flatMap({ JSON.array([$0]).objects }) {
            guard let action = statement["Action"]?.texts else { continue }
            if action == ["s3:ListBucket"] {
                #expect(
                    statement["Condition"]?["StringLike"]?["s3:prefix"]
                        == "users/${aws:PrincipalTag/uid}/*")
            } else {
                #expect(
                    statement["Resource"]
                        == ["Fn::Sub": "${Bucket.Arn}/users/${!aws:PrincipalTag/uid}/*"])
            }
        }
        let function = try #require(
            template.functions.first { $0.environment["STORAGE_PREFIX"] != nil })
        #expect(function.environment["STORAGE_PREFIX"] == "users/{userId}/")
    }

    @Test(arguments: Template.names)
    func `only who hands out credentials may assume a role`(name: String) throws {
        let template = try Template(named: name)
        let holders = template.resources.filter { resource in
            // A trust policy says who may become the role, which is another matter.
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
        #expect(
            holders.map(\.name)
                == (["latchkey", "photolala"].contains(name) ? ["AssumeStorageRole"] : []))
    }

    @Test(arguments: Template.names.filter { $0 != "photolala" })
    func `the access log knows neither a path nor a query nor a header`(name: String) throws {
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
        #expect(format.matches(of: /\$/).count == format.matches(of: /\$context\./).count)
        let throttle = api["Properties"]?["DefaultRouteSettings"]
        #expect(throttle?["ThrottlingRateLimit"]?.int64Value != nil)
        #expect(throttle?["ThrottlingBurstLimit"]?.int64Value != nil)
    }

    /// A proxy that appends an address is worth something only where nobody gets past it.
    @Test(arguments: Template.names.filter { $0 != "photolala" })
    func `proxies are trusted only where the API's own address is closed`(name: String) throws {
        let template = try Template(named: name)
        let api = try #require(template.resources(ofType: "AWS::Serverless::HttpApi").first)
        #expect(
            api["Properties"]?["DisableExecuteApiEndpoint"] == ["Ref": "DisableDefaultEndpoint"])
        for function in template.functions {
            #expect(function.environment["TRUSTED_HOPS"] == ["Ref": "TrustedHops"])
        }
        let parameters = template.json["Parameters"]
        #expect(parameters?["TrustedHops"]?["Default"] == 0)
        #expect(parameters?["DisableDefaultEndpoint"]?["Default"] == "false")
        for (one, other) in [
            ("TrustedHops", "DisableDefaultEndpoint"), ("DisableDefaultEndpoint", "TrustedHops"),
        ] {
            let description = parameters?[one]?["Description"]?.stringValue ?? ""
            #expect(description.contains(other), "\(one)")
        }
        #expect(
            template.json["Rules"]?["TrustedHopsNeedClosedEndpoint"]?["RuleCondition"]
                == ["Fn::Not": [["Fn::Equals": [["Ref": "TrustedHops"], "0"]]]])
        #expect(
            template.json["Rules"]?["TrustedHopsNeedClosedEndpoint"]?["Assertions"]?
                .arrayValue?.first?["Assert"]
                == ["Fn::Equals": [["Ref": "DisableDefaultEndpoint"], "true"]])
    }

    /// A sign-out is seen at once only where no earlier answer stands in for a new one.
    @Test(arguments: ["latchkey", "whateat"])
    func `the gateway asks the authorizer each time`(name: String) throws {
        let api = try #require(
            try Template(named: name).resources(ofType: "AWS::Serverless::HttpApi").first)
        let authorizers = api["Properties"]?["Auth"]?["Authorizers"]?.members ?? []
        try #require(authorizers.count == 1)
        #expect(authorizers[0].value["Identity"]?["ReauthorizeEvery"]?.int64Value == 0)
        #expect(
            authorizers[0].value["FunctionArn"] == ["Fn::GetAtt": ["AuthorizerFunction", "Arn"]])
    }

    @Test(arguments: Template.names)
    func `what cannot be made again is kept, and what is logged ends`(name: String) throws {
        let template = try Template(named: name)
        for type in [
            "AWS::DynamoDB::Table", "AWS::SecretsManager::Secret", "AWS::S3::Bucket",
        ] {
            for resource in template.resources(ofType: type) {
                #expect(resource["DeletionPolicy"]?.stringValue == "Retain")
                #expect(resource["UpdateReplacePolicy"]?.stringValue == "Retain")
            }
        }
        let logs = template.resources(ofType: "AWS::Logs::LogGroup")
        #expect(!logs.isEmpty)
        for log in logs { #expect(log["Properties"]?["RetentionInDays"]?.int64Value != nil) }
        for bucket in template.resources(ofType: "AWS::S3::Bucket") {
            let block = bucket["Properties"]?["PublicAccessBlockConfiguration"]?.members ?? []
            #expect(block.count == 4)
            #expect(block.allSatisfy { $0.value == true })
        }
    }

    private func statements(of template: Template) -> [JSONObject] {
        template.objects.filter { $0["Effect"] != nil }
    }
}
