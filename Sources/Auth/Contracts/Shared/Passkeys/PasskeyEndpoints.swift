internal import AuthDomain
package import AuthOperations
internal import AuthRecords
package import JSON
internal import Time
internal import WebAuthn

/// Passkeys: the ceremonies, sign-up and sign-in, and the list of a user.
struct PasskeyEndpoints {
    /// How the contract shows a session.
    let session: @Sendable (SessionTokens) -> JSONObject
    /// Reads the contract's members about the device.
    let device: @Sendable (Fields) throws(RequestError) -> DeviceClaim

    var all: [Endpoint] { ceremonies + own + PasskeyEndpoints.documents }

    private var ceremonies: [Endpoint] {
        [
            Endpoint(.passkeyOptions, .post("/auth/passkeys/options"), needs: [.passkeys]) {
                call, auth in
                let begun = try auth.beginPasskeyCeremony(purpose(call.body), call.caller)
                return Answer([
                    "ceremony": .string(begun.ceremony), "options": .object(begun.options),
                ])
            },
            Endpoint(
                .signUpWithPasskey, .post("/auth/passkeys/signup"),
                needs: [.sessions, .passkeys, .hooks]
            ) { call, auth in
                var input = SignUpWithPasskey.Input(
                    ceremony: try call.body.required("ceremony"), try call.body.registration())
                input.name = try call.body.text("name")
                input.device = try device(call.body)
                let tokens = try auth.signUpWithPasskey(input, call.caller)
                return Answer(201, .object(session(tokens)))
            },
            Endpoint(
                .signInWithPasskey, .post("/auth/passkeys/signin"),
                needs: [.sessions, .passkeys, .notices, .hooks]
            ) { call, auth in
                var input = SignInWithPasskey.Input(
                    ceremony: try call.body.required("ceremony"), try call.body.assertion())
                input.device = try device(call.body)
                return Answer(try auth.signInWithPasskey(input, call.caller), session: session)
            },
        ]
    }

    private var own: [Endpoint] {
        [
            Endpoint(.listPasskeys, .get("/auth/passkeys"), needs: [.passkeys]) { call, auth in
                Answer(Self.body(try auth.listPasskeys(call.caller)))
            },
            Endpoint(
                .addPasskey, .post("/auth/passkeys"), needs: [.passkeys, .mail, .links],
                selectedBy: DirectSelector("action", is: "add")
            ) { call, auth in
                var input = AddPasskey.Input(
                    ceremony: try call.body.required("ceremony"), try call.body.registration())
                input.name = try call.body.text("name")
                return Answer(201, Self.body(try auth.addPasskey(input, call.caller)))
            },
            Endpoint(
                .renamePasskey, .patch("/auth/passkeys/{id}"), needs: [.passkeys],
                selectedBy: DirectSelector("action", is: "rename")
            ) { call, auth in
                let name = try call.body.required("name")
                return Answer(
                    Self.body(
                        try auth.renamePasskey(call.parameter("id"), to: name, call.caller)))
            },
            Endpoint(
                .removePasskey, .delete("/auth/passkeys/{id}"), needs: [.passkeys, .mail],
                selectedBy: DirectSelector("action", is: "remove")
            ) { call, auth in
                try auth.removePasskey(call.parameter("id"), call.caller)
                return .noContent
            },
        ]
    }

    private func purpose(_ body: Fields) throws(RequestError) -> BeginPasskeyCeremony.Purpose {
        enum Name: String, CaseIterable { case signUp, signIn, add, secondFactor, stepUp }
        guard let name = try body.choice("purpose", Name.self) else {
            throw .missingField("purpose")
        }
        switch name {
        case .signUp:
            return .signUp(email: try body.optionalEmail(), name: try body.text("name"))
        case .signIn: return .signIn
        case .add: return .add(isConditional: try body.flag("conditional") ?? false)
        case .secondFactor: return .secondFactor(ticket: try body.required("ticket"))
        case .stepUp: return .stepUp
        }
    }

    private static func body(_ list: PasskeyList) -> JSON {
        [
            "passkeys": .array(list.entries.map(entry)),
            // The page passes these to PublicKeyCredential.signalAllAcceptedCredentials and
            // signalCurrentUserDetails (WebAuthn section 5.1.10).
            "signals": .object(list.signals),
        ]
    }

    private static func entry(_ entry: PasskeyList.Entry) -> JSON {
        let passkey = entry.passkey
        var body: JSONObject = [
            "id": .string(entry.id), "credentialId": .string(passkey.credential.id.text),
        ]
        body["name"] = passkey.name.map { .string($0) }
        body["provider"] = entry.provider.map { .string($0) }
        body["synced"] = .bool(passkey.credential.isBackupEligible)
        body["backedUp"] = .bool(passkey.isBackedUp)
        body["current"] = .bool(entry.isCurrent)
        body["createdAt"] = .string(passkey.createdAt.iso8601Milliseconds)
        body["lastUsedAt"] = .string(passkey.lastUsedAt.iso8601Milliseconds)
        return .object(body)
    }

    private static let documents: [Endpoint] = [
        document(.relatedOrigins, "/.well-known/webauthn", nil) { $0.relatedOrigins },
        document(
            .appleAppSiteAssociation, "/.well-known/apple-app-site-association", "apple"
        ) { $0.appleAppSiteAssociation },
        document(.assetLinks, "/.well-known/assetlinks.json", "android") { $0.assetLinks },
    ]

    private static func document(
        _ operation: AuthOperation, _ path: String, _ name: String?,
        _ content: @escaping @Sendable (WellKnownDocuments) -> JSON?
    ) -> Endpoint {
        Endpoint(
            operation, .get(path), needs: [.relyingParty],
            selectedBy: name.map { DirectSelector("document", is: $0) }
        ) { _, auth in
            guard let document = content(try auth.passkeys.documents) else {
                throw RequestError.notFound
            }
            return Answer(200, document, headers: [("cache-control", "public, max-age=3600")])
        }
    }
}

extension PasskeyList {
    /// The members of the arguments of `PublicKeyCredential.signalAllAcceptedCredentials` and
    /// `signalCurrentUserDetails` (WebAuthn section 5.1.10).
    package var signals: JSONObject {
        var body: JSONObject = ["rpId": .string(relyingParty.id.text)]
        guard let handle = user.passkeyHandle.flatMap(UserHandle.init) else { return body }
        let name = user.email ?? user.login ?? user.displayName
        body["userId"] = .string(handle.text)
        body["name"] = .string(name ?? relyingParty.name)
        body["displayName"] = .string(user.displayName ?? name ?? relyingParty.name)
        body["allAcceptedCredentialIds"] = .array(
            entries.map { .string($0.passkey.credential.id.text) })
        return body
    }
}
