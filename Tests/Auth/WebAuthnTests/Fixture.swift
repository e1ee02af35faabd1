/// One relying party, one authenticator and one challenge for each ceremony.
struct Fixture {
    var authenticator: SoftwareAuthenticator
    var relyingParty: RelyingParty
    var requiresUserVerification = false
    var requiresUserPresence = true
    let created: Challenge
    let requested: Challenge
    var userHandle: UserHandle

    init(key: SoftwareKey? = nil) throws {
        authenticator = SoftwareAuthenticator(key: try key ?? .es256(seed: 1))
        relyingParty = RelyingParty(
            id: try #require(RelyingPartyID(parsing: "example.org")), name: "Example",
            origins: try OriginList(parsing: "https://example.org https://app.example.org:8443"))
        created = .generate(random: .seeded(11))
        requested = .generate(random: .seeded(12))
        userHandle = try #require(UserHandle([7, 7, 7]))
    }

    func register(
        _ edit: (inout RegistrationDraft) throws -> Void = { _ in }
    ) throws -> RegisteredCredential {
        var draft = authenticator.registration(created)
        try edit(&draft)
        return try Registration(
            relyingParty: relyingParty, challenge: created,
            requiresUserVerification: requiresUserVerification,
            requiresUserPresence: requiresUserPresence
        ).verify(draft.response)
    }

    /// nil for acceptance.
    func registrationFailure(
        _ edit: (inout RegistrationDraft) throws -> Void
    ) throws -> RegistrationFailure? {
        do {
            _ = try register(edit)
            return nil
        } catch let failure as RegistrationFailure {
            return failure
        }
    }

    func stored(count: UInt32 = 0) throws -> StoredCredential {
        var earlier = self
        earlier.authenticator.signatureCount = count
        return try earlier.register().stored(userHandle: userHandle.bytes)
    }

    func assert(
        against stored: StoredCredential? = nil, signedWith key: SoftwareKey? = nil,
        _ edit: (inout AssertionDraft) throws -> Void = { _ in }
    ) throws -> AssertionOutcome {
        var draft = authenticator.assertion(requested)
        try edit(&draft)
        return try Assertion(
            relyingParty: relyingParty, challenge: requested,
            requiresUserVerification: requiresUserVerification
        ).verify(
            draft.response(signedWith: key ?? authenticator.key),
            against: stored ?? self.stored())
    }

    func assertionFailure(
        against stored: StoredCredential? = nil, signedWith key: SoftwareKey? = nil,
        _ edit: (inout AssertionDraft) throws -> Void
    ) throws -> AssertionFailure? {
        do {
            _ = try assert(against: stored, signedWith: key, edit)
            return nil
        } catch let failure as AssertionFailure {
            return failure
        }
    }
}

/// A case of a table: its name, the change to a value that would be accepted, and the verdict,
/// which is nil for acceptance.
struct EditCase<Value, Verdict: Sendable>: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let verdict: Verdict?
    let edit: @Sendable (inout Value) throws -> Void

    init(
        _ name: String, _ verdict: Verdict?,
        _ edit: @escaping @Sendable (inout Value) throws -> Void
    ) {
        testDescription = name
        self.verdict = verdict
        self.edit = edit
    }
}

typealias RegistrationCase = EditCase<RegistrationDraft, RegistrationFailure>
typealias AssertionCase = EditCase<AssertionDraft, AssertionFailure>
