@Suite("Assertions")
struct AssertionTests {
    @Test func `changed signed data is refused`() throws {
        let fixture = try Fixture()
        let stored = try fixture.stored()
        let draft = fixture.authenticator.assertion(fixture.requested)
        let signature = try draft.response(signedWith: fixture.authenticator.key).signature
        let ceremony = Assertion(
            relyingParty: fixture.relyingParty, challenge: fixture.requested,
            requiresUserVerification: false)
        let changes: [(inout AssertionDraft) -> Void] = [
            { $0.data.signatureCount = 5 }, { $0.data.flags.remove(.userVerified) },
            { $0.clientData["added"] = true }, { $0.clientData["crossOrigin"] = nil },
            { $0.clientDataBytes = $0.clientData.serialized + [0x20] },
            { $0.clientData["origin"] = "https://app.example.org:8443" },
        ]
        _ = try ceremony.verify(draft.response(signature: signature), against: stored)
        for change in changes {
            var changed = draft
            change(&changed)
            #expect(throws: AssertionFailure.badSignature) {
                try ceremony.verify(changed.response(signature: signature), against: stored)
            }
        }
        for index in signature.indices {
            var changed = signature
            changed[index] ^= 0x01
            #expect(throws: AssertionFailure.badSignature) {
                try ceremony.verify(draft.response(signature: changed), against: stored)
            }
        }
    }

    @Test(
        arguments: [[], [0], [0x30, 0x00], [0x30, 0x06, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00]]
            as [[UInt8]])
    func `a signature of zeros is refused`(signature: [UInt8]) throws {
        let fixture = try Fixture()
        let draft = fixture.authenticator.assertion(fixture.requested)
        #expect(throws: AssertionFailure.badSignature) {
            try Assertion(
                relyingParty: fixture.relyingParty, challenge: fixture.requested,
                requiresUserVerification: false
            ).verify(draft.response(signature: signature), against: fixture.stored())
        }
    }

    /// The key's scalar is 1, so that a valid signature shows that one is verified.
    @Test func `an unknown credential costs the verification of a signature`() throws {
        let fixture = try Fixture()
        let one = SecretBytes([UInt8](repeating: 0, count: 31) + [1])
        let key = SoftwareKey.es256(try P256PrivateKey(scalar: one))
        let assertion = Assertion(
            relyingParty: fixture.relyingParty, challenge: fixture.requested,
            requiresUserVerification: false)
        let draft = fixture.authenticator.assertion(fixture.requested)
        #expect(assertion.spendWork(on: try draft.response(signedWith: key)))
        #expect(!assertion.spendWork(on: try draft.response(signedWith: .es256(seed: 5))))
    }

    @Test func `the user handle may be missing but not differ`() throws {
        let fixture = try Fixture()
        try expectEqual(fixture.assertionFailure { $0.userHandle = nil }, nil)
        try expectEqual(fixture.assertionFailure { $0.userHandle = [7, 7, 7] }, nil)
        for other in [[7, 7], [7, 7, 7, 7], [8, 7, 7], [0]] as [[UInt8]] {
            try expectEqual(fixture.assertionFailure { $0.userHandle = other }, .wrongUser)
        }
    }

    @Test func `the response must be from the stored credential`() throws {
        let fixture = try Fixture()
        try expectEqual(fixture.assertionFailure { $0.id[0] ^= 1 }, .wrongCredential)
        try expectEqual(fixture.assertionFailure { $0.id.append(0) }, .wrongCredential)
    }

    @Test func `backup eligibility never changes, the backup state may`() throws {
        var fixture = try Fixture()
        fixture.authenticator.flags.insert(.backupEligible)
        let stored = try fixture.stored()
        #expect(try !fixture.assert(against: stored).isBackedUp)
        #expect(try fixture.assert(against: stored) { $0.data.flags.insert(.backedUp) }.isBackedUp)
        try expectEqual(
            fixture.assertionFailure(against: stored) { $0.data.flags.remove(.backupEligible) },
            .backupEligibilityChanged)
    }
}

@Suite("Signature counters")
struct SignatureCounterTests {
    private static let cases: [(UInt32, UInt32, SignatureCounter?)] = [
        (0, 0, .unused), (0, 1, .advanced), (1, 2, .advanced), (1, 100, .advanced),
        (.max - 1, .max, .advanced), (1, 1, nil), (2, 1, nil), (1, 0, nil), (.max, 0, nil),
        (.max, .max, nil),
    ]

    @Test(arguments: cases)
    func `a counter that does not advance is refused for a credential on one device`(
        stored: UInt32, received: UInt32, counter: SignatureCounter?
    ) throws {
        let fixture = try Fixture()
        let credential = try fixture.stored(count: stored)
        let edit = { (draft: inout AssertionDraft) in draft.data.signatureCount = received }
        if let counter {
            let outcome = try fixture.assert(against: credential, edit)
            expectEqual(outcome.counter, counter)
            expectEqual(outcome.signatureCount, received)
        } else {
            try expectEqual(
                fixture.assertionFailure(against: credential, edit),
                .counterRegressed(stored: stored, received: received))
        }
    }

    @Test(arguments: cases)
    func `the counter is ignored for a credential that may be on several devices`(
        stored: UInt32, received: UInt32, counter: SignatureCounter?
    ) throws {
        var fixture = try Fixture()
        fixture.authenticator.flags.insert(.backupEligible)
        let outcome = try fixture.assert(against: fixture.stored(count: stored)) {
            $0.data.signatureCount = received
        }
        expectEqual(outcome.counter, counter ?? .ignored)
        expectEqual(outcome.signatureCount, received)
    }

    @Test func `an invalid signature is refused before the counter is looked at`() throws {
        let fixture = try Fixture()
        try expectEqual(
            fixture.assertionFailure(
                against: fixture.stored(count: 5), signedWith: .es256(seed: 2)
            ) { $0.data.signatureCount = 1 }, .badSignature)
    }
}
