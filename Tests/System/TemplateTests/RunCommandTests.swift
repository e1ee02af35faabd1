import BaseTestSupport
import Contracts
import Foundation

/// `make run CONTRACT=…`: the contract's template, and the template of the app beside it.
@Suite("make run", .hangLimit) struct RunCommandTests {
    @Test(arguments: Template.served)
    func `every route of the specification and of the example is served`(contract: String) throws {
        let files = try Template.served(byRunning: contract)
        #expect(files.contains(Template.file(of: contract)))
        let stated = try Self.statedRoutes(of: contract)
        let ofExample = try files.dropFirst().flatMap { try Template(file: $0, contract).routes }
        #expect(Template.withExample.contains(contract) == !ofExample.isEmpty)
        let deployed = try DeployedTemplate(files: files)
        for route in Set(stated + ofExample).sorted() {
            let parts = route.split(separator: " ").map(String.init)
            let method = try #require(HTTPRequest.Method(rawValue: parts[0]), "\(route)")
            let path = parts[1].replacing(/\{[^}]*\}/, with: "1")
            let answer = try deployed.ask(method, path)
            // The route is known, whether refused or answered; an unknown path would be a 404.
            #expect(![404, 405, 500, 502, 503].contains(answer.status), "\(route) \(answer)")
        }
        #expect(try deployed.ask(.get, "/nowhere").status == 404)
        #expect(deployed.denials == [])
    }

    /// photolala has no route: its app invokes a function.
    @Test(arguments: SeedTableTests.expected.keys.sorted())
    func `the tables of the specifications contain routes`(contract: String) throws {
        #expect(try Self.statedRoutes(of: contract).isEmpty == (contract == "photolala"))
    }

    /// The routes in the table of `Tests/Seeds`; `latchkey` has no seed.
    private static func statedRoutes(of contract: String) throws -> [String] {
        guard SeedTableTests.expected[contract] != nil else { return [] }
        return try SeedTable(of: contract).rows.flatMap(\.routes)
    }

    /// The example of `docs/deploying.md`.
    @Test func `the gateway also authorizes requests to another template's functions`() throws {
        let text = try Repository.text("docs/deploying.md")
        let block = try #require(text.firstMatch(of: /```yaml\n(Transform:(?s:.)*?)```/))
        let folder = try TemporaryFolder()
        try folder.write(Array(String(block.1).utf8), to: "template.yaml")
        try folder.makeFolder("src")
        let code = """
            def handler(event, context):
                return {"user": event["requestContext"]["authorizer"]["jwt"]["claims"]["sub"]}
            """
        try folder.write(Array(code.utf8), to: "src/app.py")
        let deployed = try DeployedTemplate(
            files: [Template.file(of: "latchkey")],
            arguments: [
                "--template", folder.file("template.yaml"), "--parameter", "JwtAlgorithm=RS256",
                "--parameter", "Issuer={url}",
            ])
        let session = try deployed.signIn("apple")
        let bearer = try session.text("accessToken")
        let listed = try deployed.ask(.get, "/photos", bearer: bearer)
        #expect(listed.body["user"] == session.body["user"]?["id"], "\(listed.body.text)")
        #expect(try deployed.ask(.get, "/photos").status == 401)
        // Apps refresh at 401 only.
        #expect(try deployed.ask(.get, "/photos", bearer: "junk").status == 401)
    }

    @Test(arguments: Template.withExample)
    func `an example writes to its own rows, not to rows of accounts`(contract: String) throws {
        let template = try Template(file: Template.example(of: contract), contract)
        for statement in template.functions.flatMap({ $0.property("Policies")?.objects ?? [] }) {
            let actions = statement["Action"]?.texts ?? []
            guard actions.contains(where: { $0.hasSuffix("PutItem") || $0.hasSuffix("DeleteItem") })
            else { continue }
            let keys = statement["Condition"]?["ForAllValues:StringLike"]?["dynamodb:LeadingKeys"]
            let partitions = Set(keys?.texts ?? []).subtracting(["RATE#*", "ADMINSESSION#*"])
            #expect(partitions.count == 1)
            #expect(
                ["NOTES#*", "ITEMS#*", "MEALS#*", "ENTRIES#*", "CONTENT#*"]
                    .contains(partitions.first), "\(actions)")
        }
    }
}

extension Template {
    /// The templates that `make run` deploys, from the command itself.
    static func served(byRunning contract: String) throws -> [String] {
        let made = try Run.of(
            URL(filePath: "/usr/bin/make"),
            [
                "--no-print-directory", "--directory", Repository.root.path, "--dry-run", "run",
                "CONTRACT=\(contract)",
            ])
        try #require(made.status == 0, "\(made.output)")
        return made.output.matches(of: /--template "?([^\s"]+)"?/).map { String($0.1) }
    }
}
