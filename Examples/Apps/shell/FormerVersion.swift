import AppSupport
import Foundation
import LatchkeyClient

/// The app's code before it used the client.
struct FormerVersion {
    let repository: any SessionRepository
    let clock: any SessionClock

    /// The server returns the token's lifetime, and the device's clock determines the expiry.
    func logIn(email: String, password: String, at server: URL) async throws {
        struct Answer: Decodable {
            let accessToken: String
            let refreshToken: String
            let expiresIn: Double
        }
        let answer = try await URLSessionTransport().send(
            HTTPRequest(
                "POST", server.appending(path: "auth/login"),
                headers: ["Content-Type": "application/json"],
                body: try JSONEncoder().encode(["email": email, "password": password])))
        guard answer.status == 200 else { throw AuthError.invalidCredentials }
        let tokens = try JSONDecoder().decode(Answer.self, from: answer.body)
        try await repository.saveSession(
            accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
            expiresAt: clock.now().addingTimeInterval(tokens.expiresIn))
    }

    func tokens() async throws -> FormerTokens? {
        try await repository.getSession().map {
            FormerTokens(
                accessToken: $0.accessToken, refreshToken: $0.refreshToken,
                expiresAt: $0.expiresAt)
        }
    }
}
