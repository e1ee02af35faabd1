public import Foundation

/// The signed-in user. It contains no token: see ``LatchkeyClient/validToken(minimumLife:)``.
public struct Session: Equatable, Sendable {
    /// A new ID for each sign-in on this device.
    public let id: String
    /// nil if the contract does not say.
    public let user: User?
    /// Whether the sign-in has made the account. nil if the contract does not say.
    public let isNewUser: Bool?
    /// Whether the address of the identity belongs to another account.
    public let emailTaken: Bool
    /// The expiry of the access token, by the server's clock.
    public let expiresAt: Date
}

/// A user, as far as a contract describes one.
public struct User: Equatable, Sendable, Codable {
    public let id: String
    public internal(set) var email: String?
    public internal(set) var emailVerified: Bool?
    public internal(set) var displayName: String?
    public internal(set) var isGuest = false
    public internal(set) var isAdmin = false
    /// The time in the format of RFC 3339, as the server sent it.
    public internal(set) var createdAt: String?
}

/// An access token, for a server that the client does not call itself.
public struct AccessToken: Equatable, Sendable {
    public let value: String
    /// `Bearer` or `DPoP`.
    public let type: String
    /// The time until the token expires.
    public let life: Duration

    /// The value of the header `Authorization`.
    public var authorization: String { "\(type) \(value)" }
}

extension AccessToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "access token" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A change of a client's session.
public enum SessionEvent: Equatable, Sendable {
    /// The store has not been read yet: see ``LatchkeyClient/restore()``.
    case unknown
    /// A user has signed in, in this or another process, or was signed in at launch.
    case signedIn(Session)
    case refreshed(Session)
    case signedOut(SignOutCause)
    /// The session is in memory only. The client tries again.
    case storeFailed
    case stored
}

/// Why there is no session.
public enum SignOutCause: Equatable, Sendable {
    /// There was no stored session at launch.
    case none
    /// The app has called ``LatchkeyClient/signOut(_:)``, or has deleted the account.
    case user
    /// The server has ended the session.
    case server(code: String?)
    /// Another process with the same store has signed the user out.
    case elsewhere
}
