internal import AuthDomain
internal import Bytes
internal import JSON

/// The parameter `claims` of a request (OpenID Connect Core section 5.5). Claims that the provider
/// does not have are ignored. `essential` counts for `acr` only: a user without a name or an
/// address is not refused.
struct ClaimsParameter {
    private let userinfo: JSONObject
    private let identity: JSONObject
    /// The user whom the client expects.
    let subject: UserID?
    private let strengths: [ProofStrength]
    /// Whether the client accepts no other strength.
    private let insists: Bool

    private static let limits = JSONLimits(bytesMax: 4096, depthMax: 5, membersMax: 64)

    /// - Parameter text: the parameter; nil if it is missing.
    init(_ text: String?) throws(OAuthError) {
        let json = text.map { try? JSON.parse(Array($0.utf8), limits: Self.limits) } ?? [:]
        guard let claims = json?.objectValue else {
            throw .invalidRequest("claims must be a JSON object of at most 4096 bytes.")
        }
        userinfo = try Self.part("userinfo", of: claims)
        identity = try Self.part("id_token", of: claims)
        subject = try Self.subject(userinfo["sub"], identity["sub"])
        let named = Self.strengths(identity["acr"])
        strengths = named ?? []
        insists = identity["acr"]?["essential"]?.boolValue ?? false
        guard !insists || named != [] else { throw .unmetRequirements }
    }

    private static func part(
        _ name: String, of claims: JSONObject
    ) throws(OAuthError) -> JSONObject {
        guard let value = claims[name], value != .null else { return [:] }
        guard let members = value.objectValue,
            members.members.allSatisfy({ $0.value == .null || $0.value.objectValue != nil })
        else {
            throw .invalidRequest("In claims, userinfo and id_token hold objects or null.")
        }
        return members
    }

    private static func subject(_ claims: JSON?...) throws(OAuthError) -> UserID? {
        var subject: UserID?
        for text in claims.compactMap({ $0?["value"] }) {
            guard let user = text.stringValue.flatMap(UserID.init(parsing:)),
                subject == nil || user == subject
            else { throw .invalidRequest("In claims, sub must be the user of an ID token.") }
            subject = user
        }
        return subject
    }

    /// The weakest `acr` that is asked for, even if the client does not require it.
    var strength: ProofStrength? { strengths.min() }

    /// - Parameter open: whether the client may ask for the claims of a scope.
    func claims(open: (StandardScope) -> Bool) -> AskedClaims {
        let known = UserClaim.allCases.filter { open($0.scope) }
        return AskedClaims(
            userinfo: known.filter { userinfo[$0.rawValue] != nil },
            identity: known.filter { identity[$0.rawValue] != nil },
            strengths: insists ? strengths : [])
    }

    /// The strengths among the values that the client accepts for `acr`. Unknown values are
    /// ignored.
    private static func strengths(_ claim: JSON?) -> [ProofStrength]? {
        let values = (claim?["value"].map { [$0] } ?? []) + (claim?["values"]?.arrayValue ?? [])
        return values.isEmpty
            ? nil : ProofStrength.named(in: values.compactMap(\.stringValue))
    }
}

extension ProofStrength {
    /// The named strengths. Unknown names are ignored.
    static func named(in names: [String]) -> [ProofStrength] {
        allCases.filter { one in
            one > .nothing && names.contains { $0.isSame(as: one.name) }
        }
    }
}
