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

/// Faults of the functions, planted where they meet the store: a condition that is missing, a write
/// that is forgotten, a read that is not of the present.
final class StoreFlaws {
    /// The conditions of writes to these rows are not checked.
    var unconditional: Set<RowKind> = []
    /// Changes of these rows are answered, and not made.
    var unmade: Set<RowKind> = []
    /// Deletions of these rows are answered, and not made.
    var undeleted: Set<RowKind> = []
    /// Reads return these rows as they were before the last change.
    var stale: Set<RowKind> = []
    /// A write whose condition fails is answered as made.
    var swallowsConflicts = false
    /// Only the first write of a transaction is made.
    var splitsTransactions = false
    /// Requests are not counted.
    var countsNothing = false
    /// All sessions of an account cannot be ended at once.
    var keepsEpochs = false
    /// The flag of a second factor is not stored with the account.
    var losesFactorFlag = false

    /// The address of an account is never put back.
    var keepsAddresses = false

    /// Rows of the former release are not read.
    var forgetsFormer = false

    /// Rows of what has ended are read as others.
    var list: ListServer.Flaw?

    /// Rows of the provider are read as others.
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
        // The write that deletes the link is the one that restores the address.
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
