import AuthDomain
import AuthOperations
import AuthTestSupport
import TestSupport
import Testing
import Time

extension AccountAction {
    /// - Parameter app: of the account that stays, if it may have one.
    static func merge(
        by session: AccountSimulation.Held, ticket: String, _ app: OneTimePassword?
    ) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            let input = MergeAccounts.Input(
                .ticket(ticket, secondFactor: app.map { .code(typed: kit.code(of: $0)) }),
                refreshToken: session.refresh)
            return .session(try kit.auth.mergeAccounts(input, caller))
        }
    }

    static func merge(
        by session: AccountSimulation.Held, into other: AccountSimulation.Held
    ) -> AccountAction {
        AccountAction(session, endsOthers: true) { kit, caller throws(AuthError) in
            let input = MergeAccounts.Input(
                .session(accessToken: other.access, refreshToken: other.refresh),
                refreshToken: session.refresh)
            return .session(try kit.auth.mergeAccounts(input, caller))
        }
    }
}

extension AccountSimulation {
    /// Something of its own in the storage, and in an application.
    func storeSomething(of guest: UserID) {
        guard guests.insert(guest).inserted else { return }
        kit.erasure.addObject(guest.text, of: guest)
        kit.erasure.addEntry(guest.text, of: guest)
    }

    /// A guest's data, here and with the application, is in the end with the account in
    /// which it has ended, and nowhere else; it is gone only with that account.
    ///
    /// - Returns: how many guests have ended in an account that is still there.
    func checkMerges() throws -> Int {
        for _ in 0..<4 {
            kit.clock.advance(by: .minutes(66))
            try race([.keepHouse()])
        }
        var merged = 0
        let users = Set(held.map(\.user)).union(guests)
        for guest in guests {
            var user = try kit.user(guest)
            while let next = user?.mergedInto { user = try kit.user(next) }
            let isAlive = user.map { $0.deletedAt == nil } ?? false
            if let user, isAlive, user.id != guest { merged += 1 }
            let holders = isAlive ? Set([user?.id].compactMap(\.self)) : []
            let objects = users.filter { kit.erasure.objectNames(of: $0).contains(guest.text) }
            expectEqual(objects, holders, "an object is lost, or in two accounts, seed \(seed)")
            let entries = users.filter { kit.erasure.entries(of: $0).contains(guest.text) }
            expectEqual(entries, holders, "an entry is lost, or in two accounts, seed \(seed)")
        }
        return merged
    }
}
