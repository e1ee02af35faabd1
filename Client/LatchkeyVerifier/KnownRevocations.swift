package import JOSE
package import JSON
package import Time

/// What a server knows of what has ended: the content of the lists that it has got, without the
/// requests for them.
///
/// A list is either everything that ended within the life of a token, or what ended since a time of
/// which the list before it knew.
package struct KnownRevocations: Sendable {
    /// What the next request asks for.
    package struct Question: Equatable, Sendable {
        /// In seconds; nil: everything.
        package let since: Int64?
        /// Of the list that is known of the same address.
        package let tag: String?

        package init(since: Int64?, tag: String?) {
            self.since = since
            self.tag = tag
        }
    }

    package enum Verdict: Equatable, Sendable {
        case alive, ended
        /// The token lacks what the list is about.
        case unlistable
        /// There is no list that is complete and new enough.
        case unknown
    }

    package static let tokenType = "revocations+jwt"
    /// A row may become visible so long after its time, which is the server's `delay`.
    private static let overlap: Int64 = 30
    /// Servers ask for the same times, so that caches hold few lists.
    private static let step: Int64 = 10
    /// Everything is asked for again after that.
    private static let wholeAge = Duration.seconds(600)
    /// An end is forgotten if a whole list lacks it so long after it was listed last: a cache may
    /// have answered with an older list.
    private static let memory = Duration.seconds(60)
    /// The server's clock may be ahead.
    private static let issueLeeway: Int64 = 60
    package static let bytesMax = 8 << 20

    private struct Entry: Sendable {
        var value: Int64
        var listedAt: Duration
    }

    private let issuer: String
    private var ended: [String: Entry] = [:]
    private var epochs: [String: Entry] = [:]
    private var clients: [String: Entry] = [:]
    /// When the request was sent that a list, or "not modified", has answered.
    package private(set) var confirmedAt: Duration?
    private var wholeAt: Duration?
    private var issuedAt: Int64 = 0
    private var expiresAt: Int64 = 0
    private var isComplete = false
    private var tag: (since: Int64?, text: String)?

    package init(issuer: String) { self.issuer = issuer }

    // MARK: Lists

    package func question(at uptime: Duration) -> Question {
        var since: Int64?
        if isComplete, let wholeAt, uptime - wholeAt < Self.wholeAge {
            since = (issuedAt - Self.overlap) / Self.step * Self.step
        }
        return Question(since: since, tag: tag.flatMap { $0.since == since ? $0.text : nil })
    }

    /// "Not modified" extends no list beyond its `exp`.
    ///
    /// - Returns: whether the list that is known answers the question.
    package mutating func confirm(
        _ question: Question, sentAt: Duration, now: Instant
    ) -> Bool {
        guard question.tag != nil, now.seconds < expiresAt else {
            tag = nil
            return false
        }
        confirmedAt = sentAt
        return true
    }

    /// - Returns: whether the list is one, and answers the question.
    package mutating func add(
        _ list: String, tag: String?, keys: KeySet, answering question: Question,
        sentAt: Duration, now: Instant
    ) -> Bool {
        guard let token = try? CompactToken(parsing: list, bytesMax: Self.bytesMax),
            let verified = try? JWS.verify(token, keys: keys),
            verified.header["typ"]?.stringValue == Self.tokenType,
            let claims = (try? JSON.parse(verified.payload, limits: .response))?.objectValue,
            claims["iss"]?.stringValue == issuer,
            let issuedAt = claims["iat"]?.int64Value, let expiresAt = claims["exp"]?.int64Value,
            issuedAt <= now.seconds + Self.issueLeeway, now.seconds < expiresAt,
            let isComplete = claims["complete"]?.boolValue,
            let content = Content(claims),
            // Of another time, as from a cache that has mixed up addresses: it may lack something.
            content.covers(question.since)
        else { return false }
        merge(content, at: sentAt)
        if content.since == nil { forget(before: sentAt) }
        if isComplete, content.since == nil { wholeAt = sentAt }
        (self.issuedAt, self.expiresAt, self.isComplete) = (issuedAt, expiresAt, isComplete)
        self.tag = tag.map { (question.since, $0) }
        confirmedAt = sentAt
        return true
    }

    private mutating func merge(_ content: Content, at uptime: Duration) {
        for id in content.ended { ended[id] = Entry(value: 0, listedAt: uptime) }
        for (user, epoch) in content.epochs {
            let value = max(epoch, epochs[user]?.value ?? epoch)
            epochs[user] = Entry(value: value, listedAt: uptime)
        }
        for (client, time) in content.clients {
            let value = max(time, clients[client]?.value ?? time)
            clients[client] = Entry(value: value, listedAt: uptime)
        }
    }

    /// What a whole list does not have any more.
    private mutating func forget(before uptime: Duration) {
        func isRecent(_ entry: Entry) -> Bool { uptime - entry.listedAt < Self.memory }
        ended = ended.filter { isRecent($0.value) }
        epochs = epochs.filter { isRecent($0.value) }
        clients = clients.filter { isRecent($0.value) }
    }

    private struct Content {
        let since: Int64?
        let ended: [String]
        let epochs: [(String, Int64)]
        let clients: [(String, Int64)]

        init?(_ claims: JSONObject) {
            guard let list = claims["ended"]?.arrayValue,
                let epochs = claims["epochs"].flatMap(Self.numbers),
                let clients = claims["clients"].flatMap(Self.numbers)
            else { return nil }
            ended = list.compactMap(\.stringValue)
            since = claims["since"]?.int64Value
            (self.epochs, self.clients) = (epochs, clients)
            let isReadable = claims["since"] == nil || since != nil
            guard ended.count == list.count, isReadable else { return nil }
        }

        func covers(_ asked: Int64?) -> Bool {
            guard let since else { return true }
            return asked.map { since <= $0 } ?? false
        }

        private static func numbers(_ value: JSON) -> [(String, Int64)]? {
            guard let members = value.objectValue?.members else { return nil }
            let numbers = members.compactMap { member in
                member.value.int64Value.map { (member.name, $0) }
            }
            return numbers.count == members.count ? numbers : nil
        }
    }

    // MARK: Tokens

    /// What the list says of an access token, by its claims.
    ///
    /// - Parameter ageMax: of the list.
    package func verdict(
        on claims: JSONObject, at uptime: Duration, now: Instant, ageMax: Duration
    ) -> Verdict {
        guard let user = claims["sub"]?.stringValue, let issuedAt = claims["iat"]?.int64Value else {
            return .unlistable
        }
        let client = claims["client_id"]?.stringValue
        if let client, let end = clients[client]?.value, issuedAt <= end { return .ended }
        if let session = claims["sid"]?.stringValue {
            let others = claims["latchkey_ends_with"]
            let ids = others == nil ? [] : others?.arrayValue?.map(\.stringValue)
            guard let epoch = claims["epoch"]?.int64Value, let ids,
                ids.allSatisfy({ $0 != nil })
            else { return .unlistable }
            if ended[session] != nil || ids.compactMap(\.self).contains(where: { ended[$0] != nil })
            {
                return .ended
            }
            if let current = epochs[user]?.value, epoch < current { return .ended }
        } else if client != user {
            // A client's own token has no session (RFC 9068 section 2.2).
            return .unlistable
        }
        guard isComplete, let confirmedAt, uptime - confirmedAt <= ageMax,
            now.seconds < expiresAt
        else { return .unknown }
        return .alive
    }
}
