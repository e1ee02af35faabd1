package import Time

/// Accounts with an e-mail address and a password: how they are created, and the password rules.
/// A contract without this policy has no passwords. Each contract's values are in
/// `Contracts/<Name>/<Name>.swift`.
package struct PasswordPolicy: Equatable, Sendable {
    package var rules: PasswordRules
    /// The cost of new hashes. A hash with another cost is replaced at the next login.
    package var cost: PasswordCost
    package var registration: Registration
    package var verificationLifetime: Span
    package var resetLifetime: Span
    /// The lifetime of the first link to the owner of an account that an administrator created.
    package var invitationLifetime = Span.hours(72)

    /// When the account is created.
    package enum Registration: Equatable, Sendable {
        /// When the link that was mailed to the address is used. Until then the address is not
        /// claimed, and the response does not say whether it was claimed before.
        ///
        /// - Parameter repeatsPassword: whether the link works only together with the password.
        ///   Otherwise the mail says when the password was chosen. If several registrations wait
        ///   for the address, a link sets no password at all: an attacker who registers someone
        ///   else's address must not choose the password of the owner who clicks a link.
        case afterVerification(repeatsPassword: Bool)
        /// Immediately. The address is not verified, and the response says whether it was already
        /// registered.
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

/// The cost of one hash (Argon2id, RFC 9106).
package struct PasswordCost: Equatable, Sendable {
    package var memoryKiB: Int
    package var passes: Int
    package var lanes: Int

    package init(memoryKiB: Int, passes: Int, lanes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
        self.lanes = lanes
    }

    /// The parameters of ASVS 5.0 appendix C, and the first recommendation of OWASP. One lane,
    /// because a function has one processor and further lanes would help only an attacker.
    package static let standard = PasswordCost(memoryKiB: 19 << 10, passes: 2, lanes: 1)
}
