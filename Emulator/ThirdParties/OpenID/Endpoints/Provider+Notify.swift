internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// `POST {issuer}/notify`: Apple's server-to-server notifications about account changes.
private struct NotifyRequest {
    private static let members = ["type", "email", "sub", "clientId", "url", "fault"]
    static let types = [
        "consent-revoked", "account-delete", "account-deleted", "email-disabled", "email-enabled",
    ]

    var type: String
    var email: String?
    var subject: String?
    var clientID: String?
    var url: String?
    var fault: NotificationFault?

    init(_ json: JSON) throws(DefinitionFailure) {
        let reader = try DefinitionReader(json, "notify", members: Self.members)
        type = try reader.text("type") ?? Self.types[0]
        let named = type
        guard Self.types.contains(where: { $0.isSame(as: named) }) else {
            let legal = Self.types.joined(separator: ", ")
            throw DefinitionFailure("notify: type must be one of \(legal)")
        }
        email = try reader.text("email")
        subject = try reader.text("sub", bytesMax: OpenIDAccount.subjectBytesMax)
        clientID = try reader.text("clientId")
        url = try reader.text("url")
        guard email.map(OpenIDAccount.isEmail) ?? true else {
            throw DefinitionFailure("notify: email is not a valid e-mail address")
        }
        guard clientID.map(ClientDefinition.isID) ?? true else {
            throw DefinitionFailure("notify: clientId is not a valid client id")
        }
        guard url.map(RedirectURI.isHTTP) ?? true else {
            throw DefinitionFailure("notify: url must be an http or https URL")
        }
        fault = try reader.text("fault").map { text throws(DefinitionFailure) in
            guard let fault = NotificationFault(name: text) else {
                let legal = NotificationFault.allCases.map(\.rawValue).joined(separator: ", ")
                throw DefinitionFailure(
                    "notify: unknown fault. Notification faults: \(legal)")
            }
            return fault
        }
    }
}

extension Provider {
    /// The delays are long enough for an app to be rebuilt.
    private static let retryDelays: [Span] = [.seconds(1), .seconds(5), .seconds(25)]

    func notify(_ exchange: OpenIDRequest) throws(OAuthError) -> OpenIDReply {
        let json = try exchange.json()
        let request = try OpenIDRequest.reading { () throws(DefinitionFailure) in
            try NotifyRequest(json)
        }
        let usual = try defaultClientID()
        let clientID = request.clientID ?? usual
        guard let client = try client(clientID) else { throw .own(404, "Client not found.") }
        guard let url = request.url ?? client.notificationURL else {
            throw .own(
                400, "notify: give url, or register a notificationURL for \(clientID)")
        }
        guard let account = try account(request.email ?? Self.usualEmail) else {
            throw .own(400, "notify: email is not a valid e-mail address")
        }
        let id: String
        if request.fault == .replayed {
            guard let last = notifications.lastID(to: clientID) else {
                throw .own(409, "notify: no earlier notification to \(clientID) to replay")
            }
            id = last
        } else {
            id = secretName("")
        }
        let payload = try payload(request, id, client, account, at: exchange.now)
        if request.subject == nil { try follow(request.type, account, client) }
        notifications.add(
            Notifications.Entry(
                id: id, clientID: clientID, type: request.type, url: url, sentAt: exchange.now))
        let body = JSON.object(["payload": .string(payload)]).serialized
        return .later { [self] respond in
            deliver(body, to: url, id: id) { status in
                var answer: JSONObject = [
                    "jti": .string(id), "payload": .string(payload),
                    "delivered": .bool(status == 200),
                ]
                if let status { answer["status"] = .number(status) }
                respond(.json(.object(answer)))
            }
        }
    }

    private func payload(
        _ request: NotifyRequest, _ id: String, _ client: ClientDefinition,
        _ account: OpenIDAccount,
        at now: Instant
    ) throws(OAuthError) -> String {
        let subject = request.subject ?? account.subject(definition, teamID: client.teamID)
        let type = request.fault == .unknownType ? "something-new" : request.type
        var event: JSONObject = [
            "type": .string(type), "sub": .string(subject),
            "event_time": .number(now.milliseconds),
        ]
        if type.utf8.starts(with: "email-".utf8) {
            event["email"] = .string(account.relayAddress(definition, teamID: client.teamID))
            event["is_private_email"] = "true"
        }
        let claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(client.id), "iat": .number(now.seconds),
            "exp": .number((now + .days(1)).seconds), "jti": .string(id),
            // A JSON string that contains JSON.
            "events": .string(JSON.object(event).text),
        ]
        let signer = IDTokenSigner(
            keys: keys, unpublishedKeys: unpublishedKeys,
            faults: request.fault == .wrongSignature ? [.wrongKey] : [], now: now)
        return try signer.token(claims)
    }

    /// Applies the account change that the notification reports.
    private func follow(
        _ type: String, _ account: OpenIDAccount, _ client: ClientDefinition
    ) throws(OAuthError) {
        guard !type.utf8.starts(with: "email-".utf8) else { return }
        try withdraw(clientID: client.id, identity: account.identity)
    }

    /// Retries unless the response is 200. `first` is called after the first attempt.
    private func deliver(
        _ body: [UInt8], to url: String, id: String,
        first: (@Sendable (Int?) -> Void)? = nil
    ) {
        ports.deliver(url, body) { [self] status in
            let attempts = notifications.note(status, of: id)
            if status != 200, attempts <= Self.retryDelays.count {
                ports.after(Self.retryDelays[attempts - 1]) { [self] in
                    deliver(body, to: url, id: id)
                }
            }
            first?(status)
        }
    }
}
