private func object(_ failure: CBORFailure) -> RegistrationFailure {
    .attestationObject(.cbor(failure))
}

@Suite("Attestation objects")
struct AttestationObjectTests {
    private static func encode(_ draft: RegistrationDraft, _ adding: [(CBOR, CBOR)] = []) -> [UInt8]
    {
        CBOR.map(
            CBORMap(
                unique: ([
                    ("fmt", draft.format), ("attStmt", draft.statement),
                    ("authData", .bytes(draft.data.bytes)),
                ] + adding).map { .init(key: $0.0, value: $0.1) })
        ).encoded
    }

    private static let cases: [RegistrationCase] = [
        .init("unchanged", nil) { $0.attestationObject = encode($0) },
        .init("empty", object(.truncated(offset: 0))) { $0.attestationObject = [] },
        .init("of another type", .attestationObject(.malformed)) { $0.attestationObject = [0x80] },
        .init("an empty map", .attestationObject(.malformed)) { $0.attestationObject = [0xA0] },
        .init("with a further member", .attestationObject(.malformed)) {
            $0.attestationObject = encode($0, [("epAtt", true)])
        },
        .init("with fmt as bytes", .attestationObject(.malformed)) {
            $0.format = .bytes(Array("none".utf8))
        },
        .init("with fmt null", .attestationObject(.malformed)) { $0.format = .null },
        .init("with fmt empty", .attestationObject(.malformed)) { $0.format = "" },
        .init("with fmt of 32 bytes", nil) { $0.format = .text(String(repeating: "a", count: 32)) },
        .init("with fmt of 33 bytes", .attestationObject(.malformed)) {
            $0.format = .text(String(repeating: "a", count: 33))
        },
        .init("with fmt that is not printable", .attestationObject(.malformed)) {
            $0.format = "none\u{0}"
        },
        .init("with a quotation mark in fmt", .attestationObject(.malformed)) {
            $0.format = "no\"ne"
        },
        .init("with attStmt as an array", .attestationObject(.malformed)) { $0.statement = [] },
        .init("with authData as text", .attestationObject(.malformed)) {
            $0.attestationObject =
                (["fmt": "none", "attStmt": [:], "authData": "text"] as CBOR).encoded
        },
        .init("with authData as a map", .attestationObject(.malformed)) {
            $0.attestationObject =
                (["fmt": "none", "attStmt": [:], "authData": [:]] as CBOR).encoded
        },
        .init("without authData", .attestationObject(.malformed)) {
            $0.attestationObject = (["fmt": "none", "attStmt": [:]] as CBOR).encoded
        },
        .init("with empty authData", .attestationObject(.authenticatorData(.truncated))) {
            $0.attestationObject =
                (["fmt": "none", "attStmt": [:], "authData": .bytes([])] as CBOR).encoded
        },
        .init("with the keys of CTAP", .attestationObject(.malformed)) {
            $0.attestationObject = ([1: "none", 2: .bytes($0.data.bytes), 3: [:]] as CBOR).encoded
        },
        .init("with a byte behind it", object(.trailingBytes(offset: 194))) {
            $0.attestationObject = encode($0) + [0]
        },
        .init("without its last byte", object(.truncated(offset: 30))) {
            $0.attestationObject = encode($0).dropLast()
        },
        .init("with unsorted keys", object(.unsortedKeys(offset: 176))) {
            $0.attestationObject = CBOR.unsortedMap([
                ("authData", .bytes($0.data.bytes)), ("fmt", "none"), ("attStmt", [:]),
            ])
        },
        .init("with a key twice", object(.duplicateKey(offset: 10))) {
            $0.attestationObject = CBOR.unsortedMap([
                ("fmt", "none"), ("fmt", "none"), ("attStmt", [:]),
                ("authData", .bytes($0.data.bytes)),
            ])
        },
        .init("of indefinite length", object(.indefiniteLength(offset: 0))) {
            $0.attestationObject = [0xBF] + encode($0).dropFirst() + [0xFF]
        },
        .init("in a tag", object(.unsupported(offset: 0))) {
            $0.attestationObject = [0xC1] + encode($0)
        },
        .init("in base64url", object(.unsupported(offset: 2))) {
            // Decoded once too little: text is not CBOR.
            $0.attestationObject = [0x81, 0x81, 0xFA] + encode($0)
        },
        .init("that is too large", .attestationObject(.tooLarge)) {
            $0.attestationObject = [UInt8](repeating: 0, count: AttestationObject.bytesMax + 1)
        },
    ]

    @Test(arguments: cases)
    func `attestation objects are accepted or refused as specified`(test: RegistrationCase) throws {
        try expectEqual(Fixture().registrationFailure(test.edit), test.verdict)
    }
}

@Suite("Attestation statements")
struct AttestationStatementTests {
    private static let cases: [RegistrationCase] = [
        .init("none with a statement", .attestation(.malformed)) { $0.statement = ["alg": -7] },
        .init("self attestation", nil) { try $0.attestItself(with: .es256(seed: 1)) },
        .init("self attestation without alg", .attestation(.malformed)) {
            try $0.attestItself(with: .es256(seed: 1))
            $0.statement = ["sig": $0.statement.mapValue?["sig"] ?? .null]
        },
        .init("self attestation without sig", .attestation(.malformed)) {
            $0.format = "packed"
            $0.statement = ["alg": -7]
        },
        .init("self attestation with alg as text", .attestation(.malformed)) {
            $0.format = "packed"
            $0.statement = ["alg": "ES256", "sig": .bytes([1])]
        },
        .init("self attestation with sig as text", .attestation(.malformed)) {
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": "1"]
        },
        .init("self attestation with another alg", .attestation(.wrongAlgorithm)) {
            try $0.attestItself(with: .es256(seed: 1))
            $0.statement = ["alg": -8, "sig": $0.statement.mapValue?["sig"] ?? .null]
        },
        .init("self attestation with a further member", .attestation(.malformed)) {
            try $0.attestItself(with: .es256(seed: 1))
            $0.statement = [
                "alg": -7, "sig": $0.statement.mapValue?["sig"] ?? .null, "ecdaaKeyId": .bytes([1]),
            ]
        },
        .init("self attestation by another key", .attestation(.badSignature)) {
            try $0.attestItself(with: .es256(seed: 2))
        },
        .init("self attestation with an empty signature", .attestation(.badSignature)) {
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": .bytes([])]
        },
        .init("self attestation of other authenticator data", .attestation(.badSignature)) {
            try $0.attestItself(with: .es256(seed: 1))
            $0.data.signatureCount += 1
        },
        .init("self attestation of other client data", .attestation(.badSignature)) {
            try $0.attestItself(with: .es256(seed: 1))
            $0.clientData["added"] = 1
        },
        .init("packed with x5c empty", .attestation(.malformed)) {
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": .bytes([1]), "x5c": []]
        },
        .init("packed with x5c as bytes", .attestation(.malformed)) {
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": .bytes([1]), "x5c": .bytes([1])]
        },
        .init("packed with x5c of text", .attestation(.malformed)) {
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": .bytes([1]), "x5c": ["certificate"]]
        },
        .init("packed with a certificate that is none", .attestation(.badCertificate)) {
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": .bytes([1]), "x5c": [.bytes([1])]]
        },
        .init("packed with a further member", .attestation(.malformed)) {
            $0.format = "packed"
            $0.statement = ["alg": -7, "sig": .bytes([1]), "x5c": [.bytes([1])], "ver": "2.0"]
        },
        .init("a format in upper case is another format", nil) { $0.format = "NONE" },
        .init("a format that is not known", nil) {
            $0.format = "example"
            $0.statement = ["anything": [1, 2, 3]]
        },
    ]

    @Test(arguments: cases)
    func `attestation statements are accepted or refused as specified`(test: RegistrationCase)
        throws
    {
        try expectEqual(Fixture().registrationFailure(test.edit), test.verdict)
    }

    @Test(arguments: ["tpm", "android-key", "android-safetynet", "apple", "fido-u2f", "compound"])
    func `another format is accepted and ignored`(format: String) throws {
        let registered = try Fixture().register {
            $0.format = .text(format)
            $0.statement = ["sig": .bytes([0]), "x5c": [.bytes([0])]]
        }
        expectEqual(registered.attestation, .ignored(format: format))
    }
}
