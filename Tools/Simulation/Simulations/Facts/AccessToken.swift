import Bytes
import JSON

/// What an access token says.
struct AccessToken {
    let session: String
    let user: String
    let expiresAt: Int64
    let key: String?
    let claims: JSON

    init?(_ token: String) {
        let parts = token.split(separator: ".")
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]),
            let claims = try? JSON.parse(bytes, limits: .event),
            let (user, session) = Self.place(in: claims),
            let end = claims["exp"]?.int64Value
        else { return nil }
        self.claims = claims
        (self.user, self.session, expiresAt) = (user, session, end)
        let header = Base64URL.decode(parts[0]).flatMap { try? JSON.parse($0, limits: .event) }
        key = header?["kid"]?.stringValue
    }

    /// `news_app` has both in one claim.
    private static func place(in claims: JSON) -> (user: String, session: String)? {
        guard let session = claims["sid"]?.stringValue else { return nil }
        if let user = claims["sub"]?.stringValue { return (user, session) }
        let parts = session.split(separator: ".").map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
}
