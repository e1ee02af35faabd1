internal import Bytes
internal import JSON
internal import Time

/// A user's consent to an app. Tokens are valid while it lasts.
struct Consent: Sendable {
    /// An ID that tokens refer to; a new consent gets a new one.
    let grant: String
    var scopes: [String]
    var hidesEmail: Bool
    /// Whether a refresh token was issued.
    var isOffline: Bool

    init(grant: String, scopes: [String], hidesEmail: Bool, isOffline: Bool) {
        self.grant = grant
        self.scopes = scopes
        self.hidesEmail = hidesEmail
        self.isOffline = isOffline
    }

    init?(record: JSONObject) {
        guard let grant = record["grant"]?.stringValue else { return nil }
        self.grant = grant
        scopes = record["scopes"]?.arrayValue?.compactMap(\.stringValue) ?? []
        hidesEmail = record["hidesEmail"]?.boolValue ?? false
        isOffline = record["offline"]?.boolValue ?? false
    }

    var record: JSONObject {
        [
            "grant": .string(grant), "scopes": .array(scopes.map { .string($0) }),
            "hidesEmail": .bool(hidesEmail), "offline": .bool(isOffline),
        ]
    }

    mutating func add(_ more: [String]) {
        for scope in more where !scopes.contains(where: { $0.isSame(as: scope) }) {
            scopes.append(scope)
        }
    }
}

/// The grant of a code or a token.
struct TokenGrant: Sendable {
    enum Kind: String, Sendable { case code, access, refresh }

    var kind: Kind
    let clientID: String
    let account: OpenIDAccount
    let consent: Consent
    var nonce: String?
    var redirectURI: String?
    var codeChallenge: String?
    var givesRefreshToken = false
    var isUsed = false
    let issuedAt: Instant
    var expiresAt: Instant

    init(
        _ kind: Kind, clientID: String, account: OpenIDAccount, consent: Consent, issuedAt: Instant,
        lifetime: Span
    ) {
        self.kind = kind
        self.clientID = clientID
        self.account = account
        self.consent = consent
        self.issuedAt = issuedAt
        expiresAt = issuedAt + lifetime
    }

    init?(record: JSONObject) {
        guard let kind = record["kind"]?.stringValue.flatMap(Kind.init(rawValue:)),
            let clientID = record["client"]?.stringValue,
            let account = record["account"]?.objectValue.flatMap(OpenIDAccount.init(record:)),
            let consent = record["consent"]?.objectValue.flatMap(Consent.init(record:)),
            let issuedAt = record["issuedAt"]?.int64Value,
            let expiresAt = record["expiresAt"]?.int64Value
        else { return nil }
        self.kind = kind
        self.clientID = clientID
        self.account = account
        self.consent = consent
        self.issuedAt = Instant(milliseconds: issuedAt)
        self.expiresAt = Instant(milliseconds: expiresAt)
        nonce = record["nonce"]?.stringValue
        redirectURI = record["redirectURI"]?.stringValue
        codeChallenge = record["codeChallenge"]?.stringValue
        givesRefreshToken = record["refresh"]?.boolValue ?? false
        isUsed = record["used"]?.boolValue ?? false
    }

    var record: JSONObject {
        var record: JSONObject = [
            "kind": .string(kind.rawValue), "client": .string(clientID),
            "account": .object(account.record), "consent": .object(consent.record),
            "issuedAt": .number(issuedAt.milliseconds),
            "expiresAt": .number(expiresAt.milliseconds), "refresh": .bool(givesRefreshToken),
            "used": .bool(isUsed),
        ]
        if let nonce { record["nonce"] = .string(nonce) }
        if let redirectURI { record["redirectURI"] = .string(redirectURI) }
        if let codeChallenge { record["codeChallenge"] = .string(codeChallenge) }
        return record
    }

    var lifetime: Span { expiresAt - issuedAt }

    func isOver(at now: Instant) -> Bool { now >= expiresAt }
}
