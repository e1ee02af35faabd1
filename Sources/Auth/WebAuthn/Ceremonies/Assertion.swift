/// Why an assertion was refused. Clients get the same response for all these reasons, and for an
/// unknown credential (WebAuthn section 14.6.2).
package enum AssertionFailure: Error, Equatable, Sendable {
    case clientData(ClientDataFailure)
    case authenticatorData(AuthenticatorDataFailure)
    /// The response does not belong to the stored credential.
    case wrongCredential
    /// The user handle is missing, or does not belong to the credential's owner.
    case wrongUser
    /// The response was signed for another RP ID.
    case wrongRelyingParty
    case userNotPresent
    case userNotVerified
    /// There is attested credential data, which an assertion must not have (WebAuthn section 6.1).
    case unexpectedCredential
    /// BE differs from the registration, although it never changes.
    case backupEligibilityChanged
    case badSignature
    /// The counter of a credential that cannot be copied did not advance. The signature is valid,
    /// so an audit event is useful.
    case counterRegressed(stored: UInt32, received: UInt32)
}

/// The parts of a stored credential that an assertion is verified against.
package struct StoredCredential: Sendable, Equatable {
    package let id: CredentialID
    package let publicKey: CredentialPublicKey
    package let signatureCount: UInt32
    package let isBackupEligible: Bool
    package let userHandle: UserHandle

    package init(
        id: CredentialID, publicKey: CredentialPublicKey, signatureCount: UInt32,
        isBackupEligible: Bool, userHandle: UserHandle
    ) {
        self.id = id
        self.publicKey = publicKey
        self.signatureCount = signatureCount
        self.isBackupEligible = isBackupEligible
        self.userHandle = userHandle
    }
}

/// The result of a verified assertion: the values to update in the store.
package struct AssertionOutcome: Sendable, Equatable {
    /// The new counter. Store it on the condition that the stored value is still the one that the
    /// assertion was verified with.
    package let signatureCount: UInt32
    package let counter: SignatureCounter
    package let isUserVerified: Bool
    package let isBackedUp: Bool
}

/// A sign-in or a step-up with a credential (WebAuthn section 7.2).
package struct Assertion: Sendable {
    package let relyingParty: RelyingParty
    /// The challenge from the store. The caller consumes it before the verification.
    package let challenge: Challenge
    package let requiresUserVerification: Bool
    /// For a sign-in in which the user was not known when the ceremony began (WebAuthn section
    /// 7.2, step 6).
    package let requiresUserHandle: Bool

    package init(
        relyingParty: RelyingParty, challenge: Challenge, requiresUserVerification: Bool,
        requiresUserHandle: Bool = false
    ) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.requiresUserVerification = requiresUserVerification
        self.requiresUserHandle = requiresUserHandle
    }

    /// Verifies with the credential that the caller has found by `response.id`.
    ///
    /// The user handle must not be used to find it, because it is not signed. It is only compared.
    package func verify(
        _ response: AssertionResponse, against stored: StoredCredential
    ) throws(AssertionFailure) -> AssertionOutcome {
        guard response.id == stored.id else { throw .wrongCredential }
        let clientDataHash = try verifyClientData(response)
        let data = try verifyAuthenticatorData(response)
        guard stored.publicKey.isValid(response.signature, for: data.bytes + clientDataHash) else {
            throw .badSignature
        }
        // The flags are checked after the signature, so that neither the time nor the reason
        // reveals facts about the credential to others.
        guard
            response.userHandle == stored.userHandle
                || (response.userHandle == nil && !requiresUserHandle)
        else { throw .wrongUser }
        let flags = data.flags
        guard flags.contains(.backupEligible) == stored.isBackupEligible else {
            throw .backupEligibilityChanged
        }
        guard
            let counter = SignatureCounter.judge(
                stored: stored.signatureCount, received: data.signatureCount,
                isBackupEligible: stored.isBackupEligible)
        else {
            throw .counterRegressed(
                stored: stored.signatureCount, received: data.signatureCount)
        }
        return AssertionOutcome(
            signatureCount: data.signatureCount, counter: counter,
            isUserVerified: flags.contains(.userVerified), isBackedUp: flags.contains(.backedUp))
    }

    func verifyAuthenticatorData(
        _ response: AssertionResponse
    ) throws(AssertionFailure) -> AuthenticatorData {
        let data: AuthenticatorData
        do throws(AuthenticatorDataFailure) {
            data = try AuthenticatorData(parsing: response.authenticatorData)
        } catch {
            throw .authenticatorData(error)
        }
        guard data.relyingPartyIDHash == relyingParty.id.hash else { throw .wrongRelyingParty }
        guard data.flags.contains(.userPresent) else { throw .userNotPresent }
        guard !requiresUserVerification || data.flags.contains(.userVerified) else {
            throw .userNotVerified
        }
        guard data.attestedCredential == nil else { throw .unexpectedCredential }
        return data
    }

    func verifyClientData(
        _ response: AssertionResponse
    ) throws(AssertionFailure) -> [UInt8] {
        do throws(ClientDataFailure) {
            let data = try ClientData(parsing: response.clientDataJSON)
            try data.verify(.authentication, challenge, relyingParty)
            return data.hash
        } catch {
            throw .clientData(error)
        }
    }
}
