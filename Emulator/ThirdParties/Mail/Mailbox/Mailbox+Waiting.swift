internal import Time

/// A client that waits for a message.
struct MailWaiter: Sendable {
    let filter: MailFilter
    let wants: @Sendable (StoredMail) -> Bool
    let answer: @Sendable (StoredMail) -> Void
}

package enum MailWait: Sendable {
    case found(StoredMail)
    /// `answer` will be called once, unless `stopWaiting` is called first.
    case waiting(Int)
    case tooManyWaiters
}

extension Mailbox {
    /// Returns a message that matches the filter and `wants`: the newest, or with `after` the first
    /// one after that ID; if there is none, waits for the next.
    package func wait(
        for filter: MailFilter, wants: @escaping @Sendable (StoredMail) -> Bool = { _ in true },
        answer: @escaping @Sendable (StoredMail) -> Void
    ) throws(MailboxFailure) -> MailWait {
        var filter = filter
        filter.includesFailed = false
        let sought = filter
        let waitersMax = limits.waitersMax
        // Searches and registers under one lock, so that no message is missed.
        return try locked { state throws(MailboxFailure) in
            if let found = try state.first(sought, wants) { return .found(found) }
            guard state.waiters.count < waitersMax else { return .tooManyWaiters }
            state.lastWaiter += 1
            state.waiters[state.lastWaiter] = MailWaiter(
                filter: sought, wants: wants, answer: answer)
            return .waiting(state.lastWaiter)
        }
    }

    /// Returns false if the wait was already answered.
    @discardableResult
    package func stopWaiting(_ id: Int) -> Bool {
        change { $0.waiters.removeValue(forKey: id) != nil }
    }

    package var waiterCount: Int { change { $0.waiters.count } }

    func answerWaiters(_ mail: StoredMail) {
        let candidates = change { state in
            state.waiters.filter { $0.value.filter.matches(mail.entry) }
        }
        for (id, waiter) in candidates where waiter.wants(mail) {
            if stopWaiting(id) { waiter.answer(mail) }
        }
    }
}

extension Mailbox.State {
    /// The number of messages whose content is parsed to evaluate `wants`.
    private static let openedMax = 100

    fileprivate func first(
        _ filter: MailFilter, _ wants: (StoredMail) -> Bool
    ) throws(MailboxFailure) -> StoredMail? {
        var ids: [Int64] = []
        try search(filter, isRising: filter.after > 0) { entry in
            ids.append(entry.id)
            return ids.count < Self.openedMax
        }
        for id in ids {
            if let mail = try message(id), wants(mail) { return mail }
        }
        return nil
    }
}
