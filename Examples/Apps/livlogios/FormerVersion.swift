import AppSupport
import Foundation
import LatchkeyClient

struct AppleAuthRequest: Codable {
    let identityToken: String
    var authorizationCode: String?
    var fullName: PersonNameComponents?
    var email: String?
}

/// The app's code before it used the client, as in the original app.
enum FormerVersion {
    private struct Answer: Decodable {
        let accessToken: String
        let refreshToken: String
    }

    /// Unlike the original app, this code checks the status of the response.
    static func signIn(_ request: AppleAuthRequest, at server: URL) async throws {
        let answer = try await URLSessionTransport().send(
            HTTPRequest(
                "POST", server.appending(path: "api/v1/auth/apple"),
                headers: ["Content-Type": "application/json"],
                body: try JSONEncoder().encode(request)))
        guard answer.status == 200 else { throw Refused(status: answer.status) }
        let tokens = try JSONDecoder().decode(Answer.self, from: answer.body)
        try KeychainManager.save(accessToken: tokens.accessToken)
        try KeychainManager.save(refreshToken: tokens.refreshToken)
    }

    /// The expiry was not stored, so the access token is refreshed at once.
    static func tokens() throws -> FormerTokens? {
        guard let access = try KeychainManager.get(key: "accessToken"),
            let refresh = try KeychainManager.get(key: "refreshToken")
        else { return nil }
        return FormerTokens(
            accessToken: access, refreshToken: refresh, expiresAt: Date(timeIntervalSince1970: 0))
    }

    static func removeTokens() throws {
        try KeychainManager.delete(key: "accessToken")
        try KeychainManager.delete(key: "refreshToken")
    }
}

struct Refused: Error {
    let status: Int
}
