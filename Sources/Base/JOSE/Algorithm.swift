internal import Bytes

/// The signature algorithms we know (RFC 7518 section 3.1, RFC 8037 section 3.1). There is no
/// `none` to switch off: it is not in the list.
package enum Algorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
    case hs256 = "HS256"

    /// By its exact name; `rS256` and ` RS256` are unknown.
    package init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.isSame(as: name) }) else {
            return nil
        }
        self = known
    }
}
