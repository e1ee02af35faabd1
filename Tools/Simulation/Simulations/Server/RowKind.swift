import KeyValueStore

/// Kinds of rows in the functions' table, by their keys.
package enum RowKind: String, CaseIterable, Sendable {
    case session, profile, password, emailClaim, identity, challenge, spentToken
    case magicLink, registration, resetLink, confirmLink, auditEvent, auditHead, counter, outbox
    case signingKey, secondFactor, ticket, passkey, ceremony, merge, guest
    case undoLink, passwordLink, signInCode, webhook
    case authorizationCode, clientGrant, consent, waitingRequest, client
    case clientDocument, clientUser, ended, deviceRequest, logoutNotice
    case other

    init(_ key: ItemKey) {
        let partition = key.partition.prefix { $0 != "#" }
        self =
            switch (partition, key.sort) {
            case ("USER", "PROFILE"): .profile
            case ("USER", "PASSWORD"): .password
            case ("USER", let sort) where sort.hasPrefix("SESSION#"): .session
            case ("USER", "SECONDFACTOR"): .secondFactor
            case ("USER", let sort) where sort.hasPrefix("PASSKEY#"): .passkey
            case ("USER", let sort) where sort.hasPrefix("LINK#SECONDFACTOR"): .ticket
            case ("USER", let sort) where sort.hasPrefix("LINK#RESET"): .resetLink
            case ("USER", let sort) where sort.hasPrefix("LINK#CONFIRMEMAIL"): .confirmLink
            case ("USER", let sort) where sort.hasPrefix("LINK#UNDO"): .undoLink
            case ("USER", let sort) where sort.hasPrefix("LINK#PASSWORD"): .passwordLink
            case ("USER", let sort) where sort.hasPrefix("LINK#SIGNINCODE"): .signInCode
            case ("USER", let sort) where sort.hasPrefix("LINK#OAUTHCODE"): .authorizationCode
            case ("USER", let sort) where sort.hasPrefix("CLIENTGRANT#"): .clientGrant
            case ("USER", let sort) where sort.hasPrefix("CLIENTCONSENT#"): .consent
            case ("EMAIL", "OWNER"): .emailClaim
            case ("IDENTITY", _): .identity
            case ("CHALLENGE", _): .challenge
            case ("SPENT", _): .spentToken
            case ("MAGICLINK", _): .magicLink
            case ("REGISTRATION", _): .registration
            case ("AUDIT", _): .auditEvent
            case ("AUDITHEAD", _): .auditHead
            case ("RATE", _): .counter
            case ("OUTBOX", _): .outbox
            case ("SIGNINGKEYS", _): .signingKey
            case ("CEREMONY", _): .ceremony
            case ("MERGE", _): .merge
            case ("WEBHOOK", _): .webhook
            case ("GUEST", _): .guest
            case ("OAUTHREQUEST", _): .waitingRequest
            case ("CLIENT", _): .client
            case ("CLIENTDOCUMENT", _): .clientDocument
            case ("CLIENTUSERS", _): .clientUser
            case ("ENDED", _): .ended
            case ("USERCODE", _): .deviceRequest
            case ("LOGOUT", _): .logoutNotice
            default: .other
            }
    }
}

/// Planted bugs in the functions' use of the store: a missing condition, a forgotten write, a read
/// of old data.
final class StoreFlaws {
    /// Does not check the conditions of writes to these rows.
    var unconditional: Set<RowKind> = []
    /// Acknowledges changes of these rows without making them.
    var unmade: Set<RowKind> = []
    /// Acknowledges deletions of these rows without making them.
    var undeleted: Set<RowKind> = []
    /// Returns these rows as they were before the last change.
    var stale: Set<RowKind> = []
    /// Acknowledges a write whose condition fails.
    var swallowsConflicts = false
    /// Makes only the first write of a transaction.
    var splitsTransactions = false
    /// Does not count requests.
    var countsNothing = false
    /// Keeps the epoch of each account at 0, so that its sessions cannot all be ended.
    var keepsEpochs = false
    /// Does not store the flag of a second factor with the account.
    var losesFactorFlag = false

    /// Never restores the address of an account.
    var keepsAddresses = false

    /// Does not read rows of the former release.
    var forgetsFormer = false

    /// A bug in reading the rows of ended sessions.
    var list: ListServer.Flaw?

    /// A bug in reading the provider's rows.
    var provider: ProviderFlaws?

    private var earlier: [ItemKey: Item?] = [:]

    var remembers: Bool { !stale.isEmpty }

    func remember(_ keys: [ItemKey], _ items: [Item?]) {
        for (key, item) in zip(keys, items) where stale.contains(RowKind(key)) {
            earlier[key] = .some(item)
        }
    }

    func seen(_ item: Item?, at key: ItemKey) -> Item? {
        if forgetsFormer, let item, FormerRelease.isForeign(item) { return nil }
        if let provider { return provider.read(item, at: key) }
        guard remembers, let earlier = earlier[key] else { return item }
        return earlier
    }

    func seen(_ page: Page, of query: PartitionQuery) -> Page {
        if let list { return list.seen(page, of: query) }
        return seen(page)
    }

    func seen(_ page: Page) -> Page {
        guard remembers else { return page }
        return Page(items: page.items.map { seen($0, at: $0.key) ?? $0 }, next: page.next)
    }

    func counted(_ counters: [CounterIncrement]) -> [CounterIncrement] {
        if countsNothing { return [] }
        return provider?.counted(counters) ?? counters
    }

    func made(_ writes: [Write]) -> [Write] {
        if splitsTransactions, writes.count > 1 { return [writes[0]] }
        if unconditional.isEmpty, unmade.isEmpty, undeleted.isEmpty, !keepsEpochs, !losesFactorFlag,
            !keepsAddresses
        {
            return writes
        }
        // The transaction that deletes the link also restores the address.
        let isUndo = writes.contains { write in
            if case .delete = write { RowKind(write.key) == .undoLink } else { false }
        }
        return writes.compactMap { write in
            let kind = RowKind(write.key)
            if unmade.contains(kind) { return nil }
            let isFree = unconditional.contains(kind)
            switch write {
            case .put(var item, let conditions):
                if keepsEpochs, kind == .profile { item.attributes["epoch"] = .integer(0) }
                if keepsAddresses, isUndo, kind == .profile {
                    item.attributes["email"] = .text("lost@example.com")
                }
                if losesFactorFlag { item.attributes["hasSecondFactor"] = nil }
                return .put(item, when: isFree ? [] : conditions)
            case .delete(let key, let conditions):
                if undeleted.contains(kind) { return nil }
                return .delete(key, when: isFree ? [] : conditions)
            case .check: return isFree ? nil : write
            }
        }
    }
}
