package import Foundation
package import LatchkeyClient

/// The tokens that an earlier version of the app, without the client, has stored.
package struct FormerTokens: Sendable {
    package let accessToken: String
    package let refreshToken: String
    package let expiresAt: Date

    package init(accessToken: String, refreshToken: String, expiresAt: Date) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }
}

extension LatchkeyClient {
    /// The session at the launch of an app. Tokens of an earlier version are taken over once, so
    /// that the user stays signed in.
    ///
    /// - Parameters:
    ///   - former: reads the tokens of the earlier version.
    ///   - remove: removes these tokens. If the app is killed first, the next launch removes them.
    package func launch(
        former: @Sendable () async throws -> FormerTokens?,
        remove: @Sendable () async throws -> Void
    ) async throws -> ClientSession? {
        var session = try await restore()
        if session == nil, let tokens = try await former() {
            session = try await adopt(
                accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
                expiresAt: tokens.expiresAt)
        }
        if session != nil { try await remove() }
        return session
    }
}
