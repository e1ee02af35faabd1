import BaseTestSupport
import Contracts
import Foundation

/// The templates with one function have the rights, settings and schedules of the others.
@Suite("Templates with one function") struct SingleTemplateTests {
    private static func whole(_ single: String) throws -> Template {
        try Template(named: String(single.dropLast("-single".count)))
    }

    private static func function(_ single: String) throws -> Function {
        let functions = try Template(named: single).functions
        try #require(functions.count == 1)
        return functions[0]
    }

    @Test func `each contract with an API has a template with one function`() throws {
        let served = try Template.served.filter { try Template(named: $0).hasAPI }
        expectEqual(Template.singles, served.map { "\($0)-single" })
        #expect(Template.singles.count >= 5)
    }

    @Test(arguments: Template.singles)
    func `the single function is latchkey, with the permissions of all functions`(
        name: String
    ) throws {
        expectEqual(try Self.function(name).executable, "latchkey")
        let own = try #require(TemplatePermissions(Template(named: name)).functions["latchkey"])
        var union: [String: Set<String>] = [:]
        for actions in try TemplatePermissions(Self.whole(name)).functions.values {
            union.merge(actions) { $0.union($1) }
        }
        expectEqual(own, union)
    }

    @Test(arguments: Template.singles)
    func `apart from the table, the single function has the others' permissions`(name: String)
        throws
    {
        func others(_ template: Template) throws -> Set<String> {
            Set(
                try template.functions.flatMap { try template.statements(of: $0) }
                    .filter { !($0["Action"]?.texts.first ?? "").hasPrefix("dynamodb:") }
                    .map { JSON.object($0).text })
        }
        try expectEqual(others(Template(named: name)), others(Self.whole(name)))
    }

    @Test(arguments: Template.singles)
    func `the single function has the other functions' environment`(name: String) throws {
        let own = try Self.function(name).environment
        var union: [String: JSON] = [:]
        for function in try Self.whole(name).functions {
            union.merge(function.environment) { first, _ in first }
        }
        expectEqual(Set(own.keys), Set(union.keys))
        // These have a default that needs the address of the API.
        for (variable, value) in union where !["ISSUER", "LINK_BASE"].contains(variable) {
            expectEqual(own[variable], value, "\(variable)")
        }
    }

    /// The template does not use SAM's HttpApi: its definition names the function, so the
    /// function's environment could not name the API.
    @Test(arguments: Template.singles)
    func `the API routes all requests to the function, and is the default issuer`(
        name: String
    ) throws {
        let template = try Template(named: name)
        expectEqual(template.resources(ofType: "AWS::Serverless::HttpApi").count, 0)
        let route = try #require(template.resources(ofType: "AWS::ApiGatewayV2::Route").first)
        expectEqual(route["Properties"]?["RouteKey"], "$default")
        expectEqual(
            template.resources(ofType: "AWS::Lambda::Permission").map {
                $0["Properties"]?["SourceArn"]?["Fn::Sub"]?.stringValue?.hasSuffix(":${Gateway}/*")
            }, [true])
        let issuer = try #require(Self.function(name).environment["ISSUER"]).text
        #expect(issuer.contains("https://${Gateway}.execute-api."), "\(issuer)")
        #expect(template.json["Rules"]?["IssuerOrDomain"] == nil)
        expectEqual(template.json["Parameters"]?["Issuer"]?["Default"] != nil, true)
    }

    /// CloudFormation would keep an API of the same logical ID, with the routes of its definition.
    @Test(arguments: Template.singles)
    func `the API has another ID, so that a stack can change between the templates`(
        name: String
    ) throws {
        let (single, whole) = (try Template(named: name), try Self.whole(name))
        func names(_ template: Template, _ type: String) -> Set<String> {
            Set(template.resources.filter { $0.value["Type"]?.stringValue == type }.map(\.name))
        }
        let apis = names(single, "AWS::ApiGatewayV2::Api")
        expectEqual(apis.count, 1)
        #expect(apis.isDisjoint(with: whole.resources.map(\.name)))
        // What holds data is the same.
        for type in ["AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::SecretsManager::Secret"] {
            expectEqual(names(single, type), names(whole, type))
        }
    }

    @Test(arguments: Template.singles)
    func `the single template has the other template's schedules`(name: String) throws {
        let own = try Self.function(name).events
        let schedules = try Self.whole(name).functions.flatMap(\.events).filter {
            $0["Type"] == "ScheduleV2"
        }
        expectEqual(own, schedules)
    }

    /// Nothing refers to what only the other template has.
    @Test(arguments: Template.singles)
    func `the template with one function does not name other functions`(name: String) throws {
        let text = try Template(named: name).json.text
        for function in try Self.whole(name).functions.map(\.logicalName) {
            #expect(!text.contains(function), "\(function)")
        }
    }
}
