internal import AuthDomain
internal import KeyValueStore

/// `AskedClaims` in a row. Nearly all rows have none.
enum ClaimsAttributes {
    private static let userinfo = "claimsOfUserinfo"
    private static let identity = "claimsOfIDToken"
    private static let strengths = "claimsACR"

    static func set(_ claims: AskedClaims, in attributes: inout Attributes) {
        set(claims.userinfo.map(\.rawValue), as: userinfo, in: &attributes)
        set(claims.identity.map(\.rawValue), as: identity, in: &attributes)
        set(claims.strengths.map(\.name), as: strengths, in: &attributes)
    }

    private static func set(_ words: [String], as name: String, in attributes: inout Attributes) {
        if !words.isEmpty { attributes[name] = .text(Words.text(words)) }
    }

    static func claims(_ read: AttributeReader) throws(StoreFailure) -> AskedClaims {
        let acr = try words(read, strengths)
        return AskedClaims(
            userinfo: try words(read, userinfo).compactMap(UserClaim.init(rawValue:)),
            identity: try words(read, identity).compactMap(UserClaim.init(rawValue:)),
            strengths: ProofStrength.allCases.filter { acr.contains($0.name) })
    }

    private static func words(
        _ read: AttributeReader, _ name: String
    ) throws(StoreFailure) -> [String] {
        try read.optionalText(name).map(Words.list) ?? []
    }
}
