import AppSupport
import Foundation
import LatchkeyClient

/// The app: a journal that requires a sign-in.
struct Journal: Sendable {
    let client: LatchkeyClient

    /// Apple returns a user's name and address only at the first sign-in.
    func signIn(_ request: AppleAuthRequest) async throws -> ClientSession? {
        try await client.signIn(
            IdentityCredential(
                provider: "apple", idToken: request.identityToken,
                authorizationCode: request.authorizationCode,
                givenName: request.fullName?.givenName,
                familyName: request.fullName?.familyName, email: request.email)
        ).session
    }

    func entries() async throws -> [String] {
        struct Entries: Decodable {
            struct Entry: Decodable { let text: String }
            let entries: [Entry]
        }
        let answer = try await send("GET")
        return try JSONDecoder().decode(Entries.self, from: answer).entries.map(\.text)
    }

    func write(_ text: String) async throws {
        _ = try await send("POST", try JSONEncoder().encode(["text": text]))
    }

    private func send(_ method: String, _ body: Data? = nil) async throws -> Data {
        let answer = try await client.send(
            HTTPRequest(
                method, client.baseURL.appending(path: "api/v1/entries"),
                headers: ["Content-Type": "application/json"], body: body))
        guard (200..<300).contains(answer.status) else { throw Refused(status: answer.status) }
        return answer.body
    }
}
