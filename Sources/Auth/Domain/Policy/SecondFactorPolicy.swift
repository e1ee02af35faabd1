package import Time

/// Second factors of accounts: authenticator apps and recovery codes. The number of wrong codes is
/// limited by the rate limit of the operation `secondFactor` per account.
package struct SecondFactorPolicy: Equatable, Sendable {
    /// The issuer name that an authenticator app shows.
    package var issuerName: String
    /// The time allowed between the first and the second factor.
    package var ticketLifetime: Span
    /// The time allowed between the enrolment of an app and its first code.
    package var enrolmentLifetime: Span
    /// How long an administrator waits before a lost second factor can be removed: until then its
    /// owner can stop the removal. With zero, the factor is removed at once.
    package var removalDelay: Span

    package init(
        issuerName: String = "Latchkey", ticketLifetime: Span = .minutes(5),
        enrolmentLifetime: Span = .minutes(15), removalDelay: Span = .zero
    ) {
        self.issuerName = issuerName
        self.ticketLifetime = ticketLifetime
        self.enrolmentLifetime = enrolmentLifetime
        self.removalDelay = removalDelay
    }
}
