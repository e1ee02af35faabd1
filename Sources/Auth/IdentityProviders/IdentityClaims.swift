internal import Bytes
internal import JSON

/// The claims of a verified ID token, with the variations that providers use.
///
/// Claims that identify the user must be valid or the token is refused; descriptive ones are
/// dropped if invalid, because an unusual address must not prevent sign-in.
struct IdentityClaims {
    let claims: JSONObject

    static let subjectBytesMax = 255
    static let emailBytesMax = 254
    static let nameBytesMax = 256
    static let audiencesMax = 32

    /// OpenID Connect Core 1.0 section 2: at most 255 characters.
    var subject: String? { text("sub", bytesMax: Self.subjectBytesMax) }

    var transferSubject: String? { text("transfer_sub", bytesMax: Self.subjectBytesMax) }

    var email: String? {
        guard let text = text("email", bytesMax: Self.emailBytesMax) else { return nil }
        let parts = Array(text.utf8).split(
            separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
            !text.unicodeScalars.contains(where: \.properties.isWhitespace)
        else { return nil }
        return text
    }

    var isEmailVerified: Bool { email != nil && flag("email_verified") == true }

    var isPrivateEmail: Bool { flag("is_private_email") == true }

    var displayName: String? {
        let parts = [name("given_name"), name("family_name")].compactMap { $0 }
        return name("name") ?? (parts.isEmpty ? nil : parts.joined(separator: " "))
    }

    var realUserStatus: VerifiedIdentity.RealUserStatus? {
        claims["real_user_status"]?.int64Value.flatMap { .init(rawValue: $0) }
    }

    var nonce: NonceClaim {
        switch claims["nonce"] {
        case nil: .absent
        case .string(let text)?: .text(text)
        case .null?, .bool?, .number?, .array?, .object?: .malformed
        }
    }

    /// Apple's `nonce_supported: false`; otherwise a nonce can be required.
    var saysNonceIsUnsupported: Bool { flag("nonce_supported") == false }

    /// Our client ID for which the token was issued.
    ///
    /// OpenID Connect Core 1.0 section 3.1.3.7, steps 3 to 5: a token with several audiences must
    /// have been issued to one of the configured ones (`azp`). With one audience `azp` is not
    /// checked: Google uses it for the Android app, with the server in `aud`.
    func audience(among clientIDs: [String]) -> String? {
        let audiences: [String]
        switch claims["aud"] {
        case .string(let one)?: audiences = [one]
        case .array(let many)? where many.count <= Self.audiencesMax:
            audiences = many.compactMap(\.stringValue)
            guard audiences.count == many.count else { return nil }
        case .null?, .bool?, .number?, .array?, .object?, nil: return nil
        }
        let ours = clientIDs.filter { id in audiences.contains { $0.isSame(as: id) } }
        guard let first = ours.first else { return nil }
        guard audiences.count > 1 else { return first }
        guard let party = claims["azp"]?.stringValue,
            clientIDs.contains(where: { $0.isSame(as: party) })
        else { return nil }
        return ours.first { $0.isSame(as: party) } ?? first
    }

    /// Accepts both `true` and `"true"`, because Apple has sent both.
    private func flag(_ claim: String) -> Bool? {
        switch claims[claim] {
        case .bool(let value)?: value
        case .string(let text)? where text.isSame(as: "true"): true
        case .string(let text)? where text.isSame(as: "false"): false
        case .string?, .null?, .number?, .array?, .object?, nil: nil
        }
    }

    private func name(_ claim: String) -> String? { text(claim, bytesMax: Self.nameBytesMax) }

    private func text(_ claim: String, bytesMax: Int) -> String? {
        guard let text = claims[claim]?.stringValue, (1...bytesMax).contains(text.utf8.count),
            !text.unicodeScalars.contains(where: \.isControl)
        else { return nil }
        return text
    }
}
