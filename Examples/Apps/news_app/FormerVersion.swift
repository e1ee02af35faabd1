import AppSupport
import Foundation
import LatchkeyClient

/// The app's code before it used the client.
struct FormerVersion {
    private struct Request: Encodable {
        let id_token: String
        let email: String
        let full_name: String
    }

    private struct Answer: Decodable {
        let access_token: String
        let refresh_token: String
    }

    let keychain: KeychainManager

    func signIn(idToken: String, email: String, fullName: String, at server: URL) async throws {
        let body = Request(id_token: idToken, email: email, full_name: fullName)
        let answer = try await URLSessionTransport().send(
            HTTPRequest(
                "POST", server.appending(path: "auth/apple"),
                headers: ["Content-Type": "application/json"],
                body: try JSONEncoder().encode(body)))
        guard answer.status == 200 else { throw ServerRefused(status: answer.status) }
        let tokens = try JSONDecoder().decode(Answer.self, from: answer.body)
        try keychain.saveToken(tokens.access_token, key: "accessToken")
        try keychain.saveToken(tokens.refresh_token, key: "refreshToken")
    }

    /// The expiry was not stored, so the access token is refreshed at once.
    func tokens() throws -> FormerTokens? {
        guard let access = try keychain.getToken(key: "accessToken"),
            let refresh = try keychain.getToken(key: "refreshToken")
        else { return nil }
        return FormerTokens(
            accessToken: access, refreshToken: refresh, expiresAt: Date(timeIntervalSince1970: 0))
    }
}

struct ServerRefused: Error {
    let status: Int
}
