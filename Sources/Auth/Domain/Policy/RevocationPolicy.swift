package import Time

/// The revocation list, for servers that verify access tokens by themselves: nil unless
/// `REVOCATIONS` is on.
package struct RevocationPolicy: Equatable, Sendable {
    /// For how long a process answers with what it has read.
    package var memory = Span.seconds(1)
    /// For how long a cache may answer (`max-age`).
    package var cacheLifetime = Span.seconds(2)
    /// `exp` of a list. A verifier's clock may be ahead by what is left of it.
    package var listLifetime = Span.minutes(2)
    /// The ETag changes with each step: a cache that is told "not modified" extends no list
    /// beyond its `exp`. Lists since a time begin with a step.
    package var step = Span.seconds(10)
    /// How late a row may become visible after its own time: a transaction is repeated, and clocks
    /// differ. A function has 20 seconds for a request.
    package var delay = Span.seconds(30)
    /// How far a server's clock may be behind, which accepts an expired token for so long.
    package var leeway = Span.minutes(1)
    /// The maximum size of a list. AWS Lambda answers at most 6 MB.
    package var bytesMax = 3 << 20

    package init() {}
}
