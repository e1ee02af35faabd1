import AppSupport
import Foundation
import LatchkeyClient

/// The original app's service, implemented with the client.
struct AuthenticationService: Sendable {
    let client: LatchkeyClient
    /// Shows Apple's sheet, or replaces it in a demonstration.
    let apple: @Sendable () async throws -> IdentityCredential

    func signInWithApple() async throws -> User {
        _ = try await client.signIn(try await apple())
        return try await getCurrentUser()
    }

    func refreshAccessToken() async throws -> String {
        let present = try await client.validToken()
        return try await client.validToken(minimumLife: present.life + .milliseconds(1)).value
    }

    func logout() async { _ = await client.signOut() }

    func getCurrentUser() async throws -> User {
        let url = client.baseURL.appending(path: "auth/me")
        let answer = try await client.send(HTTPRequest("GET", url))
        guard answer.status == 200 else { throw ServerRefused(status: answer.status) }
        return try User(json: answer.body)
    }
}
