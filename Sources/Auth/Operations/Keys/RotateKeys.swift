package import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// Replaces the signing key early: with the usual overlap, or at once if it is compromised.
package struct RotateKeys: Sendable {
    let auth: AuthServices

    /// Creates the next key, which signs once every cache of the key set has it. If a key already
    /// waits for its use, none is created.
    ///
    /// - Returns: the new or waiting key; nil if the operator configured the keys (`SIGNING_KEY`).
    package func callAsFunction(
        because reason: String? = nil, by administrator: Administrator? = nil, _ caller: Caller
    ) throws(AuthError) -> SigningKeyChange? {
        try change(.signingKeyMade, because: reason, by: administrator, caller) {
            stored, now throws(AuthError) in
            try stored.rotation(try stored.read(), at: now)
        }
    }

    /// Ends a key at once: its tokens are refused as soon as the functions read the keys again, a
    /// minute at most. If it is the signing key, its successor signs from now on.
    ///
    /// - Returns: nil if there is no such key.
    package func callAsFunction(
        retiring kid: String, _ caller: Caller
    ) throws(AuthError) -> SigningKeyChange? {
        try change(.signingKeyRetired, detail: kid, caller) { stored, now throws(AuthError) in
            try stored.retirement(of: kid, try stored.read(), at: now)
        }
    }

    private func change(
        _ event: AuditEvent, detail: String? = nil, because reason: String? = nil,
        by administrator: Administrator? = nil, _ caller: Caller,
        _ decide: (StoredSigningKeys, Instant) throws(AuthError) -> (
            key: SigningKeyChange, writes: [Write]
        )?
    ) throws(AuthError) -> SigningKeyChange? {
        guard let stored = auth.signingKeys.stored else { return nil }
        for _ in auth.attempts {
            let now = auth.clock.now()
            guard let (key, writes) = try decide(stored, now) else { return nil }
            guard !writes.isEmpty else { return key }
            var audit = auth.audit(.administration)
            audit.record(
                event, caller, detail: detail ?? key.kid, by: administrator?.name,
                because: reason, at: now)
            if try auth.commit(writes, &audit) {
                auth.signingKeys.forget()
                return key
            }
        }
        throw .unavailable(.contention)
    }
}

extension AuthServices {
    package var rotateKeys: RotateKeys { RotateKeys(auth: self) }
}

extension AuthOperation {
    package static let rotateKeysByAdministrator = administration("rotateKeysByAdministrator")
    package static let rotateKeys = AuthOperation(
        "rotateKeys", servedBy: "keys", counting: [], audited: .others)
    package static let retireKey = AuthOperation(
        "retireKey", servedBy: "keys", counting: [], audited: .others)
}
