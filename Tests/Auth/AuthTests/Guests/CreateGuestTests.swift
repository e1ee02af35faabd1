import AuthDomain
import AuthOperations
import AuthTestSupport
import TestSupport
import Testing
import Time

@Suite("Guests") struct CreateGuestTests {
    @Test func `a guest has a session and nothing else`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        let user = try kit.authenticate(tokens.access.reveal()).user
        #expect(user == tokens.user && user.isGuest)
        #expect(user.identities.isEmpty && user.email == nil && user.login == nil)
        try expectEqual(kit.methods(tokens), [])
        try expectEqual(kit.audit(of: user.id), ["accountCreated"])
        #expect(try kit.guest().user.id != user.id)
        let next = try kit.refresh(tokens.refresh.reveal(), Caller())
        #expect(next.user.isGuest)
    }

    @Test func `guests can be off, and are in contracts without them`() throws {
        let kit = try AuthKit(policy: .guests { $0.guests = nil })
        expectEqual(kit.error { _ = try kit.guest() }, .notConfigured(.guests))
    }

    @Test func `an address makes so many guests and no more`() throws {
        let kit = try AuthKit(
            policy: .guests {
                $0.limits = [RateLimit(.createGuest, per: .address, 2, in: .hours(1))]
            })
        let caller = Caller(address: "192.0.2.1")
        for _ in 0..<2 { _ = try kit.guest(caller) }
        guard case .rateLimited? = kit.error(of: { _ = try kit.guest(caller) }) else {
            Issue.record("not limited")
            return
        }
        _ = try kit.guest(Caller(address: "192.0.2.2"))
    }

    @Test func `a guest has no second factor, and is no administrator`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        let enrolment = kit.error { _ = try kit.auth.enrolAuthenticator(kit.caller(tokens)) }
        expectEqual(enrolment, .account(.guest))
        let promotion = kit.error {
            _ = try kit.auth.administerUser(
                tokens.user.id.text, .setAdmin(true), by: .password, Caller())
        }
        expectEqual(promotion, .account(.guest))
        try expectEqual(kit.user(tokens.user.id)?.isAdmin, false)
    }

    @Test func `operations that need a password or an address report that there is none`() throws {
        let kit = try AuthKit(policy: .guests())
        let caller = kit.caller(try kit.guest())
        let change = kit.error {
            _ = try kit.auth.changePassword(current: "x", new: AuthKit.password, caller)
        }
        expectEqual(change, .password(.notSet))
        let confirmation = kit.error { _ = try kit.auth.requestAddressVerification(caller) }
        expectEqual(confirmation, .emailLink(.noAddress))
        for (name, error) in [("google", MethodError.notFound), ("email", .notFound)] {
            let removal = kit.error { _ = try kit.auth.removeMethod(name, caller) }
            expectEqual(removal, .method(error))
        }
    }

    @Test(arguments: [true, false])
    func `storage is for guests, unless the setting says no`(isAllowed: Bool) throws {
        let broker = FakeStorageBroker()
        let kit = try AuthKit(
            policy: .guests { $0.guests?.allowsStorage = isAllowed }, storage: broker.services())
        let tokens = try kit.guest()
        let error = kit.error {
            _ = try kit.credentials(IssueCredentials.Input(), kit.caller(tokens))
        }
        expectEqual(error, isAllowed ? nil : .account(.guest))
        expectEqual(broker.asked.count, isAllowed ? 1 : 0)
        guard !isAllowed else { return }
        try kit.link("google", "ada", by: tokens)
        _ = try kit.credentials(IssueCredentials.Input(), kit.caller(tokens))
    }

    @Test func `a disabled guest can do nothing`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        try kit.disable(tokens.user)
        expectEqual(kit.error { try kit.link("google", "ada", by: tokens) }, .account(.disabled))
        let refresh = kit.error { _ = try kit.refresh(tokens.refresh.reveal(), Caller()) }
        expectEqual(refresh, .account(.disabled))
    }

    @Test func `guests may delete themselves at any time`() throws {
        let kit = try AuthKit(policy: .guests())
        let tokens = try kit.guest()
        kit.clock.advance(by: .minutes(14))
        let caller = kit.caller(tokens)
        try kit.auth.deleteAccount(
            try kit.auth.authenticate(caller, for: .deleteAccount), caller)
        #expect(try kit.user(tokens.user.id)?.deletedAt != nil)
        kit.clock.advance(by: .days(31))
        try expectEqual(kit.sweep()["obsolete"], 1)
        #expect(try kit.looks().isEmpty)
    }
}
