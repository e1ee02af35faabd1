import AuthDomain
import JSON

/// Changes of addresses and sign-in methods, and whether they were undone.
struct ChangeFacts {
    private struct Request {
        let user: String
        let serial: Int
        /// The step since which the account has a second factor.
        let factorAt: Int?
    }

    /// Requests under way that change an account.
    private var asked: [Int: Request] = [:]
    /// How many requests have changed each account.
    private var serials: [String: Int] = [:]
    /// The step at which the latest request that changes the account began or ended.
    private var latest: [String: Int] = [:]
    /// The address that each account must have: the last one confirmed or restored, if nothing else
    /// has changed since.
    private(set) var addresses: [String: String] = [:]
    /// Accounts from which an undone change has removed the second factor.
    private(set) var withoutFactor: Set<String> = []

    /// Whether a change of this account was ever requested. Another account may later get its
    /// address.
    func hasEver(_ user: String) -> Bool { latest[user] != nil }

    /// Whether a change was under way at or after a step.
    func isUnsettled(_ user: String, since step: Int) -> Bool {
        asked.values.contains { $0.user == user } || latest[user] ?? -1 >= step
    }

    mutating func ask(_ number: Int, _ user: String, factorAt: Int?, at step: Int) {
        serials[user, default: 0] += 1
        asked[number] = Request(user: user, serial: serials[user] ?? 0, factorAt: factorAt)
        latest[user] = step
        addresses[user] = nil
        withoutFactor.remove(user)
    }

    /// The request, if no other change of the account was concurrent.
    private func isAlone(_ number: Int) -> Request? {
        guard let request = asked[number], serials[request.user] == request.serial,
            asked.values.count(where: { $0.user == request.user }) == 1
        else { return nil }
        return request
    }

    mutating func settle(_ number: Int, at step: Int) {
        if let request = asked.removeValue(forKey: number) { latest[request.user] = step }
    }

    mutating func expect(_ address: String, after number: Int) {
        if let request = isAlone(number) { addresses[request.user] = address }
    }

    mutating func forgetAddress(of user: String) { addresses[user] = nil }

    /// - Parameter step: the step of the change that was undone.
    mutating func expectNoFactor(addedAfter step: Int, _ number: Int) {
        guard let request = isAlone(number), request.factorAt ?? -1 > step else { return }
        withoutFactor.insert(request.user)
    }

    mutating func mayHaveFactor(_ user: String) { withoutFactor.remove(user) }
}

extension Facts {
    /// The account that a request changes.
    private func changed(_ operation: String, _ body: JSON, _ user: String?) -> String? {
        switch operation {
        case "POST /auth/email/confirm", "POST /auth/methods/password",
            "POST /auth/methods/password/confirm":
            user
        case "POST /auth/email/undo", "POST /auth/undo": mails.letter(of: body)?.user
        default: operation.hasPrefix("DELETE /auth/methods/") ? user : nil
        }
    }

    func prepareChanges(_ operation: String, _ body: JSON, _ user: String?, number: Int) {
        // Confirming may restore a second factor that an undone change has removed.
        if operation == "POST /auth/totp/confirm", let user { changes.mayHaveFactor(user) }
        guard let user = changed(operation, body, user) else { return }
        changes.ask(number, user, factorAt: factors.enabled[user], at: step)
        passwords.becomesUnclear(user)
        if operation.hasPrefix("DELETE ") { allMayEnd(of: user, number) }
        if operation.hasSuffix("/undo") {
            allMayEnd(of: user, number)
            factors.enabled[user] = nil
        }
    }

    func noteChanges(_ seen: Seen) {
        let exchange = seen.exchange
        // If the user has not chosen the account's address, the address follows the provider.
        if exchange.operation == "POST /auth/signin", let user = seen.issued?.user {
            changes.forgetAddress(of: user)
        }
        guard let user = changed(exchange.operation, exchange.body, seen.presented?.user) else {
            return
        }
        let letter = mails.letter(of: exchange.body)
        switch exchange.operation {
        case "POST /auth/email/confirm":
            if let letter { changes.expect(letter.to, after: exchange.number) }
        case "POST /auth/email/undo", "POST /auth/undo":
            guard let letter else { return }
            noteUndo(exchange, letter, of: user)
        default:
            guard exchange.operation.hasPrefix("DELETE ") else { return }
            accounts.acknowledge(.methodRemoved, user)
            sessions.endAll(
                of: user, but: seen.issued?.session, "sign-in method removed",
                startedAt: exchange.startedAt, at: step)
        }
    }

    /// Everything that was added after the mail about the change has been removed.
    private func noteUndo(_ exchange: Exchange, _ letter: MailFacts.Letter, of user: String) {
        let isOfAddress = exchange.operation == "POST /auth/email/undo"
        accounts.acknowledge(isOfAddress ? .emailChangeUndone : .methodChangeUndone, user)
        if isOfAddress { changes.expect(letter.to, after: exchange.number) }
        changes.expectNoFactor(addedAfter: letter.arrivedAt, exchange.number)
        sessions.endAll(of: user, "change undone", startedAt: exchange.startedAt, at: step)
        for (passkey, owner) in factors.passkeys where owner == user {
            guard let addedAt = factors.addedAt[passkey], addedAt > letter.arrivedAt else {
                continue
            }
            factors.removed[passkey] = step
        }
    }
}
