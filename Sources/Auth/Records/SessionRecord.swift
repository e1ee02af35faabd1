package import AuthDomain
package import KeyValueStore
package import Time

/// `Session` as an item. A revoked session is deleted: deletion needs no condition, so no
/// concurrent writer can prevent it, and every later write of the session requires the generation
/// that it read (Keycloak issue 51312).
package enum SessionRecord {
    package static func item(_ session: Session) -> Item {
        var attributes: Attributes = [
            "generation": .integer(session.generation),
            "seed": .bytes(session.seed),
            "epoch": .integer(session.epoch),
            "writer": .bytes(session.writer),
            "refreshWindow": .integer(session.refreshes.window),
            "refreshCount": .integer(session.refreshes.count),
            "provider": .text(session.origin.provider),
        ]
        if !session.keyID.isEmpty { attributes["keyID"] = .bytes(session.keyID) }
        attributes.set("createdAt", session.createdAt)
        set(session.proofs, in: &attributes)
        attributes.set("lastUsedAt", session.lastUsedAt)
        attributes.set("idleExpiresAt", session.idleExpiresAt)
        attributes.set("absoluteExpiresAt", session.absoluteExpiresAt)
        if let key = session.clientKey {
            attributes["clientKey"] = .text(key)
            attributes["boundGeneration"] = .integer(session.boundGeneration)
        }
        if let grant = session.grant { GrantAttributes.set(grant, in: &attributes) }
        if let clients = clients(session) { attributes[notifies] = .text(clients) }
        attributes.set("device", session.origin.device?.text)
        attributes.set("passkey", session.origin.passkey)
        attributes.set("deviceName", session.origin.deviceName)
        attributes.set("deviceSystem", session.origin.deviceSystem)
        attributes.set("address", session.origin.address)
        attributes.set("userAgent", session.origin.userAgent)
        return Item(key(of: session), attributes, expiresAt: session.expiresAt)
    }

    package static func key(of session: Session) -> ItemKey {
        session.grant == nil
            ? StoreLayout.session(session.id, of: session.user)
            : StoreLayout.clientGrant(session.id, of: session.user)
    }

    package static func lifetime(_ item: Item) throws(StoreFailure) -> SessionLifetime {
        let read = AttributeReader(item)
        return SessionLifetime(
            epoch: try read.integer("epoch"),
            lastUsedAt: try read.instant("lastUsedAt"),
            idleExpiresAt: try read.instant("idleExpiresAt"),
            absoluteExpiresAt: try read.instant("absoluteExpiresAt"),
            passkey: try read.optionalText("passkey"))
    }

    package static func session(
        _ item: Item, id: SessionID, user: UserID
    ) throws(StoreFailure) -> Session {
        let (read, lifetime) = (AttributeReader(item), try lifetime(item))
        let device = try read.optionalText("device").flatMap(DeviceID.init(parsing:))
        return Session(
            id: id, user: user,
            generation: try read.integer("generation"),
            seed: try read.bytes("seed"),
            epoch: lifetime.epoch,
            proofs: try proofs(read),
            lastUsedAt: lifetime.lastUsedAt,
            idleExpiresAt: lifetime.idleExpiresAt,
            absoluteExpiresAt: lifetime.absoluteExpiresAt,
            origin: SessionOrigin(
                provider: try read.text("provider"),
                deviceName: try read.optionalText("deviceName"),
                deviceSystem: try read.optionalText("deviceSystem"),
                address: try read.optionalText("address"),
                userAgent: try read.optionalText("userAgent"), device: device,
                passkey: lifetime.passkey),
            writer: try read.bytes("writer"),
            refreshes: RequestCount(
                window: try read.integer("refreshWindow"),
                count: try read.integer("refreshCount")),
            keyID: try read.optionalBytes("keyID") ?? [],
            clientKey: try read.optionalText("clientKey"),
            boundGeneration: try read.optionalInteger("boundGeneration") ?? 0,
            grant: try GrantAttributes.grant(read),
            notifies: Words.list(try read.optionalText(notifies) ?? ""))
    }

    private static let notifies = "notifies"

    /// nil if no client is to be notified of the end.
    private static func clients(_ session: Session) -> String? {
        session.notifies.isEmpty ? nil : Words.text(session.notifies)
    }

    /// Whether clients are to be notified of the end of the session.
    package static func notifiesClients(_ item: Item) -> Bool { item.attributes[notifies] != nil }

    /// The condition that the session exists, and that no client is to be notified of its end.
    package static let notifiesNobody = Condition.lacks(notifies)

    /// Deletes the row, if the list of clients to notify has not changed since it was read.
    package static func deletion(of session: Session) -> Write {
        .delete(
            key(of: session),
            when: [clients(session).map { .equals(notifies, .text($0)) } ?? notifiesNobody])
    }

    /// The clients to notify, according to the conditions of `deletion`.
    static func clients(toldBy conditions: [Condition]) -> [String] {
        for case .equals(notifies, .text(let clients)) in conditions { return Words.list(clients) }
        return []
    }

    /// The conditions of a write that replaces what was read.
    package static func unchanged(_ session: Session) -> [Condition] {
        [
            .equals("generation", .integer(session.generation)),
            .equals("writer", .bytes(session.writer)),
        ]
    }

    /// The conditions of a write that may follow another write of the same generation. If that
    /// write was a step-up, the conditions do not hold, because this write would undo it.
    package static func unchangedProofs(_ session: Session) -> [Condition] {
        [
            .equals("generation", .integer(session.generation)),
            session.proofs.stepUp.map {
                .equals(stepUpAt, .integer($0.provenAt.milliseconds))
            } ?? .lacks(stepUpAt),
        ]
    }

    package static func isSession(_ item: Item) -> Bool {
        item.key.sort.hasPrefix(StoreLayout.sessionPrefix)
    }

    /// The session ID in the sort key of its item.
    package static func id(of item: Item) -> SessionID? { id(of: item.key) }

    static func id(of key: ItemKey) -> SessionID? { id(of: key, after: StoreLayout.sessionPrefix) }

    /// The ID of a client's session, in the sort key of its item.
    package static func grantID(of item: Item) -> SessionID? { grantID(of: item.key) }

    static func grantID(of key: ItemKey) -> SessionID? {
        id(of: key, after: StoreLayout.clientGrantPrefix)
    }

    private static func id(of key: ItemKey, after prefix: String) -> SessionID? {
        let (sort, prefix) = (key.sort.utf8, prefix.utf8)
        guard sort.starts(with: prefix) else { return nil }
        return SessionID(
            parsing: String(decoding: sort.dropFirst(prefix.count), as: UTF8.self))
    }
}

// The proofs of a session, which was created by the sign-in.
extension SessionRecord {
    private static let methods = "methods"
    /// This attribute is written only if it is true.
    private static let secondFactor = "includesSecondFactor"
    private static let inherited = "inheritedSince"
    private static let stepUpAt = "stepUpAt"
    private static let stepUpMethods = "stepUpMethods"
    private static let stepUpSecondFactor = "stepUpIncludesSecondFactor"

    private static func set(
        _ proofs: SessionProofs, in attributes: inout Attributes
    ) {
        attributes.set(methods, text(proofs.signIn.methods))
        if let since = proofs.inherited { attributes.set(inherited, since) }
        if proofs.signIn.includesSecondFactor { attributes[secondFactor] = .flag(true) }
        guard let stepUp = proofs.stepUp else { return }
        attributes.set(stepUpAt, stepUp.provenAt)
        attributes.set(stepUpMethods, text(stepUp.methods))
        if stepUp.includesSecondFactor { attributes[stepUpSecondFactor] = .flag(true) }
    }

    private static func proofs(_ read: AttributeReader) throws(StoreFailure) -> SessionProofs {
        let signIn = SignInProof(
            provenAt: try read.instant("createdAt"), try list(methods, read),
            includesSecondFactor: try read.optionalFlag(secondFactor) ?? false)
        let since = try read.optionalInteger(inherited).map(Instant.init(milliseconds:))
        guard let at = try read.optionalInteger(stepUpAt) else {
            return SessionProofs(signIn: signIn, inherited: since)
        }
        return SessionProofs(
            signIn: signIn,
            stepUp: SignInProof(
                provenAt: Instant(milliseconds: at), try list(stepUpMethods, read),
                includesSecondFactor: try read.optionalFlag(stepUpSecondFactor) ?? false),
            inherited: since)
    }

    /// nil for a session from before methods were stored.
    private static func text(_ methods: [ProofMethod]) -> String? {
        methods.isEmpty ? nil : methods.map(\.rawValue).joined(separator: " ")
    }

    private static func list(
        _ name: String, _ read: AttributeReader
    ) throws(StoreFailure) -> [ProofMethod] {
        var methods: [ProofMethod] = []
        let words = try read.optionalText(name)?.utf8.split(separator: UInt8(ascii: " ")) ?? []
        for word in words {
            guard let method = ProofMethod(rawValue: String(decoding: word, as: UTF8.self)) else {
                throw read.unreadable(name)
            }
            methods.append(method)
        }
        return methods
    }
}

/// The row that leads from a refresh token to its session, for tokens that do not contain the
/// session's ID. Its key is the token's hash. It is written once and never changed.
package enum RefreshTokenRecord {
    /// A rotating token keeps its row until its own expiry, even after it is replaced, and its
    /// reuse is detected until then. Keeping rows for the whole life of the session would mean one
    /// row for each refresh in a year.
    package static func item(
        hash: [UInt8], _ place: RefreshTokenPlace, expiresAt: Instant
    ) -> Item {
        Item(
            StoreLayout.refreshToken(hash: hash),
            [
                "user": .text(place.user.text), "family": .text(place.session.text),
                "generation": .integer(place.generation),
            ], expiresAt: expiresAt)
    }

    package static func place(_ item: Item) throws(StoreFailure) -> RefreshTokenPlace {
        let read = AttributeReader(item)
        guard let user = UserID(parsing: try read.text("user")),
            let session = SessionID(parsing: try read.text("family"))
        else { throw read.unreadable("family") }
        return RefreshTokenPlace(
            user: user, session: session, generation: try read.integer("generation"))
    }
}
