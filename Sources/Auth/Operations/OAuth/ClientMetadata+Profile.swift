internal import AuthDomain
internal import Bytes
internal import JOSE

// The requirements of the FAPI 2.0 Security Profile (Final) for a client and for the provider. A
// description that contradicts the profile is refused.
extension ClientMetadata {
    static let profileName = "profile"
    private static let profile = "fapi2"

    private var hasProfile: Bool {
        get throws(Problem) {
            guard let profile = try text(Self.profileName) else { return false }
            guard profile.isSame(as: Self.profile) else {
                throw Problem(member: Self.profileName, rule: "must be \(Self.profile)")
            }
            return true
        }
    }

    /// The algorithms for tokens that the profile allows.
    func usable(_ algorithms: [Algorithm]) throws(Problem) -> [Algorithm] {
        guard try hasProfile else { return algorithms }
        let usable = algorithms.filter(\.isOfFAPI2)
        guard !usable.isEmpty else {
            throw Problem(member: Self.profileName, rule: Problem.Rule.profile)
        }
        return usable
    }

    func readProfile(into client: inout Client) throws(Problem) {
        guard try hasProfile else { return }
        func problem(_ member: String, _ rule: String) -> Problem {
            Problem(member: member, rule: "\(rule) for the profile \(Self.profile)")
        }
        guard client.authentication == .key else {
            throw problem("token_endpoint_auth_method", "must be private_key_jwt")
        }
        if let keys = client.keys, !keys.keys.contains(where: \.algorithm.isOfFAPI2) {
            throw problem("jwks", "must have a key of ES256 or EdDSA")
        }
        guard client.redirectURIs.allSatisfy({ $0.kind == .web }) else {
            throw problem("redirect_uris", "must be https")
        }
        guard !client.grantTypes.contains(.deviceCode) else {
            throw problem("grant_types", "must not include devices")
        }
        for name in Self.promises {
            guard try flag(name) ?? true else { throw problem(name, "must be true") }
        }
        client.requiresProof = true
        client.pushesRequests = true
        client.isFAPI2 = true
    }
}

extension Algorithm {
    /// The supported algorithms that section 5.4.1 allows.
    var isOfFAPI2: Bool { self == .es256 || self == .edDSA }
}
