package import AuthDomain
internal import Time

/// The result of a sign-in or refresh.
package struct SessionTokens: Sendable {
    package let access: AccessToken
    package let refresh: RefreshToken
    package let session: SessionID
    package let user: User
    /// The new token of a trusted device, which replaces the token that the device has used.
    package var deviceToken: DeviceToken?
}
