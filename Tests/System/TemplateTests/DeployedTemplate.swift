import AWSSignature
import BaseTestSupport
import Foundation
import HTTPClient

/// A template of `Functions/Templates` in an emulator that enforces policies, with the executables
/// built with the tests; possibly beside the example app of its contract.
struct DeployedTemplate {
    let emulator: EmulatorProcess
    private let folder: TemporaryFolder
    private let transport = CurlTransport(trust: CertificateTrust { _ in nil })

    private static let limits = HTTPLimits(
        connectMillisecondsMax: 20_000, totalMillisecondsMax: 60_000, responseBytesMax: 1 << 20)
    private static let codeFolder = "../../.build/lambda/"

    /// - Parameters:
    ///   - store: nil for the store of the current test.
    ///   - isStrict: whether the emulator requires signatures and enforces policies.
    ///   - example: whether the app of `Examples` is deployed too.
    ///   - change: edits the template's resources.
    init(
        _ name: String, on store: FlowStore? = nil, isStrict: Bool = true, example: Bool = false,
        _ change: (inout JSONObject) throws -> Void = { _ in }
    ) throws {
        try self.init(
            files: [Template.file(of: name)] + (example ? [Template.example(of: name)] : []),
            on: store, isStrict: isStrict, change)
    }

    /// - Parameters:
    ///   - files: the templates, in the order of their deployment.
    ///   - arguments: further arguments of the emulator.
    ///   - change: edits the resources of the first.
    init(
        files: [String], on store: FlowStore? = nil, isStrict: Bool = true,
        arguments: [String] = [], _ change: (inout JSONObject) throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        var paths: [String] = []
        for (index, file) in files.enumerated() {
            let name = index == 0 ? "template.json" : "app-\(index).json"
            try Self.write(try Repository.bytes(file), to: name, in: folder) { resources in
                if index == 0 { try change(&resources) }
            }
            paths.append(folder.file(name))
        }
        let arguments = try arguments + (store ?? .current).arguments(folder)
        emulator = try EmulatorProcess(
            template: try #require(paths.first),
            paths.dropFirst().flatMap { ["--template", $0] } + arguments
                + (isStrict ? ["--strict"] : []))
    }

    /// The code is beside the template.
    private static func write(
        _ bytes: [UInt8], to name: String, in folder: TemporaryFolder,
        _ change: (inout JSONObject) throws -> Void
    ) throws {
        var document = try #require(try JSON.parse(bytes, limits: .event).objectValue)
        var resources = try #require(document["Resources"]?.objectValue)
        try change(&resources)
        document["Resources"] = .object(resources)
        for member in resources.members {
            let code = member.value["Properties"]?["CodeUri"]?.stringValue ?? ""
            guard code.hasPrefix(codeFolder) else { continue }
            let function = String(code.dropFirst(codeFolder.count).prefix { $0 != "/" })
            try folder.makeFolder(function)
            try FileManager.default.createSymbolicLink(
                atPath: folder.file("\(function)/bootstrap"),
                withDestinationPath: BuiltExecutables.path(of: function))
        }
        let text = JSON.object(document).text.replacing(codeFolder, with: "")
        try folder.write(Array(text.utf8), to: name)
    }

    /// Denied actions, from the emulator's log.
    var denials: [String] {
        emulator.log.split(separator: "\n").map(String.init)
            .filter { $0.contains("is not authorized to perform") }
    }

    struct Answer {
        let status: Int
        let headers: [HTTPHeader]
        let body: JSON

        func text(_ name: String) throws -> String {
            try #require(body[name]?.stringValue, "\(status) \(body.text)")
        }
    }

    /// Sends a request as an app.
    func ask(
        _ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil, bearer: String? = nil,
        cookie: String? = nil
    ) throws -> Answer {
        var headers = [HTTPHeader("Content-Type", "application/json")]
        if let cookie { headers.append(HTTPHeader("Cookie", cookie)) }
        if let bearer { headers.append(HTTPHeader("Authorization", "Bearer \(bearer)")) }
        return try answer(
            transport.send(
                HTTPRequest(
                    method, emulator.appURL + path, headers: headers,
                    body: body?.serialized ?? [], limits: Self.limits)))
    }

    /// A direct invocation, signed for AWS.
    func invoke(_ function: String, _ payload: JSON) throws -> Answer {
        let key = EmulatorProcess.developerKey
        let signer = Signer(
            AWSCredentials(accessKeyID: key, secretAccessKey: SecretBytes(utf8: key)),
            region: "us-east-1", service: "lambda")
        let request = HTTPRequest(
            .post, "\(emulator.awsURL)/2015-03-31/functions/\(function)/invocations",
            headers: [HTTPHeader("Content-Type", "application/json")], body: payload.serialized,
            limits: Self.limits)
        return try answer(transport.send(signer.sign(request, at: WallClock.system.now())))
    }

    /// An identity token of the emulated provider.
    func mint(_ provider: String, _ more: JSONObject = [:]) throws -> JSON {
        .string(try ask(.post, "/_idp/\(provider)/mint", .object(more)).text("idToken"))
    }

    /// `latchkey` gets an identity token of the emulated provider.
    func signIn(_ provider: String, _ claims: JSONObject = [:]) throws -> Answer {
        try ask(
            .post, "/auth/signin",
            ["provider": .string(provider), "idToken": try mint(provider, claims)])
    }

    private func answer(_ response: HTTPResponse) throws -> Answer {
        let text = response.body
        let isPage = response.headers.value("content-type")?.hasPrefix("text/html") == true
        return Answer(
            status: response.status, headers: response.headers,
            body: isPage
                ? .string(String(decoding: text, as: UTF8.self))
                : text.isEmpty ? .null : try JSON.parse(text, limits: .response))
    }
}

extension JSONObject {
    /// Changes the object at a path of members.
    mutating func change(_ path: String..., by change: (inout JSONObject) -> Void) throws {
        try self.change(path[...], change)
    }

    private mutating func change(
        _ path: ArraySlice<String>, _ change: (inout JSONObject) -> Void
    ) throws {
        guard let name = path.first else { return change(&self) }
        var inner = try #require(self[name]?.objectValue, "\(name)")
        try inner.change(path.dropFirst(), change)
        self[name] = .object(inner)
    }
}
