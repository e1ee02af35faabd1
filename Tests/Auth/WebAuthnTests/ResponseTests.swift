/// A change to the members of a response, or of its member `response`.
private typealias Case = EditCase<JSONObject, ResponseFailure>

extension JSONObject {
    fileprivate mutating func inResponse(_ edit: (inout JSONObject) -> Void) {
        var response = self["response"]?.objectValue ?? [:]
        edit(&response)
        self["response"] = .object(response)
    }
}

extension Case {
    /// - Parameter value: the new value of a member of `response`; nil removes it.
    fileprivate init(_ name: String, _ verdict: ResponseFailure?, _ member: String, _ value: JSON?)
    {
        self.init(name, verdict) { $0.inResponse { $0[member] = value } }
    }
}

@Suite("Responses")
struct ResponseTests {
    private static func registration() throws -> JSONObject {
        let fixture = try Fixture()
        return try #require(fixture.authenticator.register(fixture.created).objectValue)
    }

    private static func assertion() throws -> JSONObject {
        var fixture = try Fixture()
        fixture.authenticator.userHandle = fixture.userHandle.bytes
        return try #require(fixture.authenticator.sign(fixture.requested).objectValue)
    }

    private static func failure(
        _ json: JSON, _ parse: (JSON) throws(ResponseFailure) -> Void
    ) -> ResponseFailure? {
        do throws(ResponseFailure) {
            try parse(json)
            return nil
        } catch {
            return error
        }
    }

    private static func failure(registration json: JSON) -> ResponseFailure? {
        failure(json) { json throws(ResponseFailure) in
            _ = try RegistrationResponse(parsing: json)
        }
    }

    private static func failure(assertion json: JSON) -> ResponseFailure? {
        failure(json) { json throws(ResponseFailure) in
            _ = try AssertionResponse(parsing: json)
        }
    }

    /// Members of both responses.
    private static let structure: [Case] = [
        Case("unchanged", nil) { _ in },
        Case("without id", .missing(.id)) { $0["id"] = nil },
        Case("id as a number", .malformed(.id)) { $0["id"] = 1 },
        Case("id empty", .malformed(.id)) { $0["id"] = "" },
        Case("id with padding", .malformed(.id)) { $0["id"] = "AA==" },
        Case("id in standard base64", .malformed(.id)) { $0["id"] = "+/+/" },
        Case("id with unused bits set", .malformed(.id)) { $0["id"] = "AB" },
        Case("id that is too long", .tooLong(.id)) {
            $0["id"] = .string(Base64URL.encode([UInt8](repeating: 0, count: 1024)))
        },
        Case("without rawId", .missing(.rawID)) { $0["rawId"] = nil },
        Case("rawId null", .malformed(.rawID)) { $0["rawId"] = .null },
        Case("rawId as an array of bytes", .malformed(.rawID)) { $0["rawId"] = [1, 2, 3] },
        Case("rawId that differs from id", .differentIDs) { $0["rawId"] = "AAAA" },
        Case("id that differs from rawId", .differentIDs) { $0["id"] = "AAAA" },
        Case("without type", .missing(.type)) { $0["type"] = nil },
        Case("type as a number", .malformed(.type)) { $0["type"] = 1 },
        Case("type empty", .unsupportedType) { $0["type"] = "" },
        Case("another type", .unsupportedType) { $0["type"] = "password" },
        Case("without response", .missing(.response)) { $0["response"] = nil },
        Case("response as text", .malformed(.response)) { $0["response"] = "response" },
        Case("response null", .malformed(.response)) { $0["response"] = .null },
        Case("without clientDataJSON", .missing(.clientDataJSON), "clientDataJSON", nil),
        Case("clientDataJSON as an object", .malformed(.clientDataJSON)) {
            $0.inResponse { $0["clientDataJSON"] = ["type": "webauthn.get"] }
        },
        Case("clientDataJSON as its text", .malformed(.clientDataJSON)) {
            $0.inResponse { $0["clientDataJSON"] = #"{"type":"webauthn.get"}"# }
        },
        Case("clientDataJSON that is too long", .tooLong(.clientDataJSON)) {
            $0.inResponse {
                let bytes = [UInt8](repeating: 0x20, count: ClientData.bytesMax + 1)
                $0["clientDataJSON"] = .string(Base64URL.encode(bytes))
            }
        },
        Case("extension results as text", .malformed(.extensionResults)) {
            $0["clientExtensionResults"] = "none"
        },
        Case("without extension results", nil) { $0["clientExtensionResults"] = nil },
        Case("extension results null", nil) { $0["clientExtensionResults"] = .null },
        Case("without an attachment", nil) { $0["authenticatorAttachment"] = nil },
        Case("an attachment that is not known", nil) { $0["authenticatorAttachment"] = "implant" },
        Case("a member that is not known", nil) { $0["added"] = [1] },
        Case("a member of the response that is not known", nil, "added", [1]),
    ]

    @Test(arguments: structure)
    private func `the structure of a response is checked in both ceremonies`(test: Case) throws {
        var registration = try Self.registration()
        try test.edit(&registration)
        expectEqual(Self.failure(registration: .object(registration)), test.verdict)
        var assertion = try Self.assertion()
        try test.edit(&assertion)
        expectEqual(Self.failure(assertion: .object(assertion)), test.verdict)
    }

    private static let registrations: [Case] = [
        Case("without an attestation object", .missing(.attestationObject)) {
            $0.inResponse { $0["attestationObject"] = nil }
        },
        Case("an attestation object that is too long", .tooLong(.attestationObject)) {
            $0.inResponse {
                let bytes = [UInt8](repeating: 0, count: AttestationObject.bytesMax + 1)
                $0["attestationObject"] = .string(Base64URL.encode(bytes))
            }
        },
        Case("an attestation object with padding", .malformed(.attestationObject)) {
            $0.inResponse { $0["attestationObject"] = "AA==" }
        },
        Case("without transports", nil, "transports", nil),
        Case("transports null", nil, "transports", .null),
        Case("transports as text", .malformed(.transports), "transports", "usb"),
        Case("transports of numbers", .malformed(.transports), "transports", [1]),
        Case("an empty transport", .malformed(.transports), "transports", [""]),
        Case("a transport with other characters", .malformed(.transports), "transports", ["<b>"]),
        Case("a transport that is too long", .tooLong(.transports)) {
            $0.inResponse {
                $0["transports"] = .array([.string(String(repeating: "a", count: 33))])
            }
        },
        Case("too many transports", .tooLong(.transports)) {
            $0.inResponse { $0["transports"] = .array([JSON](repeating: "usb", count: 17)) }
        },
    ]

    @Test(arguments: registrations)
    private func `responses of a registration are parsed or refused`(test: Case) throws {
        var registration = try Self.registration()
        try test.edit(&registration)
        expectEqual(Self.failure(registration: .object(registration)), test.verdict)
    }

    private static let assertions: [Case] = [
        Case("without authenticator data", .missing(.authenticatorData), "authenticatorData", nil),
        Case("authenticator data that is too long", .tooLong(.authenticatorData)) {
            $0.inResponse {
                let bytes = [UInt8](repeating: 0, count: AuthenticatorData.bytesMax + 1)
                $0["authenticatorData"] = .string(Base64URL.encode(bytes))
            }
        },
        Case("without signature", .missing(.signature), "signature", nil),
        Case("signature as a number", .malformed(.signature), "signature", 1),
        Case("a signature that is too long", .tooLong(.signature)) {
            $0.inResponse {
                $0["signature"] = .string(Base64URL.encode([UInt8](repeating: 0, count: 1025)))
            }
        },
        Case("without user handle", nil, "userHandle", nil),
        Case("user handle null", nil, "userHandle", .null),
        Case("user handle empty", nil, "userHandle", ""),
        Case("user handle as a number", .malformed(.userHandle), "userHandle", 1),
        Case("user handle with padding", .malformed(.userHandle), "userHandle", "AA=="),
        Case("a user handle that is too long", .tooLong(.userHandle)) {
            $0.inResponse {
                $0["userHandle"] = .string(Base64URL.encode([UInt8](repeating: 0, count: 65)))
            }
        },
    ]

    @Test(arguments: assertions)
    private func `responses of an assertion are parsed or refused`(test: Case) throws {
        var assertion = try Self.assertion()
        try test.edit(&assertion)
        expectEqual(Self.failure(assertion: .object(assertion)), test.verdict)
    }

    @Test func `a response that is not an object is refused`() {
        for json in [.null, [], "text", 1, true] as [JSON] {
            expectEqual(Self.failure(registration: json), .malformed(.response))
            expectEqual(Self.failure(assertion: json), .malformed(.response))
        }
    }

    @Test func `the values are decoded`() throws {
        let fixture = try Fixture()
        var json = try Self.registration()
        json.inResponse { $0["transports"] = ["internal", "hybrid", "internal", "new-one"] }
        let response = try RegistrationResponse(parsing: .object(json))
        expectEqual(response.id.bytes, fixture.authenticator.credentialID)
        expectEqual(response.transports, ["internal", "hybrid", "new-one"])
        expectEqual(response.isDiscoverable, true)
        json["clientExtensionResults"] = ["credProps": [:]]
        try expectEqual(RegistrationResponse(parsing: .object(json)).isDiscoverable, nil)
        let assertion = try AssertionResponse(parsing: .object(Self.assertion()))
        expectEqual(assertion.userHandle, fixture.userHandle)
        expectEqual(assertion.id, response.id)
        // The decoded bytes are the verified ones.
        let registered = try Registration(
            relyingParty: fixture.relyingParty, challenge: fixture.created,
            requiresUserVerification: true
        ).verify(response)
        expectEqual(registered.transports, response.transports)
        _ = try Assertion(
            relyingParty: fixture.relyingParty, challenge: fixture.requested,
            requiresUserVerification: true
        ).verify(assertion, against: registered.stored(userHandle: fixture.userHandle.bytes))
    }

    @Test func `copies of signed values are ignored`() throws {
        var json = try Self.registration()
        json.inResponse {
            $0["publicKey"] = "AAAA"
            $0["publicKeyAlgorithm"] = -257
            $0["authenticatorData"] = "AAAA"
        }
        try expectEqual(
            RegistrationResponse(parsing: .object(json)),
            RegistrationResponse(parsing: .object(Self.registration())))
    }
}
