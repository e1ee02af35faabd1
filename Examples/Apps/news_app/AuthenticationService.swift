import AppSupport
import Foundation
import LatchkeyClient

/// The seed's service, over the client.
struct AuthenticationService: Sendable {
    let client: LatchkeyClient
    /// Apple's sheet, or who stands in for it.
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
