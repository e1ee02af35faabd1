package import AuthDomain
internal import Time

/// The result of a sign-in or refresh.
package struct SessionTokens: Sendable {
    package let access: AccessToken
    package let refresh: RefreshToken
    package let session: SessionID
    package let user: User
    /// For a trusted device, the successor of the token that it has used.
    package var deviceToken: DeviceToken?
}
