import AWSSignature
import BaseTestSupport

/// Mutated requests of every kind to the ports of a whole emulator.
/// `LATCHKEY_RANDOM_REQUESTS=100000` sends more of them.
@Suite("Random requests at the emulator") struct RandomRequestsTests {
    private static func project() throws -> EmulatorProject {
        let people = try SignInFunctions()
        let folder = try TemporaryFolder()
        try people.prepare(folder)
        var resources = people.functions(folder)
        resources["Bucket"] = JSONObject.bucket("photos")
        let project = try EmulatorProject(resources, ["--quiet"])
        try people.prepare(project.folder)
        return project
    }

    @Test(arguments: [UInt64(3), 4])
    func `every response is a valid client error or success, and the emulator keeps running`(
        seed: UInt64
    ) throws {
        let emulator = try Self.project().start()
        let count = RandomRequests.count(otherwise: 4000) / 2
        let kinds = RandomRequests.Kind.allCases
        for (port, share) in [
            (emulator.awsPort, count * 5 / 8), (emulator.appPort, count / 4),
            (emulator.controlPort, count / 8),
        ] {
            let requests = RandomRequests(kinds, seed: seed, port: port, prepare: Self.sign)
            let report = requests.run(count: share)
            for problem in report.problems { Issue.record("\(problem)") }
            #expect(report.statuses[400, default: 0] > share / 50)
        }
        let caller = EmulatorClient(emulator)
        try expectEqual(caller.app(.get, "/_emulator/health").json?["ready"], true)
        try expectEqual(caller.table("ListTables", [:]).status, 200)
        try expectEqual(caller.object(.put, "/photos/a", Array("a".utf8)).status, 200)
        try expectEqual(caller.object(.get, "/photos/a").text, "a")
    }

    /// Signed, so that code after the signature check is reached.
    @Sendable private static func sign(_ wire: inout WireRequest) {
        guard let service = service(of: wire),
            let method = HTTPRequest.Method(rawValue: wire.method)
        else { return }
        let key = EmulatorProcess.developerKey
        let signer = Signer(
            AWSCredentials(accessKeyID: key, secretAccessKey: SecretBytes(utf8: key)),
            region: "us-east-1", service: service)
        let headers = wire.headers.filter { $0.name.lowercased() != "host" }
        let request = HTTPRequest(
            method, "http://127.0.0.1\(wire.target)",
            headers: headers.map { HTTPHeader($0.name, $0.value) }, body: wire.body)
        guard let signed = try? signer.sign(request, at: WallClock.system.now()) else { return }
        wire.headers = [("Host", "127.0.0.1")] + signed.headers.map { ($0.name, $0.value) }
    }

    private static func service(of wire: WireRequest) -> String? {
        if wire.headers.contains(where: { $0.name.lowercased() == "x-amz-target" }) { return nil }
        if wire.target.hasPrefix("/2015-") { return nil }
        if wire.target.hasPrefix("/v2/email") { return "ses" }
        let form = "application/x-www-form-urlencoded"
        return wire.headers.contains { $0.value.hasPrefix(form) } ? "sts" : "s3"
    }
}
