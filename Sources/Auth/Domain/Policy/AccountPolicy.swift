/// A contract's rules for accounts.
package struct AccountPolicy: Equatable, Sendable {
    /// Whether clients see an integer ID instead of the internal UUID.
    package var hasPublicID: Bool
    /// Whether a verified e-mail address belongs to one account at most. A second account with the
    /// address is created without claiming it: an address never finds or links an account.
    package var claimsEmail: Bool
    /// Whether a newer e-mail address from the identity provider replaces the account's. A claimed
    /// login address is never replaced that way.
    package var followsProvider: Bool

    /// Whether administrators can list accounts and find them by their address.
    package var isListed: Bool
    /// Whether administrators can also find accounts by the beginning of an address or of a name.
    /// The index has both in its keys.
    package var isSearchable: Bool
    /// Whether people can create accounts themselves. Otherwise only administrators create them.
    package var isOpen: Bool

    package init(
        hasPublicID: Bool = false, claimsEmail: Bool = false, followsProvider: Bool? = nil,
        isListed: Bool = false, isSearchable: Bool = false, isOpen: Bool = true
    ) {
        self.hasPublicID = hasPublicID
        self.claimsEmail = claimsEmail
        self.followsProvider = followsProvider ?? !claimsEmail
        self.isListed = isListed
        self.isSearchable = isSearchable
        self.isOpen = isOpen
    }
}
