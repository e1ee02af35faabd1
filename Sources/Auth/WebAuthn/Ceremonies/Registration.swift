/// Why a new credential was refused.
package enum RegistrationFailure: Error, Equatable, Sendable {
    case clientData(ClientDataFailure)
    case attestationObject(AttestationObjectFailure)
    case attestation(AttestationFailure)
    /// The credential is for another RP ID.
    case wrongRelyingParty
    case userNotPresent
    case userNotVerified
    /// AT is not set.
    case noCredential
    case algorithmNotOffered
    /// The response has another credential ID than the one that the authenticator made.
    case wrongCredentialID
}

/// A credential with a verified registration: the values to store.
package struct RegisteredCredential: Sendable, Equatable {
    package let id: CredentialID
    package let publicKey: CredentialPublicKey
    package let signatureCount: UInt32
    package let isUserVerified: Bool
    package let isBackupEligible: Bool
    package let isBackedUp: Bool
    package let aaguid: AAGUID
    /// The transports that the client stated, including unknown ones. They are repeated in later
    /// options.
    package let transports: [String]
    /// Whether the client states that it can be found without its ID. The statement is not signed.
    package let isDiscoverable: Bool?
    package let attestation: Attestation
}

/// The registration of a credential (WebAuthn section 7.1).
package struct Registration: Sendable {
    package let relyingParty: RelyingParty
    /// The challenge from the store. The caller consumes it before the verification.
    package let challenge: Challenge
    package let requiresUserVerification: Bool
    /// False for a request with `mediation: "conditional"`, which clients may answer without asking
    /// the user.
    package let requiresUserPresence: Bool

    package init(
        relyingParty: RelyingParty, challenge: Challenge, requiresUserVerification: Bool,
        requiresUserPresence: Bool = true
    ) {
        self.relyingParty = relyingParty
        self.challenge = challenge
        self.requiresUserVerification = requiresUserVerification
        self.requiresUserPresence = requiresUserPresence
    }

    /// The caller must refuse an ID that is registered already, for any account: otherwise a
    /// registration could take over another user's credential (WebAuthn section 7.1, note on
    /// duplicate credential IDs).
    package func verify(
        _ response: RegistrationResponse
    ) throws(RegistrationFailure) -> RegisteredCredential {
        let clientDataHash = try verifyClientData(response)
        let object: AttestationObject
        do throws(AttestationObjectFailure) {
            object = try AttestationObject(parsing: response.attestationObject)
        } catch {
            throw .attestationObject(error)
        }
        let data = object.authenticatorData
        guard data.relyingPartyIDHash == relyingParty.id.hash else { throw .wrongRelyingParty }
        guard !requiresUserPresence || data.flags.contains(.userPresent) else {
            throw .userNotPresent
        }
        guard !requiresUserVerification || data.flags.contains(.userVerified) else {
            throw .userNotVerified
        }
        guard let credential = data.attestedCredential else { throw .noCredential }
        guard relyingParty.algorithms.contains(credential.publicKey.algorithm) else {
            throw .algorithmNotOffered
        }
        guard credential.id == response.id else { throw .wrongCredentialID }
        let attestation: Attestation
        do throws(AttestationFailure) {
            attestation = try object.attestation(clientDataHash: clientDataHash)
        } catch {
            throw .attestation(error)
        }
        return RegisteredCredential(
            id: credential.id, publicKey: credential.publicKey,
            signatureCount: data.signatureCount,
            isUserVerified: data.flags.contains(.userVerified),
            isBackupEligible: data.flags.contains(.backupEligible),
            isBackedUp: data.flags.contains(.backedUp), aaguid: credential.aaguid,
            transports: response.transports, isDiscoverable: response.isDiscoverable,
            attestation: attestation)
    }

    private func verifyClientData(
        _ response: RegistrationResponse
    ) throws(RegistrationFailure) -> [UInt8] {
        do throws(ClientDataFailure) {
            let data = try ClientData(parsing: response.clientDataJSON)
            try data.verify(.registration, challenge, relyingParty)
            return data.hash
        } catch {
            throw .clientData(error)
        }
    }
}
