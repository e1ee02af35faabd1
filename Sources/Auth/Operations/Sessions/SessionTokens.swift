package import AuthDomain
internal import Time

/// What a signed-in client takes away.
package struct SessionTokens: Sendable {
    package let access: AccessToken
    package let refresh: RefreshToken
    package let session: SessionID
    package let user: User
}
