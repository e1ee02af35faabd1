import AuthTestSupport
import Contracts
import Foundation
import TestSupport

/// The deployed routes are exactly the contract's routes.
@Suite("Template routes") struct TemplateRoutesTests {
    @Test func `every contract has a template, and may have an OpenAPI document`() throws {
        for name in Template.names { #expect(Repository.contains(Template.file(of: name))) }
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Repository.root.appending(path: "Functions/Templates").path)
        let allowed =
            Template.names.flatMap { ["\($0).json", "\($0).openapi.json"] }
            + Template.singles.map { "\($0).json" }
        expectEqual(Set(files).subtracting(allowed), ["Parts"], "for no contract")
        let seeds = SeedTableTests.expected.keys
        #expect(Set(Template.documented).isSuperset(of: seeds + ["latchkey"]))
    }

    @Test(arguments: Template.documented)
    func `the OpenAPI document has exactly the contract's routes`(name: String) throws {
        let text = try Repository.bytes("Functions/Templates/\(name).openapi.json")
        let document = try JSON.parse(text, limits: .event)
        let paths = try #require(document["paths"]?.objectValue)
        let documented = paths.members.flatMap { path, item in
            (item.objectValue?.members ?? []).map { "\($0.name.uppercased()) \(path)" }
        }
        expectEqual(documented.sorted(), (try served(by: name)).sorted())
    }

    /// The routes of a contract for programs. A function without any is invoked by Lambda's API.
    private func served(by name: String) throws -> [String] {
        let endpoints = try #require(Contract.named(name)).endpoints.filter { !$0.isPage }
        let routes = endpoints.compactMap(\.route?.text).filter {
            !($0.contains("/.well-known/") && $0.hasSuffix("+}"))
        }
        guard routes.isEmpty else { return routes.map { $0.replacing("+}", with: "}") } }
        return try Template(named: name).functions.compactMap { function in
            function.property("FunctionName")?.stringValue.map {
                "POST /2015-03-31/functions/\($0)/invocations"
            }
        }
    }

    @Test(arguments: Template.names)
    func `every endpoint has exactly one event, at an executable that serves it`(
        name: String
    ) throws {
        let contract = try #require(Contract.named(name))
        let template = try Template(named: name)
        for endpoint in contract.endpoints {
            guard let route = endpoint.route?.text else { continue }
            let functions = template.functions.filter { $0.routes.contains(route) }
            try #require(functions.count == 1, "\(route)")
            let executable = try #require(functions[0].executable)
            expectEqual(endpoint.operation.function, executable)
        }
        let routes = template.functions.flatMap(\.routes)
        let expected = contract.endpoints.compactMap(\.route?.text)
        expectEqual(routes.count, expected.count)
        for route in routes { #expect(expected.contains(route), "\(route)") }
    }

    @Test(arguments: Template.names)
    func `every event is a route of the template's own API, with payload version 2.0`(
        name: String
    ) throws {
        for event in try Template(named: name).functions.flatMap(\.events)
        where event["Type"] != "ScheduleV2" {
            expectEqual(event["Type"]?.stringValue, "HttpApi")
            expectEqual(event["Properties"]?["ApiId"], ["Ref": "Api"])
            expectEqual(event["Properties"]?["PayloadFormatVersion"]?.stringValue, "2.0")
        }
    }

    /// With CORS rules API Gateway answers preflights itself, and replaces the CORS headers of
    /// functions.
    @Test(arguments: Template.names)
    func `the API's rules for web apps match the functions' rules`(name: String) throws {
        let contract = try #require(Contract.named(name))
        let template = try Template(named: name)
        for api in template.resources(ofType: "AWS::Serverless::HttpApi") {
            let choice = try #require(
                api["Properties"]?["CorsConfiguration"]?["Fn::If"]?.arrayValue)
            #expect(choice.count == 3 && choice.first == "HasAllowedOrigins")
            expectEqual(choice.last, ["Ref": "AWS::NoValue"])
            let rules = choice[1]
            let methods = Set(contract.endpoints.compactMap(\.route?.method)).sorted()
            expectEqual(rules["AllowMethods"]?.texts, methods)
            let acceptsProofs = contract.policy.proofs != nil
            let headers = CrossOrigin.requestHeaders(
                acceptsProofs: acceptsProofs, asksHooks: contract.policy.asksHooks)
            expectEqual(rules["AllowHeaders"]?.texts, headers)
            expectEqual(
                rules["ExposeHeaders"]?.texts,
                CrossOrigin.exposedHeaders(acceptsProofs: acceptsProofs))
            expectEqual(rules["MaxAge"]?.int64Value, Int64(CrossOrigin.maxAgeSeconds))
            // With credentials, pages of these origins could use the administrator's cookie.
            expectEqual(rules["AllowCredentials"], nil)
        }
    }

    @Test(arguments: Template.names)
    func `origins are exact, and https or on this machine`(name: String) throws {
        let template = try Template(named: name)
        guard let parameter = template.parameters.first(where: { $0.name == "AllowedOrigins" })
        else { return #expect(!template.hasAPI) }
        let pattern = try #require(parameter.value["AllowedPattern"]?.stringValue)
        let regex = try Regex(pattern)
        for good in [
            "", "https://app.example.com", "https://a.example.com,https://b.example.com:8443",
            "http://localhost:5173,http://127.0.0.1", "https://app.example.com,http://localhost",
        ] { #expect(try regex.wholeMatch(in: good) != nil, "\(good)") }
        for bad in [
            "*", "null", "https://*", "https://*.example.com", "http://app.example.com", ",",
            "https://app.example.com/", "https://app.example.com,", "https://App.example.com",
            "https://a.example.com https://b.example.com", "http://localhost.evil.com",
        ] { #expect(try regex.wholeMatch(in: bad) == nil, "\(bad)") }
    }

    @Test(arguments: Template.names)
    func `an endpoint without a route is invoked by a schedule or directly`(name: String) throws {
        let direct: Set = ["signin", "import-users", "audit", "keys", "export", "admin"]
        let contract = try #require(Contract.named(name))
        let unrouted = contract.endpoints.filter { $0.route == nil }.map(\.operation.function)
        let scheduled = try Template(named: name).functions.filter { function in
            function.events.contains { $0["Type"] == "ScheduleV2" }
        }
        expectEqual(scheduled.compactMap(\.executable), unrouted.filter { !direct.contains($0) })
    }

    @Test func `photolala is one function with a fixed name and without an API`() throws {
        let template = try Template(named: "photolala")
        // Apps do not know the others, which are for operators.
        expectEqual(template.functions.compactMap(\.executable), ["signin", "audit", "export"])
        let names = template.functions.map { $0.property("FunctionName")?.stringValue }
        expectEqual(names, ["photolala-auth-signin", nil, nil])
        #expect(template.functions.flatMap(\.events).isEmpty)
        #expect(template.resources(ofType: "AWS::Serverless::HttpApi").isEmpty)
    }

    @Test(arguments: Template.names)
    func `every function has its own executable and the custom runtime`(name: String) throws {
        let template = try Template(named: name)
        let known = try Repository.executables()
        var seen: Set<String> = []
        for function in template.functions {
            let executable = try #require(function.executable, "\(function.logicalName)")
            #expect(known.contains(executable), "\(executable)")
            #expect(seen.insert(executable).inserted, "\(executable)")
            expectEqual(function.property("Runtime")?.stringValue, "provided.al2023")
            expectEqual(function.property("Handler")?.stringValue, "bootstrap")
            expectEqual(function.property("Architectures"), [["Ref": "Architecture"]])
            let seconds = try #require(function.property("Timeout")?.int64Value)
            // An HTTP API times out after 30 seconds.
            #expect((1...(function.routes.isEmpty ? 60 : 29)).contains(seconds))
            #expect(function.property("MemorySize")?.int64Value != nil)
        }
    }
}

extension Route {
    fileprivate var text: String { "\(method) \(path)" }
}
