internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore

/// Stops an administrator's removal of the second factor (`LostSecondFactor`), because the user has
/// presented a passkey. For codes, `SecondFactorCheck` does this.
struct RemovalStop {
    let write: Write

    /// nil if there is no removal to stop.
    ///
    /// - Parameters:
    ///   - proof: the proof by a passkey that counts as the second factor.
    ///   - item: the row of the second factor.
    init?(_ proof: PasskeyProof, _ item: Item?, of user: User) throws(AuthError) {
        precondition(proof.user == user.id)
        guard let item, user.hasSecondFactor else { return nil }
        var factor = try decoded(SecondFactorRecord.factor(item))
        guard factor.state == .enabled, factor.removableFrom != nil else { return nil }
        factor.removableFrom = nil
        write = SecondFactorRecord.replacing(item, of: user.id, with: factor)
    }
}
