package import Foundation
import LatchkeyClient

/// Calls of the emulator that replace a person's actions on the provider's page and in the mailbox.
package struct Emulator: Sendable {
    private let server: URL
    // A separate network: the app's disturbances and counts do not apply to the person.
    private let transport = URLSessionTransport()

    package init(_ server: URL) { self.server = server }

    /// The identity token of a person.
    ///
    /// - Parameter fault: a fault of the emulator, such as `expired`.
    package func identityToken(
        _ provider: String = "apple", of person: String = "ada", nonce: String? = nil,
        audiences: [String]? = nil, expiresIn: Int? = nil, fault: String? = nil
    ) async throws -> String {
        struct Wanted: Encodable {
            let email: String
            let name: String
            let nonce: String?
            let audience: [String]?
            let expiresIn: Int?
            let fault: String?
        }
        struct Minted: Decodable { let idToken: String }
        let wanted = Wanted(
            email: "\(person)@example.com", name: "\(person.capitalized) Lovelace", nonce: nonce,
            audience: audiences, expiresIn: expiresIn, fault: fault)
        let answer = try await ask("POST", "/_idp/\(provider)/mint", wanted)
        return try JSONDecoder().decode(Minted.self, from: answer).idToken
    }

    /// The link in the newest mail to an address.
    package func link(to address: String) async throws -> String {
        let path = "/_emulator/mail/wait/link"
        let answer = try await ask("GET", path, query: "to=\(address)&timeoutSeconds=30")
        return String(decoding: answer, as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// A person revokes the app's access to the Apple account, and Apple notifies the server.
    package func withdrawConsent(of person: String, notifying path: String) async throws {
        _ = try await ask(
            "POST", "/_idp/apple/notify",
            [
                "type": "consent-revoked", "email": "\(person)@example.com",
                "url": server.appending(path: path).absoluteString,
            ])
    }

    /// A provider replaces its signing key.
    package func rotateKey(of provider: String) async throws {
        _ = try await ask("PUT", "/_idp/\(provider)/faults", ["name": "rotated-old-dropped"])
    }

    /// Moves the clock of AWS's services, which determines when credentials expire.
    package func moveClock(by time: Duration) async throws {
        _ = try await ask("POST", "/_emulator/clock", ["seconds": Int(time / .seconds(1))])
    }

    private func ask(
        _ method: String, _ path: String, _ body: (any Encodable)? = nil, query: String? = nil
    ) async throws -> Data {
        var parts = URLComponents(url: server, resolvingAgainstBaseURL: true)
        parts?.path = path
        parts?.percentEncodedQuery = query
        guard let url = parts?.url else { throw Unanswered(status: 0) }
        let answer = try await transport.send(
            HTTPRequest(
                method, url, headers: ["Content-Type": "application/json"],
                body: try body.map { try JSONEncoder().encode($0) }, timeout: .seconds(60)))
        guard (200..<300).contains(answer.status) else { throw Unanswered(status: answer.status) }
        return answer.body
    }

    private struct Unanswered: Error { let status: Int }
}
