internal import AuthDomain
internal import AuthOperations
internal import IdentityProviders
internal import JSON
internal import Time

extension Contract {
    /// The default: everything, under the strictest rules.
    package static let latchkey = Contract(
        name: "latchkey",
        policy: Policy(
            accessTokenLifetime: .minutes(15),
            idleLifetime: .days(30),
            absoluteLifetime: .days(365),
            grace: .seconds(60),
            reuseScope: .family,
            refreshTokenForm: .opaque(prefix: "lkr_"),
            accessToken: AccessTokenForm(
                algorithm: .es256, type: "at+jwt", audience: "latchkey", carriesEmail: false),
            nonce: .issued,
            rateLimits: .standard),
        endpoints: [
            Endpoint(
                .challenge, .post("/auth/challenge"),
                .challenge { challenge in
                    Answer([
                        "nonce": .string(challenge.nonce),
                        "expiresIn": .number(JSONNumber(challenge.lifetime.seconds)),
                    ])
                }),
            Endpoint(
                .signIn, .post("/auth/signin"),
                .signIn(read: readSignIn) { output in
                    guard let tokens = output.tokens else { return Answer(nil) }
                    var body = session(tokens)
                    body["isNewUser"] = .bool(output.isNewUser)
                    return Answer(.object(body))
                }),
            Endpoint(
                .refresh, .post("/auth/refresh"),
                .refresh(
                    read: { fields throws(Problem) in try fields.required("refreshToken") },
                    write: { Answer(.object(session($0))) })),
            Endpoint(
                .signOut, .post("/auth/signout"),
                .signOut(
                    read: { fields throws(Problem) in
                        SignOutRequest(
                            refreshToken: try fields.text("refreshToken"),
                            scope: try fields.choice("scope", SignOut.Scope.self) ?? .session)
                    }, write: { Answer(["success": true]) })),
            Endpoint(.me, .get("/auth/me"), .me { Answer(profile($0.user)) }),
            Endpoint(
                .listSessions, .get("/auth/sessions"),
                .listSessions { sessions in
                    let list = sessions.all.map { device($0, current: $0.id == sessions.current) }
                    return Answer(["sessions": .array(list)])
                }),
            Endpoint(
                .revokeSession, .delete("/auth/sessions/{id}"), .revokeSession { Answer(204, nil) },
                selectedBy: DirectSelector("id")),
            Endpoint(
                .credentials, .post("/auth/credentials"),
                .credentials(read: readCredentials) { Answer(.object(storage($0))) }),
            Endpoint(
                .keySet, .get("/.well-known/jwks.json"),
                .keySet { Answer(200, $0, headers: publicForAnHour) }),
            Endpoint(
                .discovery, .get("/.well-known/openid-configuration"),
                .discovery { Answer(200, $0, headers: publicForAnHour) },
                selectedBy: DirectSelector("document", is: "openid-configuration")),
        ],
        face: render)
}

/// Shorter than a new key is published before it signs (`KeyRing.publishedBeforeUse`).
private let publicForAnHour = [
    (name: "cache-control", value: "public, max-age=3600, stale-if-error=86400")
]

// MARK: Requests

@Sendable private func readSignIn(_ fields: Fields) throws(Problem) -> SignIn.Input {
    let provider = try fields.required("provider")
    var input = SignIn.Input(
        provider: provider, idToken: try fields.required("idToken"),
        nonce: try fields.text("nonce"))
    if let name = try fields.object("fullName") {
        input.fullName = PersonName(
            given: try name.text("givenName"), family: try name.text("familyName"))
    }
    input.authorizationCode = try fields.text("authorizationCode")
    if let device = try fields.object("device") {
        input.deviceName = try device.text("name").flatMap(PersonName.cleaned)
        input.deviceSystem = try device.text("os").flatMap(PersonName.cleaned)
    }
    return input
}

@Sendable private func readCredentials(
    _ fields: Fields
) throws(Problem) -> IssueCredentials.Input {
    var input = IssueCredentials.Input()
    input.access = try fields.choice("access", StoragePolicy.Access.self) ?? .readwrite
    input.prefix = try fields.text("prefix")
    input.durationSeconds = try fields.integer("durationSeconds")
    return input
}

// MARK: Results

private func session(_ tokens: SessionTokens) -> JSONObject {
    [
        "accessToken": .string(tokens.access.reveal()),
        "refreshToken": .string(tokens.refresh.reveal()),
        "tokenType": "Bearer",
        "expiresIn": .number(JSONNumber(tokens.access.lifetime.seconds)),
        "expiresAt": .number(JSONNumber(tokens.access.expiresAt.seconds)),
        "user": .object(person(tokens.user)),
    ]
}

private func person(_ user: User) -> JSONObject {
    var body: JSONObject = ["id": .string(user.id.text)]
    body["email"] = user.email.map { .string($0) }
    body["emailVerified"] = .bool(user.isEmailVerified)
    body["displayName"] = user.displayName.map { .string($0) }
    body["createdAt"] = .string(user.createdAt.iso8601Milliseconds)
    return body
}

private func profile(_ user: User) -> JSON {
    var body = person(user)
    body["createdAt"] = nil
    body["authProviders"] = .array(user.providers.map { .string($0) })
    body["createdAt"] = .string(user.createdAt.iso8601Milliseconds)
    body["updatedAt"] = .string(user.updatedAt.iso8601Milliseconds)
    return .object(body)
}

private func device(_ family: SessionFamily, current: Bool) -> JSON {
    var body: JSONObject = [
        "id": .string(family.id.text),
        "current": .bool(current),
        "createdAt": .string(family.createdAt.iso8601Milliseconds),
        "lastUsedAt": .string(family.lastUsedAt.iso8601Milliseconds),
    ]
    if family.origin.deviceName != nil || family.origin.deviceSystem != nil {
        var device: JSONObject = [:]
        device["name"] = family.origin.deviceName.map { .string($0) }
        device["os"] = family.origin.deviceSystem.map { .string($0) }
        body["device"] = .object(device)
    }
    body["ipAddress"] = family.origin.address.map { .string($0) }
    body["userAgent"] = family.origin.userAgent.map { .string($0) }
    return .object(body)
}

private func storage(_ credentials: StorageCredentials) -> JSONObject {
    var body: JSONObject = [
        "credentials": storageKeys(credentials.keys),
        "bucket": .string(credentials.place.bucket.text),
        "prefix": .string(credentials.prefix.text),
        "region": .string(credentials.place.region),
    ]
    body["endpoint"] = credentials.place.endpoint.map { .string($0) }
    return body
}

// MARK: Errors

@Sendable private func render(_ problem: Problem, _ operation: Operation) -> Face {
    rendered(problem).instructing(problem, operation)
}

private func rendered(_ problem: Problem) -> Face {
    switch problem {
    case .malformed(let defect): malformed(defect)
    case .missing("idToken"): error(400, "MISSING_TOKEN", "idToken is required.", "idToken")
    case .missing("refreshToken"):
        error(400, "MISSING_REFRESH_TOKEN", "refreshToken is required.", "refreshToken")
    case .missing("provider"), .invalid("provider"), .unknownProvider:
        error(400, "INVALID_PROVIDER", "provider is not one that is configured.", "provider")
    case .missing(let field): error(400, "INVALID_REQUEST", "A field is required.", field)
    case .invalid(let field):
        error(400, "INVALID_REQUEST", "A field has the wrong type or value.", field)
    case .noSuchRoute: error(404, "NOT_FOUND", "There is nothing at this path.")
    case .methodNotAllowed(let allowed):
        error(405, "METHOD_NOT_ALLOWED", "This path takes another method.")
            .adding(("allow", allowed.joined(separator: ", ")))
    case .identityRejected(.nonceMismatch), .challengeUnknown:
        error(401, "NONCE_MISMATCH", "Ask for a new challenge and sign in again.", "nonce")
    case .identityRejected(.keysUnavailable), .unavailable:
        error(503, "SERVICE_UNAVAILABLE", "Try again in a moment.").adding(("retry-after", "1"))
    case .identityRejected, .identityTokenSpent:
        error(401, "AUTH_FAILED", "The identity token is invalid, expired or already used.")
    case .accountDisabled: error(403, "ACCOUNT_DISABLED", "This account is disabled.")
    case .accessTokenMissing:
        error(401, "UNAUTHORIZED", "A bearer token is required.").challenging(nil)
    case .accessTokenRejected(.expired):
        error(401, "TOKEN_EXPIRED", "The access token has expired: refresh, then try again.")
            .challenging("invalid_token")
    case .accessTokenRejected:
        error(401, "UNAUTHORIZED", "The access token is invalid or its session has ended.")
            .challenging("invalid_token")
    case .notPermitted: error(403, "FORBIDDEN", "This is for administrators.")
    case .refreshTokenRejected:
        error(401, "INVALID_REFRESH_TOKEN", "The refresh token is invalid or expired.")
    case .sessionNotFound: error(404, "SESSION_NOT_FOUND", "No such session.", "id")
    case .prefixRefused:
        error(400, "INVALID_PREFIX", "prefix must be a plain path below your own.", "prefix")
    case .durationRefused:
        error(
            400, "INVALID_DURATION", "durationSeconds must be from 900 to 3600.",
            "durationSeconds")
    case .policyTooLarge:
        error(400, "PREFIX_TOO_LONG", "This prefix does not fit into a policy.", "prefix")
    case .storageRefused:
        error(502, "STORAGE_SERVICE_ERROR", "Storage credentials could not be issued.")
    case .rateLimited(let seconds):
        error(429, "RATE_LIMITED", "Too many requests.").adding(("retry-after", "\(seconds)"))
    case .fault: error(500, "INTERNAL_ERROR", "Something is wrong on our side.")
    }
}

private func malformed(_ defect: Malformation) -> Face {
    switch defect {
    case .notJSON: error(400, "INVALID_REQUEST", "The body is not valid JSON.")
    case .notAnObject: error(400, "INVALID_REQUEST", "The body is not a JSON object.")
    case .tooManyFields:
        error(431, "TOO_MANY_FIELDS", "Too many headers, cookies or parameters.")
    case .badPath: error(400, "INVALID_REQUEST", "The path or query cannot be decoded.")
    case .tooLarge: error(413, "REQUEST_TOO_LARGE", "The body is too large.")
    case .unsupportedMediaType:
        error(415, "UNSUPPORTED_MEDIA_TYPE", "Send the body as application/json.")
    }
}

private func error(
    _ status: Int, _ code: StaticCode, _ message: String, _ field: String? = nil
) -> Face {
    var error: JSONObject = ["code": .string(code.text), "message": .string(message)]
    error["field"] = field.map { .string($0) }
    return Face(Answer(status, ["error": .object(error)]), code: code)
}

extension Face {
    /// A refresh that fails says what to do: keep the session and try again, or sign in.
    fileprivate func instructing(_ problem: Problem, _ operation: Operation) -> Face {
        guard operation == .refresh, var body = answer.body?.objectValue,
            var error = body["error"]?.objectValue
        else { return self }
        switch problem {
        case .refreshTokenRejected, .accountDisabled, .missing, .invalid:
            error["action"] = "reauthenticate"
        // A request that went wrong on its way says nothing about the session.
        default: error["action"] = "retry"
        }
        body["error"] = .object(error)
        var answer = answer
        answer.body = .object(body)
        return Face(answer, code: code)
    }
}
