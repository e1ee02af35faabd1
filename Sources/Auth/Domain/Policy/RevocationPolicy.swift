package import Time

/// The revocation list, for servers that verify access tokens themselves. The policy is nil unless
/// `REVOCATIONS` is on.
package struct RevocationPolicy: Equatable, Sendable {
    /// How long a process answers with the list that it has read.
    package var memory = Span.seconds(1)
    /// How long a cache may keep the list (`max-age`).
    package var cacheLifetime = Span.seconds(2)
    /// How long a list is valid (`exp`). A verifier's clock may be ahead by the remaining time.
    package var listLifetime = Span.minutes(2)
    /// The interval at which the ETag changes. A cache that gets "not modified" therefore never
    /// extends a list beyond its `exp`. A list with `since` begins at such an interval.
    package var step = Span.seconds(10)
    /// The longest delay until a new row is visible, compared with its own time: transactions are
    /// repeated, and clocks differ. A function has 20 seconds for a request.
    package var delay = Span.seconds(30)
    /// How much a server's clock may be behind. Such a server still accepts expired tokens for that
    /// time.
    package var leeway = Span.minutes(1)
    /// The maximum size of a list. AWS Lambda answers at most 6 MB.
    package var bytesMax = 3 << 20

    package init() {}
}
