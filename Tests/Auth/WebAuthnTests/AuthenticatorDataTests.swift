import TestSupport

private func data(_ failure: AuthenticatorDataFailure) -> RegistrationFailure {
    .attestationObject(.authenticatorData(failure))
}

@Suite("Authenticator data")
struct AuthenticatorDataTests {
    private static let registrations: [RegistrationCase] = [
        .init("unchanged", nil) { _ in },
        .init("for another RP ID", .wrongRelyingParty) { $0.data.relyingPartyIDHash[0] ^= 1 },
        .init("with the hash of the origin", .wrongRelyingParty) {
            $0.data.relyingPartyIDHash =
                SoftwareAuthenticator.hash("https://example.org")
        },
        .init("without UP", .userNotPresent) { $0.data.flags.remove(.userPresent) },
        .init("without UV, which is not required", nil) { $0.data.flags.remove(.userVerified) },
        .init("without AT, with its data", data(.trailingBytes)) {
            $0.data.flags.remove(.attestedCredential)
        },
        .init("with AT, without its data", data(.truncated)) { $0.data.credential = nil },
        .init("without AT and its data", .noCredential) {
            $0.data.flags.remove(.attestedCredential)
            $0.data.credential = nil
        },
        .init("with BE", nil) { $0.data.flags.insert(.backupEligible) },
        .init("with BE and BS", nil) { $0.data.flags.formUnion([.backupEligible, .backedUp]) },
        .init("with BS without BE", data(.backedUpButNotEligible)) {
            $0.data.flags.insert(.backedUp)
        },
        .init("with reserved bits", nil) {
            $0.data.flags.formUnion(AuthenticatorFlags(rawValue: 0x22))
        },
        .init("with ED, without extensions", data(.truncated)) {
            $0.data.flags.insert(.extensions)
        },
        .init("with extensions, without ED", data(.trailingBytes)) {
            $0.data.extensions = CBOR.map(CBORMap(unique: [])).encoded
        },
        .init("with ED and extensions", nil) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = (["credProtect": 2, "hmac-secret": true] as CBOR).encoded
        },
        .init("with ED and empty extensions", nil) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = [0xA0]
        },
        .init("with extensions that are an array", data(.malformedExtensions)) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = [0x80]
        },
        .init("with extensions under numbers", data(.malformedExtensions)) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = ([1: true] as CBOR).encoded
        },
        .init("with unsorted extensions", data(.extensions(.unsortedKeys(offset: 168)))) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = CBOR.unsortedMap([("b", true), ("a", 2)])
        },
        .init(
            "with extensions of indefinite length",
            data(.extensions(.indefiniteLength(offset: 164)))
        ) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = [0xBF, 0xFF]
        },
        .init("with a byte behind the key", data(.trailingBytes)) { $0.data.trailing = [0] },
        .init("with a byte behind the extensions", data(.trailingBytes)) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = [0xA0]
            $0.data.trailing = [0xA0]
        },
        .init("with the largest counter", nil) { $0.data.signatureCount = .max },
    ]

    @Test(arguments: registrations)
    func `authenticator data of a registration is checked`(test: RegistrationCase) throws {
        try expectEqual(Fixture().registrationFailure(test.edit), test.verdict)
    }

    private static let credentials: [RegistrationCase] = [
        .init("empty ID", data(.invalidCredentialID)) { $0.data.credential?.id = [] },
        .init("ID of 1023 bytes", nil) {
            $0.id = [UInt8](repeating: 1, count: 1023)
            $0.data.credential?.id = $0.id
        },
        .init("ID of 1024 bytes", data(.invalidCredentialID)) {
            $0.data.credential?.id = [UInt8](repeating: 1, count: 1024)
        },
        .init("length beyond the data", data(.truncated)) { $0.data.credential?.idLength = 1000 },
        .init("length of 65535", data(.invalidCredentialID)) {
            $0.data.credential?.idLength = .max
        },
        .init("AAGUID of 15 bytes", data(.invalidCredentialID)) {
            $0.data.credential?.aaguid.removeLast()
        },
        .init("AAGUID of zeros", nil) {
            $0.data.credential?.aaguid = [UInt8](repeating: 0, count: 16)
        },
        .init("no key", data(.truncated)) { $0.data.credential?.publicKey = [] },
        .init("truncated key", data(.publicKey(.cbor(.truncated(offset: 132))))) {
            $0.data.credential?.publicKey.removeLast()
        },
        .init("a key that is too large", data(.publicKey(.cbor(.tooLarge)))) {
            $0.data.credential?.publicKey = CBOR.coseKey([
                1: 3, 3: -257, -1: .bytes([UInt8](repeating: 0xFF, count: 1100)),
                -2: .bytes([1, 0, 1]),
            ])
        },
        .init("another ID than the response's", .wrongCredentialID) {
            $0.data.credential?.id[0] ^= 1
        },
        .init("another ID in the response", .wrongCredentialID) { $0.id[0] ^= 1 },
        .init("a prefix of the response's ID", .wrongCredentialID) {
            $0.data.credential?.id.removeLast()
        },
    ]

    @Test(arguments: credentials)
    func `credential data of a registration is checked`(test: RegistrationCase) throws {
        try expectEqual(Fixture().registrationFailure(test.edit), test.verdict)
    }

    private static let assertions: [AssertionCase] = [
        .init("unchanged", nil) { _ in },
        .init("for another RP ID", .wrongRelyingParty) { $0.data.relyingPartyIDHash[31] ^= 0x80 },
        .init("without UP", .userNotPresent) { $0.data.flags.remove(.userPresent) },
        .init("without any flag", .userNotPresent) { $0.data.flags = [] },
        .init("without UV, which is not required", nil) { $0.data.flags.remove(.userVerified) },
        .init("with BS without BE", .authenticatorData(.backedUpButNotEligible)) {
            $0.data.flags.insert(.backedUp)
        },
        .init("with BE, which was not registered", .backupEligibilityChanged) {
            $0.data.flags.insert(.backupEligible)
        },
        .init("with a credential", .unexpectedCredential) {
            $0.data.flags.insert(.attestedCredential)
            $0.data.credential = AttestedCredentialDraft(
                aaguid: [UInt8](repeating: 0, count: 16), id: [1],
                publicKey: try SoftwareKey.es256(seed: 3).coseKey)
        },
        .init("with AT, without its data", .authenticatorData(.truncated)) {
            $0.data.flags.insert(.attestedCredential)
        },
        .init("with ED, without extensions", .authenticatorData(.truncated)) {
            $0.data.flags.insert(.extensions)
        },
        .init("with extensions", nil) {
            $0.data.flags.insert(.extensions)
            $0.data.extensions = (["appid": true] as CBOR).encoded
        },
        .init("with a byte behind it", .authenticatorData(.trailingBytes)) {
            $0.data.trailing = [0]
        },
        .init("with reserved bits", nil) {
            $0.data.flags.formUnion(AuthenticatorFlags(rawValue: 0x22))
        },
        .init("with too many bytes", .authenticatorData(.tooLarge)) {
            $0.data.trailing = [UInt8](repeating: 0, count: AuthenticatorData.bytesMax)
        },
        .init("without its last byte", .authenticatorData(.truncated)) {
            $0.data.relyingPartyIDHash.removeLast()
        },
    ]

    @Test(arguments: assertions)
    func `authenticator data of an assertion is checked`(test: AssertionCase) throws {
        try expectEqual(Fixture().assertionFailure(test.edit), test.verdict)
    }

    @Test func `user verification is required on request`() throws {
        var fixture = try Fixture()
        fixture.requiresUserVerification = true
        try expectEqual(fixture.registrationFailure { _ in }, nil)
        try expectEqual(fixture.assertionFailure { _ in }, nil)
        try expectEqual(
            fixture.registrationFailure { $0.data.flags.remove(.userVerified) }, .userNotVerified)
        try expectEqual(
            fixture.assertionFailure { $0.data.flags.remove(.userVerified) }, .userNotVerified)
    }

    @Test func `a conditional registration needs no user presence, but assertions do`() throws {
        var fixture = try Fixture()
        fixture.requiresUserPresence = false
        try expectEqual(fixture.registrationFailure { $0.data.flags.remove(.userPresent) }, nil)
        try expectEqual(
            fixture.assertionFailure { $0.data.flags.remove(.userPresent) }, .userNotPresent)
    }

    @Test func `every prefix of authenticator data is refused`() throws {
        let fixture = try Fixture()
        let bytes = fixture.authenticator.registration(fixture.created).data.bytes
        for count in 0..<bytes.count {
            #expect(throws: AuthenticatorDataFailure.self) {
                try AuthenticatorData(parsing: Array(bytes.prefix(count)))
            }
        }
        try expectEqual(AuthenticatorData(parsing: bytes).bytes, bytes)
    }
}
