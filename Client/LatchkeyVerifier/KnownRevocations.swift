package import JOSE
package import JSON
package import Time

/// The ended sessions, users and clients that a server knows, from the lists that it has received.
/// It makes no requests.
///
/// A list contains either everything that ended within the lifetime of a token, or only what ended
/// since a time that an earlier list covers.
package struct KnownRevocations: Sendable {
    /// The parameters of the next request.
    package struct Question: Equatable, Sendable {
        /// The beginning of the requested period, in seconds; nil requests the whole list.
        package let since: Int64?
        /// The `ETag` of the latest list from the same address.
        package let tag: String?

        package init(since: Int64?, tag: String?) {
            self.since = since
            self.tag = tag
        }
    }

    package enum Verdict: Equatable, Sendable {
        case alive, ended
        /// The token lacks the claims that the list refers to.
        case unlistable
        /// No known list is complete and recent enough.
        case unknown
    }

    package static let tokenType = "revocations+jwt"
    /// A row may become visible this long after its time. This value equals the server's `delay`.
    private static let overlap: Int64 = 30
    /// Rounds `since`, so that servers request the same lists and caches hold few of them.
    private static let step: Int64 = 10
    /// A whole list is requested again after this time.
    private static let wholeAge = Duration.seconds(600)
    /// An entry that a whole list lacks is removed only if it was last listed at least this long
    /// ago, because a cache may return an older list.
    private static let memory = Duration.seconds(60)
    /// The server's clock may be ahead by this many seconds.
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
    /// When the latest successful request was sent: it got a list, or "not modified".
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

    /// A "not modified" response does not extend a list beyond its `exp`.
    ///
    /// - Returns: whether the known list answers the question.
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

    /// - Returns: whether the list is valid, and answers the question.
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
            // A cache that confuses URLs may return a list for another period, in which entries may
            // be missing.
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

    /// Removes entries that a whole list no longer contains.
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

    /// Whether the list says that an access token with these claims has ended.
    ///
    /// - Parameter ageMax: the maximum age of the list.
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
