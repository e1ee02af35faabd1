internal import AuthDomain
internal import AuthRecords
internal import KeyValueStore
internal import Time

/// The writes of one transaction that deletes an account: afterwards no lookup finds it, although
/// its data is not erased yet.
struct AccountDeletion {
    enum Cause: Equatable {
        /// The owner or an administrator deleted it. The function itself erases the data after the
        /// reply.
        case request
        /// The provider reported that the user's account there, the only sign-in method, was
        /// deleted. Housekeeping erases the data.
        case provider
        /// The last session of a guest has ended. Housekeeping erases the data.
        case guestEnded
    }

    let writes: [Write]
    private let auth: AuthServices
    private let record: DeletionRecord
}

extension AccountDeletion {
    /// - Parameter user: the account as it was read; the writes fail if it was changed since.
    init(_ auth: AuthServices, of user: User, by cause: Cause, at now: Instant) {
        let record = DeletionRecord(
            user: user.id, deletedAt: now,
            due: cause == .request ? now + DeletionSchedule.lease : now,
            attempts: cause == .request ? 1 : 0,
            addressDigest: (user.loginAddress ?? user.emailAddress).map(StoreLayout.addressDigest))
        let writes =
            Self.ending(user, as: user.deleted(at: now), auth.policy.accounts, at: now)
            + [.put(record.item, when: [.absent])]
        self.init(writes: writes, auth: auth, record: record)
    }

    /// The writes after which no lookup finds the account. A merge uses them, too.
    ///
    /// - Parameter ended: the row that replaces the account's row.
    static func ending(
        _ user: User, as ended: User, _ policy: AccountPolicy, at now: Instant
    ) -> [Write] {
        [UserRecord.replacing(user) { $0 = ended }]
            + rowsElsewhere(of: user, policy).map { .delete($0, when: []) }
            + user.movingClaims(to: ended, at: now)
    }

    /// The rows outside the account's partition that refer to it, besides its claims. The
    /// conditions of `UserRecord.replacing` ensure that they still belong to the account.
    private static func rowsElsewhere(of user: User, _ policy: AccountPolicy) -> [ItemKey] {
        var keys = user.identities.filter { !$0.isPassword }.map { identity in
            StoreLayout.identity(issuer: identity.issuer, subject: identity.subject)
        }
        if let publicID = user.publicID { keys.append(StoreLayout.publicID(publicID)) }
        return keys + policy.indexRows(of: user)
    }

    /// Erases the account's data, as far as the invocation has time. Call it after the transaction
    /// is committed.
    func eraseAfterReply() {
        let (auth, record) = (auth, record)
        auth.afterReply.add { deadline in
            guard let end = auth.endAfterReply(until: deadline, lease: record.due) else { return }
            // Housekeeping repeats failed parts after the lease has ended.
            _ = try? EraseAccount(auth: auth).run(record, until: end)
        }
    }
}
