package import Time

/// Second factors of accounts: authenticator apps and recovery codes. How many wrong codes are
/// allowed is a rate limit of the operation `secondFactor` per account.
package struct SecondFactorPolicy: Equatable, Sendable {
    /// What an authenticator app shows above the code.
    package var issuerName: String
    /// From the first factor to the second.
    package var ticketLifetime: Span
    /// From the enrolment of an app to its first code.
    package var enrolmentLifetime: Span

    package init(
        issuerName: String = "Latchkey", ticketLifetime: Span = .minutes(5),
        enrolmentLifetime: Span = .minutes(15)
    ) {
        self.issuerName = issuerName
        self.ticketLifetime = ticketLifetime
        self.enrolmentLifetime = enrolmentLifetime
    }
}
