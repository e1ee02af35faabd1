internal import AuthDomain
internal import Time

/// `DPOP` and `DPOP_AGE_SECONDS_MAX`: whether tokens are bound to a key of the client (RFC 9449).
enum ProofSettings {
    /// - Parameter standard: the contract's policy; nil if its tokens cannot be bound.
    static func read(_ reader: inout SettingsReader, _ standard: ProofPolicy?) -> ProofPolicy? {
        let mode = reader.choice("DPOP", ProofPolicy.Mode.self)
        let seconds = reader.integer("DPOP_AGE_SECONDS_MAX", 10...600)
        guard var policy = standard else {
            if let mode, mode != .off {
                reader.refuse("DPOP can only be off: the contract's tokens are bearer tokens")
            }
            return nil
        }
        if let mode { policy.mode = mode }
        if let seconds { policy.ageMax = .seconds(seconds) }
        return policy
    }
}
