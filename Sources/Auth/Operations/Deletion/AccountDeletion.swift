internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The writes that delete an account, all in one transaction: afterwards it is gone for every
/// lookup, although its data is still to be erased.
struct AccountDeletion {
    enum Cause: Equatable {
        /// Erased by the function itself, when the caller has the reply.
        case owner
        /// The identity provider says that the user's account there, the only way to sign in, is
        /// gone. Erased by housekeeping.
        case provider
    }

    let writes: [Write]
    private let auth: AuthServices
    private let record: DeletionRecord
}

extension AccountDeletion {
    /// - Parameter user: as it was read; the writes fail if it was changed since.
    init(_ auth: AuthServices, of user: User, by cause: Cause, at now: Instant) {
        let record = DeletionRecord(
            user: user.id, deletedAt: now,
            due: cause == .owner ? now + DeletionSchedule.lease : now,
            attempts: cause == .owner ? 1 : 0,
            addressDigest: (user.loginAddress ?? user.emailAddress).map(StoreLayout.addressDigest))
        let writes =
            [
                UserRecord.replacing(user) { $0 = user.deleted(at: now) },
                .put(record.item, when: [.absent]),
            ] + Self.rowsElsewhere(of: user, auth.policy.accounts).map { .delete($0, when: []) }
        self.init(writes: writes, auth: auth, record: record)
    }

    /// The rows that lead to the account and are not in its own partition. What
    /// `UserRecord.replacing` compares makes sure that they are still the account's.
    static func rowsElsewhere(of user: User, _ policy: AccountPolicy) -> [ItemKey] {
        var keys = user.identities.filter { !$0.isPassword }.map { identity in
            StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
        }
        if let login = user.loginAddress { keys.append(StoreLayout.emailClaim(login)) }
        if let publicID = user.publicID { keys.append(StoreLayout.publicID(publicID)) }
        if policy.isListed {
            keys.append(StoreLayout.directory(user))
            if let email = user.emailAddress {
                keys.append(StoreLayout.emailUser(email, user.id))
            }
        }
        return keys
    }

    /// Erases what belonged to the account, as far as the invocation has time for it. Call it when
    /// the transaction has been made.
    func eraseAfterReply() {
        let (auth, record) = (auth, record)
        auth.afterReply.add { deadline in
            let now = auth.clock.now()
            var end = now + Self.afterReplyMax
            if let deadline { end = min(end, deadline - Self.deadlineMargin) }
            // A process that was suspended in between may wake up when the lease is over.
            guard now < end, end < record.due else { return }
            // Whatever fails is repeated by housekeeping when the lease has ended.
            _ = try? EraseAccount(auth: auth).run(record, until: end)
        }
    }

    private static let afterReplyMax = Span.seconds(20)
    /// Left of an invocation for what follows.
    private static let deadlineMargin = Span.seconds(1)
}
