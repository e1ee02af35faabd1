import WebAuthnTestSupport

/// A thief with a stolen session chooses the order of what they do. Whichever mail to the owner's
/// mailbox the owner answers, the owner ends up in the account, and the thief outside.
@Suite("Undoing changes in any order") struct UndoOrderTests {
    enum Action: CaseIterable {
        case passkey, authenticator, password, provider, trustedDevice, address
    }

    /// What the thief does besides.
    enum Cunning: CaseIterable {
        case none
        /// Signs in again as soon as there is a passkey, and continues with that session.
        case signsInByPasskey
        /// Uses the links of the mails that come to their own mailbox.
        case undoes
    }

    @Test(arguments: Cunning.allCases)
    func `the owner stays signed in, and the thief is signed out`(cunning: Cunning) throws {
        // All orders for the plain thief, and every seventh for the others.
        let orders = Self.permutations(Action.allCases)
        for index in stride(from: 0, to: orders.count, by: cunning == .none ? 1 : 7) {
            let theft = try Theft(cunning)
            for action in orders[index] { try theft.perform(action) }
            try theft.undoAsThief()
            let links = theft.links(to: Theft.mailbox)
            let usesFirst = index.isMultiple(of: 2)
            let link = try #require(usesFirst ? links.first : links.last, "\(orders[index])")
            try theft.undo(link)
            try theft.expectOver("\(orders[index]), \(cunning), first: \(usesFirst)")
        }
    }

    /// A thief who never changes the address.
    @Test(arguments: Action.allCases.filter { $0 != .address && $0 != .trustedDevice })
    func `the link in the latest mail about an addition undoes the addition`(action: Action) throws
    {
        let theft = try Theft(.none)
        try theft.perform(action)
        let links = theft.links(to: Theft.mailbox)
        #expect(!links.isEmpty)
        try theft.undo(try #require(links.last))
        try theft.expectOver("\(action)")
        expectError(.emailLink(.invalid)) { try theft.undo(links[0]) }
    }

    @Test func `a link is valid for seven days`() throws {
        let theft = try Theft(.none)
        try theft.perform(.passkey)
        theft.kit.clock.advance(by: .days(7))
        expectError(.emailLink(.invalid)) { try theft.undo(theft.links(to: Theft.mailbox)[0]) }
    }

    @Test func `a link of one kind is refused for the other`() throws {
        let theft = try Theft(.none)
        try theft.perform(.passkey)
        let token = try #require(theft.links(to: Theft.mailbox).first).token
        expectError(.emailLink(.invalid)) { try theft.kit.undo(token) }
        let caller = Caller(address: "192.0.2.1")
        expectError(.emailLink(.invalid)) {
            try theft.kit.auth.undoMethodChange(token: "AAAA", caller)
        }
        #expect(try theft.kit.audit(in: .network("192.0.2.1")).contains("methodChangeUndoFailed"))
    }

    /// An owner who added something in an older session keeps it.
    @Test func `undo invalidates a thief's recovery codes and keeps the authenticator app`() throws
    {
        let kit = try Theft.kit()
        var owner = try kit.session(of: "001")
        let app = try kit.enrol(owner)
        owner = try kit.auth.confirmAuthenticator(code: kit.code(of: app), kit.caller(owner)).tokens
        kit.clock.advance(by: .days(8))
        let ticket = try kit.ticket(try kit.signIn("apple", "001").result)
        let stolen = try kit.auth.completeSignIn(ticket: ticket, .code(kit.code(of: app)), Caller())
        kit.clock.advance(by: .minutes(1))
        let codes = try kit.auth.replaceRecoveryCodes(code: kit.code(of: app), kit.caller(stolen))
        kit.finishReply()
        try Theft.undo(try #require(Theft.links(kit, to: Theft.mailbox).last), kit)
        let again = try kit.ticket(try kit.signIn("apple", "001").result)
        expectError(.secondFactor(.wrongCode)) {
            try kit.auth.completeSignIn(ticket: again, .recoveryCode(codes[0].reveal()), Caller())
        }
        kit.clock.advance(by: .minutes(1))
        _ = try kit.auth.completeSignIn(ticket: again, .code(kit.code(of: app)), Caller())
    }

    @Test func `an attacker cannot displace the owner's link`() throws {
        let kit = try Theft.kit()
        for index in 0..<EmailChangePolicy().undoableMax {
            kit.clock.advance(by: .minutes(1))
            let session = try kit.session(of: "001")
            try kit.link("google", "thief\(index)", by: session)
            _ = try kit.auth.removeMethod("google", kit.caller(session))
        }
        kit.finishReply()
        let session = try kit.session(of: "001")
        let error = kit.error { try kit.link("google", "last", by: session) }
        expectEqual(error?.isRateLimited, true)
        try Theft.undo(try #require(Theft.links(kit, to: Theft.mailbox).first), kit)
        let user = try #require(try kit.user(session.user.id))
        #expect(user.restorePoints.count < EmailChangePolicy().undoableMax)
    }

    static func permutations(_ actions: [Action]) -> [[Action]] {
        guard !actions.isEmpty else { return [[]] }
        return actions.indices.flatMap { index in
            var rest = actions
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }
}

/// An account that signs in with Apple, and a stolen session of it.
private final class Theft {
    struct Link {
        let token: String
        let isOfAddress: Bool
    }

    static let mailbox = "001@example.com"
    private static let thiefsMailbox = "thief@evil.example"

    let kit: AuthKit
    let id: UserID
    private let cunning: UndoOrderTests.Cunning
    private var thief: SessionTokens
    private var passkey: SoftwareAuthenticator
    private var app: OneTimePassword?

    init(_ cunning: UndoOrderTests.Cunning) throws {
        kit = try Self.kit()
        passkey = try SoftwareAuthenticator(seed: 9)
        thief = try kit.session(of: "001")
        id = thief.user.id
        self.cunning = cunning
        kit.clock.advance(by: .seconds(20))
    }

    static func kit() throws -> AuthKit {
        let clock = TestClock()
        return try AuthKit(
            policy: .emailChanges {
                $0.limits = []
                $0.devices = DevicePolicy()
            }, clock: clock,
            store: MemoryStore(clock: clock.wall))
    }

    func perform(_ action: UndoOrderTests.Action) throws {
        kit.clock.advance(by: .seconds(31))
        switch action {
        case .passkey:
            try kit.add(&passkey, by: thief)
            if cunning == .signsInByPasskey {
                kit.clock.advance(by: .seconds(1))
                thief = try kit.signIn(with: passkey).tokens
            }
        case .authenticator:
            let enrolled = try kit.enrol(thief)
            thief = try kit.auth.confirmAuthenticator(
                code: kit.code(of: enrolled), kit.caller(thief)
            ).tokens
            app = enrolled
        case .password:
            let output = try kit.auth.addPassword(
                "password of the thief", email: try kit.email(Self.thiefsMailbox),
                kit.caller(thief))
            kit.finishReply()
            if case .linkSent = output {
                _ = try kit.auth.completeAddPassword(
                    token: try kit.mailedToken(), kit.caller(thief))
            }
        case .provider: try kit.link("google", "thief", by: thief)
        case .trustedDevice:
            guard let app, let device = try device() else { return }
            _ = try kit.auth.trustDevice(device, code: kit.code(of: app), kit.caller(thief))
        case .address: try move(to: "next@evil.example")
        }
        kit.finishReply()
    }

    private func device() throws -> String? {
        let principal = try kit.authenticate(thief)
        return try kit.auth.listDevices(principal).first?.device.id.text
    }

    private func move(to address: String) throws {
        try kit.confirm(try kit.newAddress(address, by: thief), by: thief)
    }

    // MARK: Undo

    func links(to address: String) -> [Link] { Self.links(kit, to: address) }

    static func links(_ kit: AuthKit, to address: String) -> [Link] {
        kit.mail.mails.filter { $0.to == address }.compactMap { mail in
            let isOfAddress = mail.kind == .emailChanged
            guard let link = mail.values[isOfAddress ? "link" : "undo"],
                let start = link.lastIndex(of: "=")
            else { return nil }
            return Link(token: String(link[link.index(after: start)...]), isOfAddress: isOfAddress)
        }
    }

    func undo(_ link: Link) throws { try Self.undo(link, kit) }

    static func undo(_ link: Link, _ kit: AuthKit) throws {
        let caller = Caller(address: "192.0.2.1")
        if link.isOfAddress {
            try kit.auth.undoAddressChange(token: link.token, caller)
        } else {
            try kit.auth.undoMethodChange(token: link.token, caller)
        }
        kit.finishReply()
    }

    func undoAsThief() throws {
        guard cunning == .undoes else { return }
        for address in [Self.thiefsMailbox, "next@evil.example"] {
            for link in links(to: address) { try? undo(link) }
        }
    }

    func expectOver(_ comment: String) throws {
        let user = try #require(try kit.user(id))
        #expect(user.email == Self.mailbox && user.isEmailVerified, "\(comment)")
        #expect(user.providers.allSatisfy { $0 == "apple" || $0 == "email" }, "\(comment)")
        #expect(!user.hasSecondFactor, "\(comment)")
        try expectEqual(kit.store.get(StoreLayout.password(of: id)), nil, "\(comment)")
        try expectEqual(kit.store.get(StoreLayout.secondFactor(of: id)), nil, "\(comment)")
        // The thief is out.
        #expect(throws: AuthError.self, "\(comment)") { try kit.authenticate(thief) }
        expectError(.passkey(.refused), "\(comment)") { try kit.signIn(with: passkey) }
        for address in [Self.mailbox, Self.thiefsMailbox, "next@evil.example"] {
            expectError(.password(.wrongCredentials), "\(comment)") {
                try kit.logIn(address, "password of the thief")
            }
        }
        for address in [Self.thiefsMailbox, "next@evil.example"] {
            try expectEqual(kit.owner(of: address), nil, "\(comment)")
        }
        let google = try kit.signIn("google", "thief").user
        #expect(google.id != id, "\(comment)")
        // The owner is in.
        guard case .session(let owner) = try kit.signIn("apple", "001").result else {
            Issue.record("a second factor is asked for: \(comment)")
            return
        }
        expectEqual(owner.user.id, id, "\(comment)")
    }
}
