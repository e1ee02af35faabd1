internal import AuthDomain
internal import AuthRecords
internal import Bytes
internal import Cryptography
internal import JSON
internal import KeyValueStore
internal import Time

extension AuthServices {
    /// The rows of what a transaction ends, for the list of revocations. `commit` adds them,
    /// whatever the cause is.
    func endedRows(in writes: [Write]) -> [Write] {
        guard policy.revocations != nil else { return [] }
        return EndedRecord.ends(in: writes, at: clock.now()).map { record in
            .put(record.item(named: Base64URL.encode(random.bytes(12))), when: [])
        }
    }

    /// How many writes of a transaction its events and the rows of its ends may need: an event, the
    /// end of its chain, and one row of each user whose sessions end.
    var writesBesideMax: Int { policy.revocations == nil ? 2 : 3 }

    /// The claims by which a list of revocations applies to an access token, beside `sid`.
    ///
    /// - Parameter browser: the session with which a client's grant ends.
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

/// What else ends a session: its token names it, for the list of revocations.
enum EndsWith {
    static let claim = "latchkey_ends_with"
}
