public import Foundation
internal import JOSE
internal import JSON
internal import Time

/// The claims of a verified access token.
public struct VerifiedAccess: Sendable {
    /// `sub`: the user, or the program itself for a token without a user (`hasUser`).
    public let userID: String
    /// `sid`: the session ID that the server's events use.
    public let sessionID: String?
    public let issuedAt: Date
    public let expiresAt: Date
    /// When the user last proved who they are (RFC 9470): `auth_time`.
    public let provenAt: Date?
    /// `acr`: the strength of that proof, for example `aal2`.
    public let strength: String?
    /// `amr`: the methods of that proof.
    public let methods: [String]
    /// The program that uses the token: `client_id`. For a user's own session this is the audience.
    public let clientID: String?
    /// Whether the token belongs to a user. A program can also have a token for itself
    /// (`client_credentials`), whose subject is the program.
    public var hasUser: Bool { clientID != userID }
    /// `scope`: what a program may do for the user. Empty in a user's own session.
    public let scopes: [String]
    /// `aud`, if there is exactly one.
    let audience: String?
    let claims: JSONObject

    /// nil if the token has no subject, or no times.
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
    // Leaves out the claims, because they contain addresses.
    public var description: String { "access of user \(userID)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
