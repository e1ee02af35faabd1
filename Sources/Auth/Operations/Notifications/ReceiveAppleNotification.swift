package import AuthDomain
internal import AuthRecords
internal import IdentityProviders
internal import KeyValueStore
internal import Time

/// Processes a server-to-server notification of Apple. Apple repeats it until it is answered with
/// 200, so a notification that is repeated, unknown or concerns no account succeeds and changes
/// nothing.
package struct ReceiveAppleNotification: Sendable {
    /// How far Apple's clock may be behind ours.
    private static let clockDifferenceMax = Span.minutes(5)

    let auth: AuthServices

    package func callAsFunction(
        _ payload: String, _ caller: Caller
    ) throws(AuthError) {
        // 1. Verify that Apple signed it for this app.
        let notification = try verified(payload, caller)

        // 2. Open: find the account, and check whether the notification was processed before.
        let seen = StoreLayout.notification(issuer: notification.issuer, id: notification.id)
        let identity = StoreLayout.identity(
            issuer: notification.issuer, subject: notification.subject)
        let opening = try auth.open(
            .appleNotification, counting: [(.address, caller.address)], reading: [identity, seen])
        try opening.admit()
        guard notification.event != .other, opening.items[seen] == nil,
            let owner = try auth.owner(opening.items[identity])
        else { return }

        for _ in auth.attempts {
            // 3. Read the account: another round trip, because the identity's row contains only its
            //    ID.
            guard let found = try account(owner, notification) else { return }

            // 4. Close: of two requests with the same notification only one changes the account.
            var audit = found.audit
            let change = try change(found.user, found.grants, notification, &audit)
            let mark = Item(seen, [:], expiresAt: notification.validUntil)
            if try auth.commit(change.writes + [.put(mark, when: [.absent])], &audit) {
                change.notice.deliver()
                return
            }
            let processed = try auth.store.get(seen)
            guard processed == nil else { return }
        }
        throw .unavailable(.contention)
    }

    private func verified(
        _ payload: String, _ caller: Caller
    ) throws(AuthError) -> AppleNotification {
        let gateway = try auth.identityProviders
        do {
            return try gateway.readNotification(payload, auth.clock.now())
        } catch {
            try auth.open(.appleNotification, counting: [(.address, caller.address)]).admit()
            throw .notificationRejected(error)
        }
    }

    /// nil if the notification does not apply to the account, because the account was deleted,
    /// unlinked, or created after the notification.
    private func account(
        _ owner: UserID, _ notification: AppleNotification
    ) throws(AuthError) -> (user: User, grants: [Item], audit: AuditTrail)? {
        let chain = AuditChain.account(owner)
        let read = try auth.store.read(
            [StoreLayout.profile(owner), chain.headKey], counting: [],
            listing: StoreLayout.grants(
                of: IdentityDigest(
                    issuer: notification.issuer, subject: notification.subject), in: owner))
        guard let user = try read.items.user(owner), user.deletedAt == nil,
            user.identities.contains(where: { isSubject($0, notification) })
        else { return nil }
        if let occurredAt = notification.occurredAt,
            user.createdAt > occurredAt + Self.clockDifferenceMax
        {
            return nil
        }
        let audit = try auth.audit(chain, read.items)
        return (user, read.page?.items ?? [], audit)
    }

    private func isSubject(
        _ identity: LinkedIdentity, _ notification: AppleNotification
    ) -> Bool {
        identity.issuer.utf8.elementsEqual(notification.issuer.utf8)
            && identity.subject.utf8.elementsEqual(notification.subject.utf8)
    }

    /// The provider name in sign-in requests.
    private static let provider = "apple"

    private func change(
        _ user: User, _ grants: [Item], _ notification: AppleNotification,
        _ audit: inout AuditTrail
    ) throws(AuthError) -> (writes: [Write], notice: OwnerNotice) {
        let now = auth.clock.now()
        // Apple has already revoked its tokens.
        let dropped = grants.map { Write.delete($0.key, when: []) }
        switch notification.event {
        case .consentRevoked:
            let ended = UserRecord.replacing(user) {
                $0.epoch += 1
                $0.updatedAt = now
            }
            record(.consentRevoked, &audit, at: now)
            return ([ended] + dropped, .none)
        case .accountDeleted:
            record(.providerAccountDeleted, &audit, at: now)
            return try unlinking(user, notification, dropped, &audit, at: now)
        case .emailDisabled: record(.providerEmailDisabled, &audit, at: now)
        case .emailEnabled: record(.providerEmailEnabled, &audit, at: now)
        case .other: break
        }
        return ([], .none)
    }

    /// An account whose last sign-in method is removed is deleted.
    private func unlinking(
        _ user: User, _ notification: AppleNotification, _ dropped: [Write],
        _ audit: inout AuditTrail, at now: Instant
    ) throws(AuthError) -> (writes: [Write], notice: OwnerNotice) {
        let left = user.identities.filter { !isSubject($0, notification) }
        guard !left.isEmpty else {
            let deletion = AccountDeletion(auth, of: user, by: .provider, at: now)
            let notice = try auth.notice(.accountDeleted, to: user, Caller(), at: now)
            record(.accountDeleted, &audit, at: now)
            return (deletion.writes + dropped + notice.writes, notice)
        }
        let notice = try auth.notice(
            .methodRemoved, to: user, saying: ["method": "Apple"], Caller(), at: now)
        let writes =
            [
                UserRecord.replacing(user) {
                    $0.identities = left
                    $0.epoch += 1
                    $0.updatedAt = now
                },
                .delete(
                    StoreLayout.identity(
                        issuer: notification.issuer, subject: notification.subject), when: []),
            ] + dropped + notice.writes
        return (writes, notice)
    }

    /// Records the event without client data: the request comes from Apple's server.
    private func record(_ event: AuditEvent, _ audit: inout AuditTrail, at now: Instant) {
        audit.record(event, Caller(), by: Self.provider, at: now)
    }
}

extension AuthServices {
    package var receiveAppleNotification: ReceiveAppleNotification {
        ReceiveAppleNotification(auth: self)
    }
}

extension AuthOperation {
    package static let appleNotification = AuthOperation(
        "appleNotification", servedBy: "apple-notifications", counting: [.address],
        audited: .others)
}
