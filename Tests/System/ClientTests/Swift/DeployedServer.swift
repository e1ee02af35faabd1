import Foundation
import LatchkeyClient
import LatchkeyCurl
import TestSupport

/// The functions of a contract in an emulator, for the Swift client.
struct DeployedServer {
    let emulator: EmulatorProcess
    private let template: BuiltTemplate
    /// `URLSession` loses exchanges on Linux in a process that is as busy as that of the tests.
    private let transport = LibcurlTransport()

    /// - Parameters:
    ///   - parameters: the parameters of the template, such as `Dpop=optional`.
    ///   - changes: of its text: see BuiltTemplate.
    init(
        _ contract: String = "latchkey", parameters: [String] = [],
        changes: [(from: String, to: String)] = []
    ) throws {
        template = try BuiltTemplate(contract, changes: changes)
        emulator = try EmulatorProcess(
            template: template.path, parameters.flatMap { ["--parameter", $0] })
    }

    var url: URL { get throws { try #require(URL(string: emulator.appURL)) } }

    /// A client as an app has it, with its own network.
    func client(
        _ contract: ClientContract = .latchkey, store: any SessionStore = MemoryStore(),
        transport: (any Transport)? = nil, _ change: (inout Options) -> Void = { _ in }
    ) throws -> LatchkeyClient {
        var options = Options()
        // Other tests use this process and the machine at the same time.
        options.requestTimeout = .seconds(240)
        change(&options)
        return LatchkeyClient(
            contract: contract, baseURL: try url, store: store,
            transport: transport ?? self.transport, options: options)
    }

    /// A call of the emulator's own API.
    func control(
        _ method: String, _ path: String, _ body: [String: Any]? = nil
    ) async throws -> [String: Any] {
        let address = try #require(URL(string: emulator.appURL + path))
        let data = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let answer = try await transport.send(
            HTTPRequest(
                method, address, headers: ["Content-Type": "application/json"],
                body: data ?? (method == "GET" ? nil : Data("{}".utf8)), timeout: .seconds(240)))
        #expect(answer.status < 300, "\(path): \(answer.status)")
        return try JSONSerialization.jsonObject(with: answer.body) as? [String: Any] ?? [:]
    }

    /// An identity token of the emulated provider.
    func credential(
        _ provider: String = "google", subject: String = "ada", nonce: String? = nil
    ) async throws -> IdentityCredential {
        var claims: [String: Any] = ["sub": subject, "email": "\(subject)@example.com"]
        claims["nonce"] = nonce
        let minted = try await control("POST", "/_idp/\(provider)/mint", claims)
        return IdentityCredential(
            provider: provider, idToken: try #require(minted["idToken"] as? String), nonce: nonce)
    }

    /// The token and the code of the newest mail to an address that has another token.
    func mail(to address: String, after seen: [String] = []) async throws -> (
        token: String, code: String?
    ) {
        for _ in 0..<200 {
            let mail = try await control(
                "GET", "/_emulator/mail/wait?to=\(address)&timeoutSeconds=120")
            let text = String(
                decoding: try JSONSerialization.data(withJSONObject: mail), as: UTF8.self
            ).replacing("\\n", with: " ").replacing("\\r", with: " ").replacing("\\", with: "")
            let tokens = text.matches(of: /token=([A-Za-z0-9_-]{40,})/).map { String($0.1) }
            if let token = tokens.first(where: { !seen.contains($0) }) {
                return (token, text.firstMatch(of: /Your code: +([0-9]{8})/).map { String($0.1) })
            }
            usleep(100_000)
        }
        throw MailMissing(address: address)
    }

    private struct MailMissing: Error { let address: String }
}

/// A network that damages one access token on the way, as if the server had revoked it.
actor RefusingTransport: Transport {
    private let base = LibcurlTransport()
    private var damaged: String?
    private(set) var refreshes = 0

    func damage(_ token: String) { damaged = token }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = request
        if request.url.path == "/auth/refresh" { refreshes += 1 }
        if let damaged, request.headers["Authorization"]?.hasSuffix(damaged) == true {
            request.headers["Authorization"] = "Bearer \(damaged.dropLast(8))AAAAAAAA"
        }
        return try await base.send(request)
    }
}
