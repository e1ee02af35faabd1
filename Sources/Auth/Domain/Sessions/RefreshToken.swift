/// A refresh token as the client holds it. It cannot be printed.
package struct RefreshToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let text: String

    package init(_ text: String) { self.text = text }

    /// For the response body.
    package func reveal() -> String { text }

    package var description: String { "<refresh token>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which session a refresh token belongs to, and how many refreshes after its start it was issued.
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
