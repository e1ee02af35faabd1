import AppSupport
import Foundation
import LatchkeyClient

/// The app's code before it used the client, with the tokens in three items.
enum FormerVersion {
    static func saveTokens(from response: AuthResponse) throws {
        try KeychainHelper.save(key: "accessToken", value: response.accessToken)
        try KeychainHelper.save(key: "refreshToken", value: response.refreshToken)
        try KeychainHelper.save(key: "expiresAt", value: String(response.expiresAt))
    }

    static func loadTokensFromKeychain() throws -> FormerTokens? {
        guard let access = try KeychainHelper.load(key: "accessToken"),
            let refresh = try KeychainHelper.load(key: "refreshToken")
        else { return nil }
        let expiresAt = try KeychainHelper.load(key: "expiresAt").flatMap(TimeInterval.init) ?? 0
        return FormerTokens(
            accessToken: access, refreshToken: refresh,
            expiresAt: Date(timeIntervalSince1970: expiresAt))
    }

    static func clearTokens() throws {
        for key in ["accessToken", "refreshToken", "expiresAt"] {
            try KeychainHelper.delete(key: key)
        }
    }

    /// Signs in without the client.
    static func signIn(idToken: String, at server: URL) async throws -> AuthUser {
        let body = ["provider": "apple", "idToken": idToken]
        let answer = try await URLSessionTransport().send(
            HTTPRequest(
                "POST", server.appending(path: "api/v1/auth/signin"),
                headers: ["Content-Type": "application/json"],
                body: try JSONEncoder().encode(body)))
        guard answer.status == 200 else { throw APIError(statusCode: answer.status) }
        let response = try JSONDecoder().decode(AuthResponse.self, from: answer.body)
        try saveTokens(from: response)
        return response.user
    }
}
