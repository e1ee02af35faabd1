internal import Bytes

/// The supported signature algorithms (RFC 7518 section 3.1, RFC 8037 section 3.1). `none` is not
/// supported.
package enum Algorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case es256 = "ES256"
    case edDSA = "EdDSA"
    case hs256 = "HS256"

    /// Parses the exact name; `rS256` and ` RS256` are unknown.
    package init?(name: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue.isSame(as: name) }) else {
            return nil
        }
        self = known
    }
}
