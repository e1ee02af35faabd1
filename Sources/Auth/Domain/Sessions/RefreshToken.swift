/// A refresh token for a client. It cannot be printed.
package struct RefreshToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// The token's text, for the response body.
    package func reveal() -> String { text }

    package var description: String { "<refresh token>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The session of a refresh token, and its generation: the number of refreshes before it was
/// issued.
package struct RefreshTokenPlace: Hashable, Sendable {
    package let user: UserID
    package let session: SessionID
    package let generation: Int64

    package init(user: UserID, session: SessionID, generation: Int64) {
        self.user = user
        self.session = session
        self.generation = generation
    }
}
