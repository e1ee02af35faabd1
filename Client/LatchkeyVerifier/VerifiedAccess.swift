public import Foundation
internal import JOSE
internal import JSON
internal import Time

/// The claims of a verified access token.
public struct VerifiedAccess: Sendable {
    /// `sub`: the user, or the program itself if there is none (`hasUser`).
    public let userID: String
    /// `sid`, with which the server's events name a session.
    public let sessionID: String?
    public let issuedAt: Date
    public let expiresAt: Date
    /// When the user last proved who they are (RFC 9470): `auth_time`.
    public let provenAt: Date?
    /// How strong that proof was: `acr`, such as `aal2`.
    public let strength: String?
    /// How they proved it: `amr`.
    public let methods: [String]
    /// The program that uses the token: `client_id`. In a user's own session it is the audience.
    public let clientID: String?
    /// Whether the token is a user's, and not one that a program has for itself
    /// (`client_credentials`): the subject of such a token is the program.
    public var hasUser: Bool { clientID != userID }
    /// What a program may do for the user: the words of `scope`. None in a user's own session.
    public let scopes: [String]
    /// `aud`, if it is one.
    let audience: String?
    let claims: JSONObject

    /// nil without user or times.
    init?(_ token: VerifiedToken) {
        guard let user = token.subject, !user.isEmpty, let issuedAt = token.issuedAt,
            let expiresAt = token.expiresAt
        else { return nil }
        userID = user
        claims = token.claims
        self.issuedAt = Date(issuedAt)
        self.expiresAt = Date(expiresAt)
        sessionID = claims["sid"]?.stringValue
        provenAt = claims["auth_time"]?.int64Value.map { Date(Instant(seconds: $0)) }
        strength = claims["acr"]?.stringValue
        clientID = claims["client_id"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
        scopes = claims["scope"]?.stringValue?.split(separator: " ").map(String.init) ?? []
        audience = claims["aud"]?.stringValue
        methods = claims["amr"]?.arrayValue?.compactMap(\.stringValue) ?? []
    }

    /// A claim that is text, for example one that the application has added.
    public func text(_ claim: String) -> String? { claims[claim]?.stringValue }

    /// All claims, as JSON.
    public var json: Data { Data(claims.serialized) }
}

extension Date {
    fileprivate init(_ instant: Instant) {
        self.init(timeIntervalSince1970: Double(instant.milliseconds) / 1000)
    }
}

extension VerifiedAccess: CustomStringConvertible, CustomReflectable {
    // Claims have addresses.
    public var description: String { "access of user \(userID)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
