package import Time

/// A user's proofs of identity, with their times. Sensitive changes of the account and some routes
/// of an application depend on them.
package struct SignInProof: Equatable, Sendable {
    /// When the user proved the identity.
    package let provenAt: Instant
    /// The methods; empty in sessions that were opened before methods were stored.
    package let methods: [ProofMethod]
    package let strength: ProofStrength

    /// - Parameter includesSecondFactor: whether the user has presented the second factor as well;
    ///   false for a sign-in on a trusted device.
    package init(provenAt: Instant, _ methods: [ProofMethod], includesSecondFactor: Bool) {
        self.provenAt = provenAt
        self.methods = methods
        strength =
            methods == [.guest]
            ? .nothing
            : methods.contains(.verifiedPasskey)
                ? .phishingResistant : includesSecondFactor ? .twoFactors : .oneFactor
    }

    package var includesSecondFactor: Bool { strength >= .twoFactors }

    /// The claim `amr`; nil if the methods are not known.
    package var references: [String]? {
        guard !methods.isEmpty else { return nil }
        var references: [String] = []
        for reference in methods.flatMap(\.references) where !references.contains(reference) {
            references.append(reference)
        }
        return includesSecondFactor ? references + ["mfa"] : references
    }

    /// The proof after the user has presented the second factor. The time of the first factor does
    /// not change.
    package func adding(_ factor: ProofMethod) -> SignInProof {
        SignInProof(
            provenAt: provenAt, methods.contains(factor) ? methods : methods + [factor],
            includesSecondFactor: true)
    }

    package func meets(_ requirement: ProofRequirement, at now: Instant) -> Bool {
        guard strength >= requirement.strength else { return false }
        return requirement.ageMax.map { now - provenAt < $0 } ?? true
    }
}

/// How users prove their identity. The raw values are stored.
package enum ProofMethod: String, CaseIterable, Sendable {
    case password, mailedLink, identityProvider, authenticatorApp, recoveryCode
    /// A passkey without verification of the user: possession of the device is enough.
    case passkey
    /// A passkey whose authenticator has verified the user, by a PIN or biometrics.
    case verifiedPasskey
    /// Nothing was proven: the account was made with the session, and had no way to sign in.
    case guest

    /// The values of the claim `amr` (RFC 8176 section 2, and the IANA registry of authentication
    /// method references). The registry has none for providers, mailed links, recovery codes and
    /// guests.
    package var references: [String] {
        switch self {
        case .password: ["pwd"]
        case .mailedLink: ["email"]
        case .identityProvider: ["fed"]
        case .authenticatorApp: ["otp"]
        case .recoveryCode: ["recovery"]
        case .passkey, .verifiedPasskey: ["pop", "user"]
        case .guest: ["guest"]
        }
    }
}

/// How strong a proof is: the claim `acr`.
package enum ProofStrength: Int, CaseIterable, Comparable, Sendable {
    case nothing, oneFactor, twoFactors
    /// A passkey that has verified its user: two factors that no page of an attacker can take over.
    case phishingResistant

    /// `0` is defined in OpenID Connect Core 1.0 section 2, and `phr` in OpenID Connect EAP ACR
    /// Values 1.0. The names for one and two factors are the levels of NIST SP 800-63B-4.
    package var name: String {
        switch self {
        case .nothing: "0"
        case .oneFactor: "aal1"
        case .twoFactors: "aal2"
        case .phishingResistant: "phr"
        }
    }

    /// The strongest proof that a user can give.
    package static func strongest(of user: User) -> ProofStrength {
        if user.identities.contains(where: \.isPasskey) { return .phishingResistant }
        return user.hasSecondFactor ? .twoFactors : user.isGuest ? .nothing : .oneFactor
    }

    package static func < (left: ProofStrength, right: ProofStrength) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The proof that a route requires of a session.
package struct ProofRequirement: Equatable, Sendable {
    package let strength: ProofStrength
    /// nil: any age.
    package let ageMax: Span?

    package init(_ strength: ProofStrength = .oneFactor, within ageMax: Span? = nil) {
        self.strength = strength
        self.ageMax = ageMax
    }

    /// The requirement for sensitive changes: a recent proof of every factor of the account, so
    /// that a stolen session does not suffice (ASVS 5.0, 7.5.1). A guest has nothing to prove: the
    /// session is the account. As soon as the account has a way to sign in, that session does not
    /// suffice, because another person may have begun it.
    ///
    /// - Parameter givesSecondFactor: whether the request itself includes the second factor.
    package static func sensitiveChange(
        of user: User, givesSecondFactor: Bool, within ageMax: Span
    ) -> ProofRequirement {
        if user.isGuest { return ProofRequirement(.nothing) }
        return ProofRequirement(
            user.hasSecondFactor && !givesSecondFactor ? .twoFactors : .oneFactor, within: ageMax)
    }
}

/// The proofs of a session. A refresh adds nothing to them, and a session that replaces another
/// takes them over, extended by what the user proved in the same request.
package struct SessionProofs: Equatable, Sendable {
    package let signIn: SignInProof
    /// The latest step-up.
    package let stepUp: SignInProof?
    /// `since` of the session that recently added the sign-in method with which this session began;
    /// nil if no other session added it recently.
    package let inherited: Instant?

    package init(signIn: SignInProof, stepUp: SignInProof? = nil, inherited: Instant? = nil) {
        self.signIn = signIn
        self.stepUp = stepUp
        self.inherited = inherited
    }

    /// The holder of this session may have had access to the account since then. If a thief adds a
    /// passkey in a stolen session and signs in with it, that access dates from the beginning of
    /// the stolen session.
    package var since: Instant { inherited.map { min($0, signIn.provenAt) } ?? signIn.provenAt }

    package var latest: SignInProof { stepUp ?? signIn }

    /// Strength and age must come from the same proof: a strong sign-in of last week and a weak
    /// proof of today are not a strong proof of today.
    package func meet(_ requirement: ProofRequirement, at now: Instant) -> Bool {
        signIn.meets(requirement, at: now) || stepUp?.meets(requirement, at: now) == true
    }

    /// The proofs after the user has presented the second factor in a request that asks for it.
    package func adding(_ factor: ProofMethod) -> SessionProofs {
        SessionProofs(
            signIn: signIn.adding(factor), stepUp: stepUp?.adding(factor), inherited: inherited)
    }

    /// The proofs after the user has proven the first factor again. This counts as a new sign-in
    /// only for an account without a second factor: otherwise a stolen session plus the password
    /// would count as both factors.
    package func repeating(
        _ factor: ProofMethod, of user: User, at now: Instant
    ) -> SessionProofs {
        if user.hasSecondFactor { return self }
        return SessionProofs(
            signIn: SignInProof(provenAt: now, [factor], includesSecondFactor: false),
            inherited: since)
    }
}
