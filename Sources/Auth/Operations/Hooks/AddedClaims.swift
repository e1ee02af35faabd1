internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import JSON
internal import KeyValueStore

/// The claims of the application (hook `token`) for access tokens of one user; without such a hook,
/// none. `AccessTokenSigner` requires them for each token of a session, so that no operation can
/// leave the hook out.
struct AddedClaims {
    let user: UserID
    let members: JSONObject
    /// Conditions of the write that follows the hook's answer. The user may have been disabled
    /// while the hook worked.
    let checks: [Write]

    static func none(for user: User) -> AddedClaims {
        AddedClaims(user: user.id, members: JSONObject(), checks: [])
    }

    init(user: UserID, members: JSONObject, checks: [Write]) {
        self.user = user
        self.members = members
        self.checks = checks
    }

    /// Reads a hook's answer, for the account as it was read.
    init(_ members: JSONObject, for user: User) {
        self.init(
            user: user.id, members: members,
            checks: [.check(StoreLayout.profile(user.id), when: UserRecord.unchanged(user))])
    }
}

/// Why an access token is issued.
enum TokenReason: String, Sendable {
    /// A session is opened.
    case signIn
    case refresh, stepUp
    /// A session replaces the session of a user who has changed the account.
    case change
    /// A client asks for a token for itself: there is no user.
    case client
    /// A client exchanges an access token (RFC 8693).
    case exchange
}

/// The answer of the hook `token`: `{"claims": {…}}`. Anything else is a failure of the hook.
enum TokenHookAnswer {
    /// Limit of the claims as JSON without spaces. Access tokens are in headers, whose total
    /// servers often limit to 8 KiB.
    static let bytesMax = 1 << 10
    private static let limits = JSONLimits(
        bytesMax: HookAnswer.bytesMax, depthMax: 6, membersMax: 32)
    private static let nameBytesMax = 128

    /// - Parameter own: the names of the claims that our tokens always have.
    static func claims(
        parsing bytes: [UInt8], own: [String]
    ) throws(HookFailure) -> JSONObject {
        guard bytes.count <= HookAnswer.bytesMax else { throw .tooLarge }
        guard let members = (try? JSON.parse(bytes, limits: limits))?.objectValue?.members,
            members.count == 1, members[0].name.isSame(as: "claims"),
            let claims = members[0].value.objectValue,
            claims.members.allSatisfy({ isAllowed($0.name, own) })
        else { throw .malformed }
        guard claims.serialized.count <= bytesMax else { throw .tooLarge }
        return claims
    }

    /// Names are compared without case, because not every verifier distinguishes it.
    private static func isAllowed(_ name: String, _ own: [String]) -> Bool {
        let folded = name.asciiLowercased
        return (1...nameBytesMax).contains(name.utf8.count)
            && name.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
            && !folded.utf8.starts(with: reservedPrefix.utf8)
            && !(reserved + own).contains { folded.isSame(as: $0.asciiLowercased) }
    }

    /// Names with this prefix are reserved for claims of later versions.
    private static let reservedPrefix = "latchkey"

    /// Claims that the hook must not set. `roles`, `groups` and `entitlements` are not among them:
    /// RFC 9068 section 2.2.3.1 defines them for the application's own authorisation data.
    private static let reserved = [
        // RFC 7519 section 4.1.
        "iss", "sub", "aud", "exp", "nbf", "iat", "jti",
        // RFC 9068 section 2.2, RFC 9470 section 6, RFC 8693 section 4.
        "client_id", "auth_time", "acr", "amr", "scope", "scp", "act", "may_act",
        // RFC 7800 and RFC 9449 sections 4.2 and 6.
        "cnf", "htm", "htu", "ath", "nonce",
        // OpenID Connect Core 1.0 sections 2 and 3.3.2.11, and Back-Channel Logout 1.0.
        "azp", "at_hash", "c_hash", "sid", "events", "sub_jwk",
        // RFC 9396 and RFC 9701.
        "authorization_details", "token_introspection",
        // These claims are statements of the server, so the hook must not set them.
        "email", "email_verified", "phone_number", "phone_number_verified",
        "epoch",
    ]
}
