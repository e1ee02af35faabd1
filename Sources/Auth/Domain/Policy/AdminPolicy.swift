package import Time

/// The sign-in of administrators, in contracts that have it.
package struct AdminPolicy: Equatable, Sendable {
    /// An administrator's session that is not used for this long has ended.
    package var idleLifetime: Span
    package var absoluteLifetime: Span
    /// Whether the settings may contain the password in plain text instead of its hash.
    package var allowsPlainPassword: Bool
    /// Whether the name of the cookie has the prefix `__Host-` over HTTPS, which other subdomains
    /// cannot set (RFC 6265bis section 4.1.3).
    package var hasHostCookie: Bool

    package init(
        idleLifetime: Span = .hours(1), absoluteLifetime: Span = .hours(12),
        allowsPlainPassword: Bool = false, hasHostCookie: Bool = true
    ) {
        self.idleLifetime = idleLifetime
        self.absoluteLifetime = absoluteLifetime
        self.allowsPlainPassword = allowsPlainPassword
        self.hasHostCookie = hasHostCookie
    }
}
