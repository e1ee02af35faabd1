internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import KeyValueStore
internal import Time
internal import WebAuthn

/// Evidence that the user of an account has used one of its passkeys, or has created its first one.
/// Only `AuthServices.verified` can state that the passkey has verified the user.
struct PasskeyProof {
    let user: UserID
    /// The subject of its identity.
    let passkey: String
    /// Whether the user was verified by a PIN or biometrics. The passkey is then two factors.
    let isUserVerified: Bool

    var method: ProofMethod { isUserVerified ? .verifiedPasskey : .passkey }

    fileprivate init(user: UserID, passkey: String, isUserVerified: Bool) {
        self.user = user
        self.passkey = passkey
        self.isUserVerified = isUserVerified
    }

    /// The proof of a user who has just added a passkey. A registration without attestation is not
    /// signed, so it does not prove that the user was verified.
    init(_ new: NewPasskey, of user: UserID) {
        self.init(user: user, passkey: new.identity.subject, isUserVerified: false)
    }
}

/// A used passkey, and the writes about it.
struct UsedPasskey {
    let proof: PasskeyProof
    /// The row with which the signature was verified.
    let read: Item
    /// The row with its counter. If two signatures have the same counter, one is refused.
    let write: Write
}

extension AuthServices {
    /// The ceremony of a request, which the opening has used up.
    ///
    /// - Parameter items: must include `secret.key`.
    func ceremony(
        _ secret: CeremonySecret?, _ items: ReadItems, for purpose: PasskeyCeremony.Purpose
    ) throws(AuthError) -> PasskeyCeremony {
        guard let secret, let item = items[secret.key] else { throw .passkey(.ceremonyInvalid) }
        let ceremony = try decoded(PasskeyCeremony(item))
        guard ceremony.purpose == purpose else { throw .passkey(.ceremonyInvalid) }
        return ceremony
    }

    /// Uses up the ceremony, before anything is verified (WebAuthn section 13.4.3).
    func use(of secret: CeremonySecret?) throws(AuthError) -> LimitedUse? {
        guard let secret else { return nil }
        let expiresAt = clock.now() + (try passkeyPolicy).ceremonyLifetime + .minutes(1)
        return LimitedUse(
            counter: CounterIncrement(
                StoreLayout.presentations(ofCeremony: secret.hash), expiresAt: expiresAt),
            refused: .passkey(.ceremonyInvalid))
    }

    /// Verifies the answer of an authenticator with a passkey of the account.
    ///
    /// - Parameters:
    ///   - item: the row of the passkey that the answer names, if the account has it.
    ///   - attempts: the chain of attempts on the account. A refusal is recorded there.
    func verified(
        _ response: AssertionResponse, _ item: Item?, of user: User,
        _ ceremony: PasskeyCeremony, requiresUserVerification: Bool = false,
        requiresUserHandle: Bool = false,
        recordingIn attempts: AuditTrail, _ caller: Caller
    ) throws(AuthError) -> UsedPasskey {
        func refused(_ reason: String) throws(AuthError) -> AuthError {
            try recordFailure(.passkeyRefused, on: attempts, caller, detail: reason)
            return .passkey(.refused)
        }
        let assertion = Assertion(
            relyingParty: try passkeys.relyingParty, challenge: ceremony.challenge,
            requiresUserVerification: requiresUserVerification,
            requiresUserHandle: requiresUserHandle)
        guard let item, user.hasPasskey(PasskeyRecord.id(of: item.key)) else {
            try passkeys.spendWork(assertion, response)
            throw try refused("unknown")
        }
        guard let stored = try passkey(item) else { throw try refused("notSealedForAccount") }
        let outcome: AssertionOutcome
        do throws(AssertionFailure) {
            outcome = try assertion.verify(response, against: stored.passkey.stored)
        } catch {
            if error == .clientData(.wrongOrigin) {
                logFacts.values.unlistedOrigin = ClientData.origin(in: response.clientDataJSON)
            }
            throw try refused(error.reason)
        }
        var next = stored.passkey
        next.signatureCount = max(next.signatureCount, outcome.signatureCount)
        next.isBackedUp = outcome.isBackedUp
        next.lastUsedAt = clock.now()
        return UsedPasskey(
            proof: PasskeyProof(
                user: user.id, passkey: stored.id, isUserVerified: outcome.isUserVerified),
            read: item,
            write: try replacing(stored, of: user.id, with: next))
    }
}

extension AssertionFailure {
    /// The reason in the audit log.
    fileprivate var reason: String {
        switch self {
        case .clientData: "clientData"
        case .authenticatorData: "authenticatorData"
        case .wrongCredential: "wrongCredential"
        case .wrongUser: "wrongUserHandle"
        case .wrongRelyingParty: "wrongRelyingParty"
        case .userNotPresent: "userNotPresent"
        case .userNotVerified: "userNotVerified"
        case .unexpectedCredential: "unexpectedCredential"
        case .backupEligibilityChanged: "backupEligibilityChanged"
        case .badSignature: "badSignature"
        case .counterRegressed: "counterRegressed"
        }
    }
}
