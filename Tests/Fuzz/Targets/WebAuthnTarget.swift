internal import Bytes
internal import CBOR
internal import CBORTestSupport
internal import Cryptography
internal import JSON
internal import WebAuthn
internal import WebAuthnTestSupport

extension FuzzTarget {
    /// Nothing is accepted but what the credential signed.
    ///
    /// The first byte of the input chooses: an attestation object, client data or a public key as
    /// they are, or edits of a registration or of an assertion.
    static let webAuthn = FuzzTarget("webauthn", inputBytesMax: 8192) {
        (input) throws(BrokenProperty) in
        guard let choice = input.first else { return }
        guard let ceremony = PasskeyCase.shared else { throw BrokenProperty("no passkey") }
        let rest = Array(input.dropFirst())
        switch choice {
        case UInt8(ascii: "o"): try ceremony.checkAttestationObject(rest)
        case UInt8(ascii: "c"): try ceremony.checkClientData(rest)
        case UInt8(ascii: "k"): try PasskeyCase.checkPublicKey(rest)
        case UInt8(ascii: "r"): try ceremony.checkRegistration(edits: rest)
        case UInt8(ascii: "a"): try ceremony.checkAssertion(edits: rest)
        default: return
        }
    }
}

/// One passkey with a fixed key, so that inputs mean the same in every run.
private struct PasskeyCase: Sendable {
    private static let origin = "https://example.org"

    private let relyingParty: RelyingParty
    private let challenge: Challenge
    private let registered: RegistrationResponse
    private let signed: AssertionResponse
    private let stored: StoredCredential

    /// nil only if the cryptography does not work at all.
    static let shared = try? PasskeyCase()

    private init() throws {
        guard let id = RelyingPartyID(parsing: "example.org"), let user = UserHandle([1]) else {
            throw BrokenProperty("the fixed values are refused")
        }
        relyingParty = RelyingParty(
            id: id, name: "Example", origins: try OriginList(parsing: Self.origin))
        challenge = .generate(random: .seeded(1))
        let authenticator = try SoftwareAuthenticator(seed: 1)
        var draft = authenticator.registration(challenge)
        try draft.attestItself(with: authenticator.key)
        registered = try draft.response
        signed = try authenticator.assertion(challenge).response(signedWith: authenticator.key)
        let credential = try Registration(
            relyingParty: relyingParty, challenge: challenge, requiresUserVerification: true
        ).verify(registered)
        stored = StoredCredential(
            id: credential.id, publicKey: credential.publicKey, signatureCount: 0,
            isBackupEligible: false, userHandle: user)
    }

    private func register(_ response: RegistrationResponse) -> RegisteredCredential? {
        try? Registration(
            relyingParty: relyingParty, challenge: challenge, requiresUserVerification: false
        ).verify(response)
    }

    func checkAttestationObject(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let object = try? AttestationObject(parsing: bytes) else { return }
        let limits = CBORLimits(bytesMax: AttestationObject.bytesMax, depthMax: 8, itemsMax: 512)
        let item = try? CBOR.parse(bytes, limits: limits)
        try require(item?.encoded == bytes, "an attestation object is not canonical")
        let data = object.authenticatorData
        try require(
            data.flags.contains(.attestedCredential) == (data.attestedCredential != nil),
            "AT without a credential, or a credential without AT")
        try require(
            data.flags.contains(.extensions) == (data.extensions != nil),
            "ED without extensions, or extensions without ED")
        guard let id = data.attestedCredential?.id else { return }
        let response = RegistrationResponse(
            id: id, clientDataJSON: registered.clientDataJSON, attestationObject: bytes)
        guard let accepted = register(response) else { return }
        try require(accepted.id == id, "another credential is registered")
        try require(
            relyingParty.algorithms.contains(accepted.publicKey.algorithm),
            "an algorithm is accepted that was not offered")
        try Self.checkPublicKey(accepted.publicKey.bytes)
    }

    static func checkPublicKey(_ bytes: [UInt8]) throws(BrokenProperty) {
        guard let key = try? CredentialPublicKey(parsing: bytes) else { return }
        try require(key.bytes == bytes, "a public key changes")
        try require(!key.isValid([], for: [1]), "an empty signature is accepted")
        try require(
            !key.isValid([UInt8](repeating: 0, count: 64), for: [1]),
            "a signature of zeros is accepted")
    }

    /// Input that the limited verification algorithm accepts is accepted as well, if it is JSON.
    func checkClientData(_ bytes: [UInt8]) throws(BrokenProperty) {
        let response = RegistrationResponse(
            id: registered.id, clientDataJSON: bytes, attestationObject: unattested)
        let isAccepted = register(response) != nil
        let limits = JSONLimits(bytesMax: ClientData.bytesMax, depthMax: 16, membersMax: 64)
        guard let object = (try? JSON.parse(bytes, limits: limits))?.objectValue else {
            try require(
                !isAccepted || bytes.starts(with: [0xEF, 0xBB, 0xBF]),
                "client data is accepted that is not JSON")
            return
        }
        let isPlain =
            object["topOrigin"] == nil
            && LimitedVerification.accepts(
                bytes, type: "webauthn.create", challenge: challenge.text, origin: Self.origin,
                topOrigin: nil, isCrossOrigin: false)
        try require(isAccepted || !isPlain, "client data is refused without a reason")
        guard isAccepted else { return }
        try require(object["type"] == "webauthn.create", "the type")
        try require(object["challenge"] == .string(challenge.text), "the challenge")
        try require(object["origin"] == .string(Self.origin), "the origin")
        try require(object["crossOrigin"] != true, "a frame of another site")
    }

    /// The same credential without a statement.
    private var unattested: [UInt8] {
        guard let object = try? AttestationObject(parsing: registered.attestationObject) else {
            return []
        }
        let item: CBOR = [
            "fmt": "none", "attStmt": [:], "authData": .bytes(object.authenticatorData.bytes),
        ]
        return item.encoded
    }

    func checkRegistration(edits: [UInt8]) throws(BrokenProperty) {
        let (object, clientData) = Self.edit(
            registered.attestationObject, registered.clientDataJSON, edits)
        let response = RegistrationResponse(
            id: registered.id, clientDataJSON: clientData, attestationObject: object)
        guard let accepted = register(response), accepted.attestation == .selfSigned else { return }
        let data = (try? AttestationObject(parsing: object))?.authenticatorData.bytes
        let original = try? AttestationObject(parsing: registered.attestationObject)
        try require(
            data == original?.authenticatorData.bytes && clientData == registered.clientDataJSON,
            "a registration counts as signed that the credential did not sign")
    }

    func checkAssertion(edits: [UInt8]) throws(BrokenProperty) {
        let whole = signed.authenticatorData + signed.signature
        let (edited, clientData) = Self.edit(whole, signed.clientDataJSON, edits)
        let count = min(signed.authenticatorData.count, edited.count)
        let response = AssertionResponse(
            id: signed.id, clientDataJSON: clientData,
            authenticatorData: Array(edited[..<count]), signature: Array(edited[count...]))
        let outcome = try? Assertion(
            relyingParty: relyingParty, challenge: challenge, requiresUserVerification: true
        ).verify(response, against: stored)
        guard outcome != nil else {
            try require(response != signed, "a signed assertion is refused")
            return
        }
        try require(
            response.authenticatorData == signed.authenticatorData
                && clientData == signed.clientDataJSON,
            "an assertion is accepted that the credential did not sign")
    }

    /// Edits of three bytes each: where in both together (two bytes), and which byte to put there.
    private static func edit(
        _ first: [UInt8], _ second: [UInt8], _ edits: [UInt8]
    ) -> ([UInt8], [UInt8]) {
        var parts = [first, second]
        for start in stride(from: 0, to: edits.count - 2, by: 3) {
            let place = Int(edits[start]) << 8 | Int(edits[start + 1])
            let part = place < parts[0].count ? 0 : 1
            guard !parts[part].isEmpty else { continue }
            let offset = (part == 0 ? place : place - parts[0].count) % parts[part].count
            parts[part][offset] = edits[start + 2]
        }
        return (parts[0], parts[1])
    }
}
