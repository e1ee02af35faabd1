import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import KeyValueStore
import Testing
import Time

extension AccountSimulation {
    /// A stored Apple token: its row, and the current owner of its identity.
    private struct KeptToken {
        let user: UserID
        let grant: ProviderGrant
        /// nil: of an identity that has no account.
        let owner: UserID?

        var isOrphan: Bool { owner != user }
        var text: String { String(decoding: grant.token.reveal(), as: UTF8.self) }
    }

    /// Every stored token of an ended account or removed identity has a job that revokes it,
    /// unless another account has a newer token of the identity.
    func checkTokens() throws {
        let orphans = try keptTokens().filter(\.isOrphan)
        let jobs = try store.query(DeletionRecord.query(limit: 1000)).items
            .map { try DeletionRecord($0) }
        let merging = try store.query(MergeRecord.query(limit: 1000)).items
            .map { try MergeRecord($0).user }
        for token in orphans where !merging.contains(token.user) {
            let hasJob = jobs.contains { job in
                job.user == token.user
                    && (job.identity == nil || job.identity == token.grant.identity)
            }
            #expect(hasJob, "a token without a job, seed \(seed)")
        }
        kit.clock.advance(by: DeletionSchedule.lease)
        try race([.keepHouse()])
        let left = try keptTokens()
        // Those of a merged account stay until everything else of it is moved.
        #expect(
            !left.contains { $0.isOrphan && !merging.contains($0.user) },
            "a token is left, seed \(seed)")
        for token in orphans where !kit.erasure.revoked.contains(token.text) {
            let isReplaced = left.contains { $0.grant.identity == token.grant.identity }
            #expect(isReplaced, "a token was dropped, seed \(seed)")
        }
    }

    private func keptTokens() throws -> [KeptToken] {
        try (0..<SealedRowEntry.shards).flatMap { shard in
            try store.query(SealedRowEntry.query(shard: shard, limit: 1000)).items
        }.compactMap { item in
            guard let row = SealedRowEntry(item.key)?.row, StoreLayout.isGrant(row),
                let kept = try store.get(row),
                let user = UserID(parsing: String(row.partition.dropFirst("USER#".count)))
            else { return nil }
            let grant = try kit.auth.providerTokens.open(kept)
            let owner = try store.get(StoreLayout.identity(grant.identity))?.attributes["user"]
            guard case .text(let text)? = owner else {
                return KeptToken(user: user, grant: grant, owner: nil)
            }
            return KeptToken(user: user, grant: grant, owner: UserID(parsing: text))
        }
    }
}
