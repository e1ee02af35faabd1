package import Time

/// Accounts with an e-mail address and a password: how they are made, and what a password must be.
/// A contract without this policy has none.
package struct PasswordPolicy: Equatable, Sendable {
    package var rules: PasswordRules
    /// Of new hashes. One made at another cost is made anew at the next sign-in.
    package var cost: PasswordCost
    package var registration: Registration
    package var verificationLifetime: Span
    package var resetLifetime: Span

    /// When an account comes to be.
    package enum Registration: Equatable, Sendable {
        /// When its address is proven by the link that was sent there. Until then nobody's address is
        /// taken, and the answer does not tell whether it was taken before.
        ///
        /// - Parameter repeatsPassword: whether the link is good only together with the password.
        ///   Without it, a link that a stranger asked for would make an account with the stranger's
        ///   password when the owner of the address clicks on it.
        case afterVerification(repeatsPassword: Bool)
        /// At once. The address is not proven, and a taken one is named in the answer.
        case immediate
    }

    package init(
        rules: PasswordRules, cost: PasswordCost, registration: Registration,
        verificationLifetime: Span = .hours(24), resetLifetime: Span = .minutes(30)
    ) {
        self.rules = rules
        self.cost = cost
        self.registration = registration
        self.verificationLifetime = verificationLifetime
        self.resetLifetime = resetLifetime
    }
}

/// What one hash costs (Argon2id, RFC 9106).
package struct PasswordCost: Equatable, Sendable {
    package var memoryKiB: Int
    package var passes: Int
    package var lanes: Int

    package init(memoryKiB: Int, passes: Int, lanes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
    }

    /// ASVS 5.0 appendix C, and OWASP's first choice. One lane, because a function has one processor
    /// and further lanes would help only an attacker.
    package static let standard = PasswordCost(memoryKiB: 19 << 10, passes: 2, lanes: 1)
}
