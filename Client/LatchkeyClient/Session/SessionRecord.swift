package import Foundation

/// The stored form of a session.
package struct StoredRecord: Codable, Equatable, Sendable {
    static let bytesMax = 64 << 10
    private static let version = 1

    var version = Self.version
    /// Tokens are sent only to the server that issued them.
    var origin: String
    var session: SessionRecord?
    /// The token that makes this device trusted. It remains when sessions end.
    var deviceToken: String?
    /// The secrets that belong to requested mails, by purpose. They are stored because the link may
    /// start the app anew.
    var mails: [String: PendingMail] = [:]

    var isEmpty: Bool { session == nil && deviceToken == nil && mails.isEmpty }

    /// nil if there is nothing to store.
    var bytes: Data? {
        guard !isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(self)
    }

    /// An empty record if nothing is stored, or if it belongs to another server.
    package init(_ bytes: Data?, origin: String) throws(StoreError) {
        self.init(origin: origin)
        guard let bytes else { return }
        guard bytes.count <= Self.bytesMax,
            let record = try? JSONDecoder().decode(Self.self, from: bytes),
            record.version == Self.version
        else { throw .failed("the stored session cannot be read") }
        if record.origin == origin { self = record }
    }

    private init(origin: String) { self.origin = origin }
}

/// The secret that the server returned for a mail, and that its link or code needs.
struct PendingMail: Codable, Equatable {
    var email: String
    var requestSecret: String
}

/// The version of a session's tokens: the generation is raised by each refresh, and the ID differs
/// for each sign-in.
package struct Revision: Hashable, Sendable {
    package let id: String
    package let generation: Int
}

package struct SessionRecord: Codable, Equatable, Sendable {
    var id: String
    var generation: Int
    var accessToken: String
    var refreshToken: String?
    var tokenType: String
    /// The lifetime of the access token from its issue, in seconds.
    var lifetime: Double
    /// The expiry of the access token by the server's clock, in seconds since 1970.
    var expiresAt: Double
    /// How far the server's clock was ahead of the device's, in seconds.
    var serverOffset: Double
    var user: User?
    var isNewUser: Bool?
    var emailTaken = false
    /// A refresh with these tokens was sent or is about to be sent, and its response is not stored:
    /// see SessionMachine.swift. nil in records of earlier releases.
    var awaitsRefresh: Bool?

    package var revision: Revision { Revision(id: id, generation: generation) }

    var session: Session {
        Session(
            id: id, user: user, isNewUser: isNewUser, emailTaken: emailTaken,
            expiresAt: Date(timeIntervalSince1970: expiresAt))
    }
}

extension SessionRecord: CustomStringConvertible, CustomReflectable {
    package var description: String { "session \(id), generation \(generation)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
