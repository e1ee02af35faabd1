import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import KeyValueStore
import TestSupport
import Testing

/// Changes of an address, and the codes of mails that a session asked for.
extension AccountAction {
    static func askForAddress(
        by session: AccountSimulation.Held, address: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            let secret = try kit.auth.requestNewAddress(email(address), caller)
            return secret.map(AccountOutcome.secret) ?? .done
        }
    }

    static func confirmEmail(
        by session: AccountSimulation.Held, code: String, secret: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.verifyAddress(.code(code, requestSecret: secret), caller)
            return .done
        }
    }

    static func confirmPassword(
        by session: AccountSimulation.Held, code: String, secret: String
    ) -> AccountAction {
        AccountAction(session) { kit, caller throws(AuthError) in
            _ = try kit.auth.completeAddPassword(.code(code, requestSecret: secret), caller)
            return .done
        }
    }

    static func undoEmail(_ person: Int, link: String) -> AccountAction {
        undo(person, link, .undoEmail)
    }

    /// - Parameter purpose: what the link undoes.
    static func undo(
        _ person: Int, _ link: String, _ purpose: AccountLink.Purpose
    ) -> AccountAction {
        AccountAction(person, ends: AccountLink(parsing: link)?.user) {
            kit, caller throws(AuthError) in
            if purpose == .undoEmail {
                try kit.auth.undoAddressChange(token: link, caller)
            } else {
                try kit.auth.undoMethodChange(token: link, caller)
            }
            return .done
        }
    }
}

extension AccountSimulation {
    /// An address belongs to the account that signs in with it, or that can return to it: to one,
    /// and not to a deleted one.
    func checkClaims() throws {
        for id in Set(held.map(\.user)) {
            guard let user = try kit.user(id), user.deletedAt == nil, let login = user.loginAddress
            else { continue }
            let owner = try owner(of: StoreLayout.emailClaim(login))
            expectEqual(owner, id, "the login of an account is not its own, seed \(seed)")
        }
        for mailbox in people.flatMap(\.mailboxes) {
            let claim = StoreLayout.emailClaim(AccountAction.email(mailbox))
            guard let owner = try owner(of: claim), let user = try kit.user(owner) else { continue }
            let former = user.restorePoints(at: kit.clock.now).compactMap(\.claim)
            let isOwn =
                user.loginAddress.map(StoreLayout.emailClaim) == claim
                || former.contains { StoreLayout.emailClaim(addressDigest: $0) == claim }
            #expect(isOwn && user.deletedAt == nil, "a claim without an account, seed \(seed)")
        }
    }

    private func owner(of claim: ItemKey) throws -> UserID? {
        guard case .text(let text)? = try store.get(claim)?.attributes["user"] else { return nil }
        return UserID(parsing: text)
    }

    /// Opens the links that undo changes. Each restores the reader's own address, no other person's
    /// session may be alive afterwards, and nothing is left that was added since the session of the
    /// change began.
    ///
    /// - Returns: how many changes were undone.
    func checkUndo() throws -> Int {
        var undone = 0
        for person in people.indices {
            let links =
                people[person].undoChangeLinks.suffix(2).map {
                    (AccountLink.Purpose.undoChange, $0)
                }
                + people[person].undoLinks.suffix(2).map { (.undoEmail, $0) }
            for (purpose, text) in links {
                guard let link = AccountLink(parsing: text),
                    let row = try store.get(link.key(purpose)),
                    case .done = try race([.undo(person, text, purpose)])[0],
                    let user = try kit.user(link.user)
                else { continue }
                undone += 1
                let isOwn = user.email.map(people[person].mailboxes.contains) == true
                #expect(isOwn, "another's address was restored, seed \(seed)")
                try checkAdditions(of: user, since: try RestorableState(row))
                try check()
                try checkClaims()
            }
        }
        return undone
    }

    private func checkAdditions(of user: User, since state: RestorableState) throws {
        let isLeft = user.identities.contains { $0.addition.map(state.precedes) ?? false }
        #expect(!isLeft, "an added way to sign in is left, seed \(seed)")
        if let row = try store.get(StoreLayout.password(of: user.id)),
            let addition = try PasswordRecord.addition(row)
        {
            #expect(!state.precedes(addition), "an added password is left, seed \(seed)")
        }
        if let row = try store.get(StoreLayout.secondFactor(of: user.id)) {
            let enrolledAt = try SecondFactorRecord.factor(row).enrolledAt
            #expect(enrolledAt < state.since, "an added second factor is left, seed \(seed)")
        }
    }
}
