internal import AuthDomain
internal import AuthOperations
internal import AuthRecords
internal import JSON
internal import Time

/// Request and response bodies of the contract `latchkey`.
enum LatchkeyBodies {
    // MARK: Requests

    static func signIn(_ fields: Fields) throws(RequestError) -> SignIn.Input {
        var input = SignIn.Input(
            provider: try fields.required("provider"), idToken: try fields.required("idToken"),
            nonce: try fields.text("nonce"))
        input.fullName = try fields.fullName()
        input.authorizationCode = try fields.text("authorizationCode")
        input.device = try device(fields)
        return input
    }

    static func registration(_ fields: Fields) throws(RequestError) -> Register.Input {
        Register.Input(
            email: try fields.email(), password: try fields.required("password"),
            displayName: try fields.text("displayName"))
    }

    static func login(_ fields: Fields) throws(RequestError) -> LogIn.Input {
        var input = LogIn.Input(
            email: try fields.email(), password: try fields.required("password"))
        input.device = try device(fields)
        return input
    }

    static func link(_ fields: Fields) throws(RequestError) -> LinkIdentity.Input {
        let proof = IdentityProof(
            provider: try fields.required("provider"), idToken: try fields.required("idToken"),
            nonce: try fields.text("nonce"))
        return LinkIdentity.Input(proof, authorizationCode: try fields.text("authorizationCode"))
    }

    static func magicLink(_ fields: Fields) throws(RequestError) -> RedeemMagicLink.Input {
        let secret = try fields.required("requestSecret")
        var input =
            switch try mailAnswer(fields) {
            case .token(let token): RedeemMagicLink.Input(token: token, requestSecret: secret)
            case .code(let code, let secret):
                RedeemMagicLink.Input(code: code, requestSecret: secret)
            }
        input.device = try device(fields)
        return input
    }

    /// The `token` of a mailed link, or `code` and `requestSecret` instead.
    static func mailAnswer(_ fields: Fields) throws(RequestError) -> MailAnswer {
        guard try fields.optional("token") == nil, let code = try fields.optional("code") else {
            return .token(try fields.required("token"))
        }
        return .code(code, requestSecret: try fields.required("requestSecret"))
    }

    /// The device's claims, including the object `{"name": …, "os": …}`.
    static func device(_ fields: Fields) throws(RequestError) -> DeviceClaim {
        var claim = try fields.device()
        guard let device = try fields.object("device") else { return claim }
        claim.name = try device.text("name").flatMap(PersonName.cleaned)
        claim.system = try device.text("os").flatMap(PersonName.cleaned)
        return claim
    }

    static func credentials(_ fields: Fields) throws(RequestError) -> IssueCredentials.Input {
        var input = IssueCredentials.Input()
        input.access = try fields.choice("access", StoragePolicy.Access.self) ?? .readwrite
        input.prefix = try fields.text("prefix")
        input.durationSeconds = try fields.integer("durationSeconds")
        return input
    }

    // MARK: Responses

    static func challenge(_ challenge: Challenge) -> JSON {
        [
            "nonce": .string(challenge.nonce),
            "expiresIn": .number(JSONNumber(challenge.lifetime.seconds)),
        ]
    }

    /// The same response whether or not a mail was sent.
    static func mailSent(to email: EmailAddress, _ requestSecret: String?) -> JSON {
        var body: JSONObject = [
            "message": "If the address can be used, a mail is on its way.",
            "email": .string(email.text),
        ]
        body["requestSecret"] = requestSecret.map { .string($0) }
        return .object(body)
    }

    static func signedIn(_ output: SignIn.Output) -> Answer {
        signedIn(
            output.result, isNewUser: output.isNewUser, isEmailTaken: output.isEmailTaken)
    }

    static func signedIn(_ output: RedeemMagicLink.Output) -> Answer {
        signedIn(output.result, isNewUser: output.isNewUser)
    }

    private static func signedIn(
        _ result: SignInResult, isNewUser: Bool, isEmailTaken: Bool = false
    ) -> Answer {
        Answer(result) { tokens in
            var body = session(tokens)
            body["isNewUser"] = .bool(isNewUser)
            if isEmailTaken { body["emailTaken"] = true }
            return body
        }
    }

    @Sendable static func session(_ tokens: SessionTokens) -> JSONObject {
        var body: JSONObject = [
            "accessToken": .string(tokens.access.reveal()),
            "refreshToken": .string(tokens.refresh.reveal()),
            "tokenType": tokens.access.isBound ? "DPoP" : "Bearer",
            "expiresIn": .number(JSONNumber(tokens.access.lifetime.seconds)),
            "expiresAt": .number(JSONNumber(tokens.access.expiresAt.seconds)),
            "user": .object(person(tokens.user)),
        ]
        body["deviceToken"] = tokens.deviceToken.map { .string($0.reveal()) }
        return body
    }

    private static func person(_ user: User) -> JSONObject {
        var body = contact(user)
        body["createdAt"] = .string(user.createdAt.iso8601Milliseconds)
        return body
    }

    private static func contact(_ user: User) -> JSONObject {
        var body: JSONObject = ["id": .string(user.id.text)]
        body["email"] = user.email.map { .string($0) }
        body["emailVerified"] = .bool(user.isEmailVerified)
        body["displayName"] = user.displayName.map { .string($0) }
        if user.isGuest { body["isGuest"] = true }
        return body
    }

    static func profile(_ user: User) -> JSON { .object(account(user)) }

    private static func account(_ user: User) -> JSONObject {
        var body = contact(user)
        body["authProviders"] = .array(user.providers.map { .string($0) })
        body["createdAt"] = .string(user.createdAt.iso8601Milliseconds)
        body["updatedAt"] = .string(user.updatedAt.iso8601Milliseconds)
        return body
    }

    /// A user as administrators see them.
    @Sendable static func administered(_ user: User) -> JSON {
        var body = account(user)
        body["isAdmin"] = .bool(user.isAdmin)
        body["role"] = user.adminRole.map { .string($0.rawValue) }
        body["isDisabled"] = .bool(user.isDisabled)
        return .object(body)
    }

    static func sessions(_ sessions: Sessions) -> JSON {
        let list = sessions.all.map { session($0, isCurrent: $0.id == sessions.current) }
        return ["sessions": .array(list)]
    }

    /// - Parameter isCurrent: whether the request belongs to this session; nil if the response does
    ///   not say that.
    static func session(_ session: Session, isCurrent: Bool? = nil) -> JSON {
        var body: JSONObject = ["id": .string(session.id.text)]
        body["current"] = isCurrent.map { .bool($0) }
        body["createdAt"] = .string(session.createdAt.iso8601Milliseconds)
        body["lastUsedAt"] = .string(session.lastUsedAt.iso8601Milliseconds)
        if session.origin.deviceName != nil || session.origin.deviceSystem != nil {
            var device: JSONObject = [:]
            device["name"] = session.origin.deviceName.map { .string($0) }
            device["os"] = session.origin.deviceSystem.map { .string($0) }
            body["device"] = .object(device)
        }
        body["ipAddress"] = session.origin.address.map { .string($0) }
        body["userAgent"] = session.origin.userAgent.map { .string($0) }
        return .object(body)
    }

    /// Secrets, tokens, hashes and internal attributes are omitted.
    static func application(_ application: GrantedApplication) -> JSON {
        var body: JSONObject = [
            "id": .string(application.id), "client_id": .string(application.client),
            "name": .string(application.name),
            "scope": .string(application.scope.joined(separator: " ")),
            "resources": .array(application.resources.map { .string($0) }),
            "since": .string(application.since.iso8601Milliseconds),
        ]
        body["lastUsedAt"] = application.lastUsedAt.map { .string($0.iso8601Milliseconds) }
        return .object(body)
    }

    static func export(_ export: AccountExport) -> JSON {
        let user = export.user
        var account = person(user)
        account["login"] = user.login.map { .string($0) }
        account["updatedAt"] = .string(user.updatedAt.iso8601Milliseconds)
        account["publicId"] = user.publicID.map { .number(JSONNumber($0)) }
        account["isAdmin"] = .bool(user.isAdmin)
        account["isDisabled"] = .bool(user.isDisabled)
        var body: JSONObject = [
            "exportedAt": .string(export.exportedAt.iso8601Milliseconds),
            "account": .object(account),
            "identities": .array(
                user.identities.map { identity in
                    [
                        "provider": .string(identity.provider),
                        "issuer": .string(identity.issuer),
                        "subject": .string(identity.subject),
                    ]
                }),
            "hasPassword": .bool(export.hasPassword),
            "hasSecondFactor": .bool(user.hasSecondFactor),
            "providerTokens": .array(export.providerTokens.map { .string($0) }),
            "sessions": .array(
                export.sessions.map { session($0, isCurrent: $0.id == export.currentSession) }),
            "devices": .array(export.devices.map(exported)),
            "events": .array(export.events.map(auditEvent)),
        ]
        if !export.passkeys.isEmpty { body["passkeys"] = .array(export.passkeys.map(exported)) }
        if !export.applications.isEmpty {
            body["applications"] = .array(export.applications.map(application))
        }
        if !export.formerEmails.isEmpty {
            body["formerEmails"] = .array(export.formerEmails.map { .string($0) })
        }
        body["next"] = export.next.map { .string($0) }
        return .object(body)
    }

    private static func exported(_ passkey: ListedPasskey) -> JSON {
        var body: JSONObject = [
            "id": .string(passkey.id),
            "createdAt": .string(passkey.createdAt.iso8601Milliseconds),
            "lastUsedAt": .string(passkey.lastUsedAt.iso8601Milliseconds),
        ]
        body["name"] = passkey.name.map { .string($0) }
        return .object(body)
    }

    private static func exported(_ device: Device) -> JSON {
        var body: JSONObject = [
            "id": .string(device.id.text),
            "firstSeenAt": .string(device.firstSeenAt.iso8601Milliseconds),
            "lastSeenAt": .string(device.lastSeenAt.iso8601Milliseconds),
        ]
        body["name"] = device.name.map { .string($0) }
        body["os"] = device.system.map { .string($0) }
        body["userAgent"] = device.userAgent.map { .string($0) }
        body["ipAddress"] = device.address.map { .string($0) }
        body["trustedUntil"] = device.trust.map { .string($0.endsAt.iso8601Milliseconds) }
        return .object(body)
    }

    @Sendable static func auditEvent(_ entry: AuditEntry) -> JSON {
        var body: JSONObject = [
            "id": .string(entry.id.text), "type": .string(entry.event),
            "success": .bool(entry.succeeded),
            "createdAt": .string(entry.at.iso8601Milliseconds),
        ]
        body["session"] = entry.session.map { .string($0.text) }
        body["ipAddress"] = entry.address.map { .string($0) }
        body["userAgent"] = entry.userAgent.map { .string($0) }
        body["detail"] = entry.detail.map { .string($0) }
        body["by"] = entry.maker.map { .string($0) }
        return .object(body)
    }

    /// The signing key after a change.
    static func signingKey(_ change: SigningKeyChange?) throws(RequestError) -> JSON {
        guard let change else { throw .notFound }
        return [
            "kid": .string(change.kid),
            "signsFrom": .string(change.signsFrom.iso8601Milliseconds),
        ]
    }

    static func storage(_ credentials: StorageCredentials) -> JSON {
        var body: JSONObject = [
            "credentials": credentials.keys.body,
            "bucket": .string(credentials.place.bucket.text),
            "prefix": .string(credentials.prefix.text),
            "region": .string(credentials.place.region),
        ]
        body["endpoint"] = credentials.place.endpoint.map { .string($0) }
        return .object(body)
    }
}
