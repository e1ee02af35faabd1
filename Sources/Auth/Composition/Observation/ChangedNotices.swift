internal import AuthDomain
internal import AuthOperations
internal import Synchronization

/// Lets a server log a finding of its housekeeping only when it differs from the last one:
/// otherwise an idle server would log the same line every minute.
final class ChangedNotices: Sendable {
    private struct Latest {
        var heads: [String: HousekeepingNotice] = [:]
        var censuses: [Int: HousekeepingNotice] = [:]
        var masterKey: HousekeepingNotice?
    }

    private let latest = Mutex(Latest())

    func isNew(_ notice: HousekeepingNotice) -> Bool {
        latest.withLock { latest in
            switch notice {
            case .auditHead(let head):
                return latest.heads.updateValue(notice, forKey: head.chain) != notice
            case .auditChains(let census):
                let known = latest.censuses.updateValue(notice, forKey: census.shard)
                return known != notice && (known != nil || census.chains > 0 || !census.isComplete)
            case .masterKeyReplaced:
                defer { latest.masterKey = notice }
                return latest.masterKey != notice
            }
        }
    }
}
