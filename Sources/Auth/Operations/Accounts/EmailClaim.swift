internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// An address that an account claims.
private struct EmailClaim {
    let digest: [UInt8]
    /// When the claim ends; nil for the login address. The claim of a former address ends by
    /// itself.
    var until: Instant?

    var key: ItemKey { StoreLayout.emailClaim(addressDigest: digest) }

    func put(for owner: Attribute, when conditions: [Condition]) -> Write {
        .put(Item(key, ["user": owner], expiresAt: until), when: conditions)
    }
}

extension User {
    /// The writes that replace the addresses that the account claims: its login address, and the
    /// former ones that can be restored. They belong in one transaction with
    /// `UserRecord.replacing`, which ensures that the login address still belongs to the account.
    ///
    /// - Parameters:
    ///   - next: the account afterwards. The store refuses the writes if one of its addresses
    ///     belongs to another account.
    ///   - held: a claim that belongs to the account although its row does not show that: functions
    ///     of release 0.1.0 write the row without the login address.
    func movingClaims(to next: User, at now: Instant, holding held: ItemKey? = nil) -> [Write] {
        let owner = Attribute.text(id.text)
        let isOwn: [Condition] = [.equals("user", owner)]
        let (old, new) = (claims(at: now), next.claims(at: now))
        let gained = new.compactMap { claim -> Write? in
            guard let known = old.first(where: { $0.digest == claim.digest }) else {
                return claim.put(for: owner, when: claim.key == held ? isOwn : [.absent])
            }
            guard known.until == claim.until else { return claim.put(for: owner, when: isOwn) }
            return claim.until == nil ? .check(claim.key, when: isOwn) : nil
        }
        let lost = old.filter { claim in !new.contains { $0.digest == claim.digest } }
        // A former address may have been released, and another account may have claimed it since.
        return gained + lost.map { .delete($0.key, when: $0.until == nil ? [] : isOwn) }
    }

    private func claims(at now: Instant) -> [EmailClaim] {
        var claims = loginAddress.map { [EmailClaim(digest: StoreLayout.addressDigest($0))] } ?? []
        for former in restorePoints(at: now) {
            guard let digest = former.claim else { continue }
            guard let known = claims.firstIndex(where: { $0.digest == digest }) else {
                claims.append(EmailClaim(digest: digest, until: former.until))
                continue
            }
            if let until = claims[known].until { claims[known].until = max(until, former.until) }
        }
        return claims
    }

    /// Whether the account signs in with the address of a claim. A former address is also claimed,
    /// but cannot be used to sign in.
    func signsIn(with claim: ItemKey) -> Bool {
        loginAddress.map(StoreLayout.emailClaim) == claim
    }
}
