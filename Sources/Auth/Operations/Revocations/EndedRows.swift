internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JSON
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// The rows about the sessions, users and clients that a transaction ends, for the revocation
    /// list. `commit` adds them to every transaction.
    func endedRows(in writes: [Write]) -> [Write] {
        guard policy.revocations != nil else { return [] }
        return EndedRecord.ends(in: writes, at: clock.now()).map { record in
            .put(record.item(named: Base64URL.encode(random.bytes(12))), when: [])
        }
    }

    /// How many writes of a transaction its events and these rows may need: an event, the head of
    /// its chain, and a row for each user whose sessions end.
    var writesBesideMax: Int { policy.revocations == nil ? 2 : 3 }

    /// The claims that, in addition to `sid`, decide whether a revocation list applies to an access
    /// token.
    ///
    /// - Parameter browser: the browser's session, whose end also ends the client's grant.
    func revocationClaims(
        of user: User, _ session: Session, in browser: SessionID? = nil
    ) -> JSONObject {
        guard policy.revocations != nil else { return [:] }
        var ids = browser.map { [$0.text] } ?? []
        if let passkey = session.origin.passkey {
            ids.append(EndedRecord.passkey(passkey, of: user.id))
        }
        var claims: JSONObject = ["epoch": .number(user.epoch)]
        if !ids.isEmpty { claims[EndsWith.claim] = .array(ids.map { .string($0) }) }
        return claims
    }
}

/// Another session whose end also ends this one. The token contains the ID of the other session for
/// the revocation list.
enum EndsWith {
    static let claim = "latchkey_ends_with"
}
