package import Time

/// How users change their addresses, and owners undo changes of their accounts. In a contract
/// without this policy, nothing can be undone.
package struct EmailChangePolicy: Equatable, Sendable {
    /// How long the link of a mail undoes a change of the address, or of the ways to sign in. Until
    /// then no other account can claim the former address.
    package var undoLifetime: Span
    /// How many former addresses an account can have. The number is limited because each is a row
    /// and a claim. No address displaces another, so that an attacker cannot remove the owner's.
    package var formerMax: Int
    /// How many changes of an account can be undone at a time. Further changes are refused, for the
    /// same reason.
    package var undoableMax: Int

    package init(undoLifetime: Span = .days(7), formerMax: Int = 5, undoableMax: Int = 20) {
        self.undoLifetime = undoLifetime
        self.formerMax = formerMax
        self.undoableMax = undoableMax
    }
}
