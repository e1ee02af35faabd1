package import AuthDomain
package import KeyValueStore
package import Time

/// `SecondFactor` as an item of its account's partition.
package enum SecondFactorRecord {
    private static let hashByteCount = 32

    /// - Parameter expiresAt: for a factor that is not confirmed yet.
    package static func item(
        _ factor: SecondFactor, of user: UserID, expiresAt: Instant? = nil
    ) -> Item {
        var attributes: Attributes = [
            "sealed": .bytes(factor.sealedSecret),
            "recoveryCodes": .bytes(factor.recoveryCodes.flatMap(\.self)),
            "wrongWindow": .integer(factor.wrongCodes.window),
            "wrongCount": .integer(factor.wrongCodes.count),
            "consecutiveFailures": .integer(factor.consecutiveFailures),
            "revision": .integer(factor.revision),
        ]
        attributes.set("enrolledAt", factor.enrolledAt)
        if let step = factor.lastStep { attributes["lastStep"] = .integer(step) }
        if let at = factor.codesReplacedAt { attributes.set("codesReplacedAt", at) }
        if let from = factor.removableFrom { attributes.set("removableFrom", from) }
        if case .pending(let session) = factor.state { attributes.set("session", session.text) }
        return Item(StoreLayout.secondFactor(of: user), attributes, expiresAt: expiresAt)
    }

    package static func factor(_ item: Item) throws(StoreFailure) -> SecondFactor {
        let read = AttributeReader(item)
        var state = SecondFactor.State.enabled
        if let text = try read.optionalText("session") {
            guard let session = SessionID(parsing: text) else { throw read.unreadable("session") }
            state = .pending(session)
        }
        var factor = SecondFactor(
            sealedSecret: try read.bytes("sealed"), enrolledAt: try read.instant("enrolledAt"),
            state: state)
        factor.lastStep = try read.optionalInteger("lastStep")
        let hashes = try read.bytes("recoveryCodes")
        guard hashes.count.isMultiple(of: hashByteCount) else {
            throw read.unreadable("recoveryCodes")
        }
        factor.recoveryCodes = stride(from: 0, to: hashes.count, by: hashByteCount).map { start in
            Array(hashes[start..<start + hashByteCount])
        }
        factor.codesReplacedAt = try read.optionalInteger("codesReplacedAt")
            .map(Instant.init(milliseconds:))
        factor.wrongCodes = RequestCount(
            window: try read.integer("wrongWindow"), count: try read.integer("wrongCount"))
        factor.consecutiveFailures = try read.optionalInteger("consecutiveFailures") ?? 0
        factor.removableFrom = try read.optionalInteger("removableFrom")
            .map(Instant.init(milliseconds:))
        factor.revision = try read.integer("revision")
        return factor
    }

    /// Replaces the row that was read as `item`; the write fails if it was changed since.
    package static func replacing(
        _ item: Item, of user: UserID, with factor: SecondFactor, expiresAt: Instant? = nil
    ) -> Write {
        var next = factor
        if case .integer(let revision)? = item.attributes["revision"] {
            next.revision = revision + 1
        }
        return .put(
            Self.item(next, of: user, expiresAt: expiresAt), when: unchanged(item))
    }

    /// Conditions that hold while the row is unchanged. The secret is compared too, because the
    /// revision of a new enrolment starts over.
    package static func unchanged(_ item: Item) -> [Condition] {
        ["sealed", "revision"].compactMap { name in
            item.attributes[name].map { .equals(name, $0) }
        }
    }
}
