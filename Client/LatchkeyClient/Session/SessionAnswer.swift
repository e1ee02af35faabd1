import Foundation

/// The tokens in a response.
struct SessionAnswer: Sendable {
    static let tokenBytesMax = 16 << 10

    let accessToken: String
    let refreshToken: String?
    let tokenType: String
    let lifetime: Double
    let expiresAt: Double
    let serverOffset: Double
    let user: User?
    let isNewUser: Bool?
    let emailTaken: Bool
    let deviceToken: String?
    /// The uptime before the request was sent. The lifetime of the token began later.
    let sentAt: Duration

    /// nil if the answer has no usable tokens.
    init?(
        _ body: JSON, _ response: HTTPResponse, _ contract: ClientContract, sentAt: Duration,
        now: Date
    ) {
        guard let access = body[contract.names.accessToken]?.text, Self.isToken(access) else {
            return nil
        }
        let refresh = body[contract.names.refreshToken]?.text
        if let refresh, !Self.isToken(refresh) { return nil }
        accessToken = access
        refreshToken = refresh
        let type = body["tokenType"]?.text ?? "Bearer"
        guard type == "Bearer" || type == "DPoP" else { return nil }
        tokenType = type
        let life = body["expiresIn"]?.seconds ?? contract.refresh.lifetime
        guard life > 0, life < 1e9 else { return nil }
        lifetime = life
        let local = now.timeIntervalSince1970
        let stated = body["expiresAt"]?.seconds
        let server =
            response.header("date").flatMap(HTTPDate.seconds) ?? stated.map { $0 - life } ?? local
        expiresAt = stated ?? server + life
        serverOffset = server - local
        user = User(of: body)
        isNewUser = body["isNewUser"]?.flag
        emailTaken = body["emailTaken"]?.flag ?? false
        deviceToken = body["deviceToken"]?.text
        self.sentAt = sentAt
    }

    /// Whether the text is visible ASCII, which a header can contain.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= tokenBytesMax
            && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

extension SessionRecord {
    /// The record of a new session.
    init(_ answer: SessionAnswer, id: String) {
        self.init(
            id: id, generation: 0, accessToken: answer.accessToken,
            refreshToken: answer.refreshToken, tokenType: answer.tokenType,
            lifetime: answer.lifetime, expiresAt: answer.expiresAt,
            serverOffset: answer.serverOffset, user: answer.user, isNewUser: answer.isNewUser,
            emailTaken: answer.emailTaken)
    }

    /// Takes the tokens of a refresh. In some contracts they come without the user and the refresh
    /// token.
    mutating func renew(with answer: SessionAnswer) {
        generation += 1
        awaitsRefresh = nil
        refreshToken = answer.refreshToken ?? refreshToken
        user = answer.user ?? user
        replaceAccessToken(with: answer)
    }

    /// Replaces expired tokens. The new generation is higher than any generation that another
    /// process can have derived from the expired tokens.
    mutating func restart(with answer: SessionAnswer) {
        renew(with: answer)
        // Adds more generations than a session has refreshes in a year. `Int` has 32 bits on
        // watches.
        generation = (generation >> 20 + 1) << 20
    }

    mutating func replaceAccessToken(with answer: SessionAnswer) {
        accessToken = answer.accessToken
        tokenType = answer.tokenType
        lifetime = answer.lifetime
        expiresAt = answer.expiresAt
        serverOffset = answer.serverOffset
    }
}

extension User {
    /// The user in a response: an object, or only an identifier.
    init?(of body: JSON) {
        if let user = body["user"] {
            self.init(user)
        } else if let id = body["userID"]?.identifier {
            self.init(id: id, email: body["email"]?.text)
        } else {
            return nil
        }
    }

    /// nil if the user has no identifier.
    init?(_ user: JSON) {
        guard let id = user["id"]?.identifier else { return nil }
        self.init(
            id: id, email: user["email"]?.text, emailVerified: user["emailVerified"]?.flag,
            displayName: (user["displayName"] ?? user["full_name"])?.text,
            isGuest: user["isGuest"]?.flag ?? false,
            isAdmin: (user["isAdmin"] ?? user["is_admin"])?.flag ?? false,
            createdAt: (user["createdAt"] ?? user["created_at"])?.text)
    }
}
