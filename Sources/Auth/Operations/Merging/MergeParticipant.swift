package import AuthDomain

/// The interface to the application's part of a merge: it moves one user's data to another user.
package struct MergeParticipant: Sendable {
    /// Returns when everything is moved, or throws. It is called again until it has returned, and
    /// once more after the last access token of the ended account has expired; so data that is
    /// already moved must not be an error.
    package typealias Move = @Sendable (_ merge: AccountMerge) throws(ErasureFailure) -> Void

    let move: Move

    package init(move: @escaping Move) { self.move = move }
}

/// A merge of one account into another.
package struct AccountMerge: Equatable, Sendable {
    /// The account that has ended.
    package let user: UserID
    /// The account that remains.
    package let other: UserID
    /// Whether this is the call after the last access token has expired.
    package let isLast: Bool

    package init(user: UserID, other: UserID, isLast: Bool) {
        self.user = user
        self.other = other
        self.isLast = isLast
    }

    /// The ID is the same when a call is repeated.
    package var eventID: String {
        "merge-\(user.text)-\(other.text)\(isLast ? "-again" : "")"
    }
}

/// Objects to copy from the prefix of an account that has ended to the prefix of another account.
package struct ObjectCopy: Equatable, Sendable {
    package let user: UserID
    package let other: UserID
    /// The key after which to begin, without the prefix of the account.
    package let position: String?

    package init(user: UserID, other: UserID, position: String?) {
        self.user = user
        self.other = other
        self.position = position
    }

    package enum Progress: Equatable, Sendable {
        /// The key of the last object that is copied; there may be more.
        case upTo(String)
        /// `end` was reached before anything was copied.
        case outOfTime
        case complete
    }
}
