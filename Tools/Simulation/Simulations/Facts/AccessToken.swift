import Bytes
import JSON

/// The claims of an access token.
struct AccessToken {
    let session: String
    let user: String
    let expiresAt: Int64
    let key: String?
    let claims: JSON

    init?(_ token: String) {
        guard let claims = Self.claims(of: token), let (user, session) = Self.place(in: claims),
            let end = claims["exp"]?.int64Value
        else { return nil }
        self.claims = claims
        (self.user, self.session, expiresAt) = (user, session, end)
        key = Self.key(of: token)
    }

    static func claims(of token: String) -> JSON? {
        let parts = token.split(separator: ".")
        return parts.count == 3 ? json(parts[1]) : nil
    }

    /// The name of the key that signed the token.
    static func key(of token: String) -> String? {
        token.split(separator: ".").first.flatMap(json)?["kid"]?.stringValue
    }

    private static func json(_ part: Substring) -> JSON? {
        Base64URL.decode(part).flatMap { try? JSON.parse($0, limits: .event) }
    }

    /// `news_app` has both user and session in one claim.
    private static func place(in claims: JSON) -> (user: String, session: String)? {
        guard let session = claims["sid"]?.stringValue else { return nil }
        if let user = claims["sub"]?.stringValue { return (user, session) }
        let parts = session.split(separator: ".").map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
