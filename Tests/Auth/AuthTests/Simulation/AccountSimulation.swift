import AuthDomain
import AuthOperations
import AuthRecords
import AuthTestSupport
import Bytes
import KeyValueStore
import Synchronization
import Testing
import Time
import WebAuthnTestSupport

/// A few people who send random requests to one unreliable store, several at a time.
///
/// Each person has passwords and an identity at a provider. Each may use the addresses of the
/// others in requests, but reads only the mail of their own two.
final class AccountSimulation {
    struct Person {
        let address: String
        /// The person reads the mail of it, too.
        let otherAddress: String
        /// The subject at the identity providers.
        let subject: String
        var passwords: [String]
        /// The tokens of links that were mailed to the address.
        var links: [String] = []
        /// Those of links that restore a former address.
        var undoLinks: [String] = []
        /// Of mails about added ways to sign in and changed second factors.
        var undoChangeLinks: [String] = []
        /// The secrets of requests for links.
        var secrets: [String] = []
        /// The codes that were mailed to the address.
        var codes: [String] = []
        /// The tickets of sign-ins that wait for the second factor.
        var tickets: [String] = []
        var apps: [OneTimePassword] = []
        /// The tickets for merges, and the sessions that can use them.
        var offers: [(ticket: String, session: Held)] = []
        var passkeys: [SoftwareAuthenticator] = []
        var returned: [ReturnedCode] = []
        /// The follow-up requests of the last one.
        var next: [String] = []
        /// The address that the person currently uses: mostly one of their own.
        var claim: String

        var mailboxes: [String] { [address, otherAddress] }
    }

    /// The tokens of one session, and the person who received them.
    struct Held {
        let person: Int
        let user: UserID
        let access: String
        let refresh: String
        let receivedAt: Instant
        /// The credential ID of the passkey that began the session.
        var passkey: [UInt8]?
        /// The account has ended its sessions since.
        var isRevoked = false
    }

    let kit: AuthKit
    let hooks: SimulatedHooks
    let receiver: SimulatedReceiver?
    let startedAt: Instant
    let store: SessionHistoryStore
    let unreliable: UnreliableStore
    let seed: UInt64
    var random: SplitMix64
    var people: [Person]
    var held: [Held] = []
    var guests: Set<UserID> = []
    /// The codes of the pages that were exchanged.
    var redeemed: Set<String> = []
    /// The creator of each account, who owns it until the owner of its address verifies the
    /// address.
    private var makers: [UserID: Int] = [:]
    private var mailsRead = 0

    init(seed: UInt64, policy: Policy) throws {
        self.seed = seed
        random = SplitMix64(seed: seed)
        let clock = TestClock()
        store = SessionHistoryStore(MemoryStore(clock: clock.wall))
        unreliable = UnreliableStore(store, seed: random.next())
        let kitSeed = random.next()
        // Each in some of the runs, because the others get further.
        hooks = SimulatedHooks(seed: kitSeed, isOn: seed % 4 == 0)
        receiver = seed % 4 == 1 ? SimulatedReceiver(seed: kitSeed) : nil
        var policy = policy
        if seed % 4 == 2 {
            policy.mailBudget = MailBudget(perHour: 4, perDay: 12, perRecipient: 3)
        }
        startedAt = clock.now
        kit = try AuthKit(
            policy: policy, clock: clock, store: unreliable, seed: kitSeed,
            webhooks: receiver?.services, hooks: hooks.services)
        people = (0..<3).map { index in
            Person(
                address: "person\(index)@example.com",
                otherAddress: "person\(index)@new.example", subject: "subject-\(index)",
                passwords: ["password \(index) first"],
                claim: "person\(index)@example.com")
        }
    }

    /// Does all of `actions` at once, on a store with faults, and then reads the mail.
    @discardableResult
    func race(_ actions: [AccountAction], faultPercent: UInt64 = 0) throws -> [AccountOutcome] {
        let outcomes = Mutex([AccountOutcome](repeating: .nothing, count: actions.count))
        let kit = kit
        unreliable.setFaults(percent: faultPercent)
        let bodies = actions.enumerated().map { index, action in
            { @Sendable in
                let outcome = action.perform(kit)
                outcomes.withLock { $0[index] = outcome }
            }
        }
        Interleaving.perform(bodies, &random)
        unreliable.setFaults(percent: 0)
        let results = outcomes.withLock { $0 }
        note(actions, results)
        try readMail()
        return results
    }

    private func note(_ actions: [AccountAction], _ outcomes: [AccountOutcome]) {
        // A session that ended in the same race may have ended later.
        for case .redeemed(let code, let tokens) in outcomes {
            noteRedeemed(code, tokens, isRevoked(code))
        }
        for (action, outcome) in zip(actions, outcomes) where outcome.isSuccess {
            for index in held.indices where action.hasEnded(held[index]) {
                held[index].isRevoked = true
            }
        }
        for (action, outcome) in zip(actions, outcomes) {
            switch outcome {
            case .ticket(let ticket): people[action.person].tickets.append(ticket)
            case .app(let app): people[action.person].apps.append(app)
            case .offer(let ticket, let session):
                people[action.person].offers.append((ticket, session))
            case .secret(let secret): people[action.person].secrets.append(secret)
            case .session(let tokens), .redeemed(_, let tokens): note(tokens, of: action.person)
            case .code(let code, let verifier, let tokens):
                note(tokens, of: action.person)
                guard let session = held.last else { continue }
                people[action.person].returned.append(
                    ReturnedCode(text: code, verifier: verifier, session: session))
            case .passkey(let passkey, let tokens):
                let known = people[action.person].passkeys
                if !known.contains(where: { $0.credentialID == passkey.credentialID }) {
                    people[action.person].passkeys.append(passkey)
                }
                if let tokens { note(tokens, of: action.person, begunWith: passkey) }
            case .done, .refused, .nothing: break
            }
        }
    }

    private func note(
        _ tokens: SessionTokens, of person: Int, begunWith passkey: SoftwareAuthenticator? = nil
    ) {
        if tokens.user.isGuest { storeSomething(of: tokens.user.id) }
        makers[tokens.user.id] = makers[tokens.user.id] ?? person
        held.append(
            Held(
                person: person, user: tokens.user.id, access: tokens.access.reveal(),
                refresh: tokens.refresh.reveal(), receivedAt: kit.clock.now,
                passkey: passkey?.credentialID))
    }

    private func readMail() throws {
        kit.finishReply()
        for mail in kit.mail.mails.dropFirst(mailsRead) {
            let value = mail.values["link"] ?? mail.values["undo"]
            guard let link = value, let equals = link.lastIndex(of: "="),
                let reader = people.firstIndex(where: { $0.mailboxes.contains(mail.to) })
            else { continue }
            let token = String(link[link.index(after: equals)...])
            if mail.values["undo"] != nil {
                people[reader].undoChangeLinks.append(token)
            } else if mail.kind == .emailChanged {
                people[reader].undoLinks.append(token)
            } else {
                people[reader].links.append(token)
            }
            if let code = mail.values["code"] { people[reader].codes.append(code) }
        }
        mailsRead = kit.mail.mails.count
    }

    /// The owner of an account: the person with its verified address, otherwise its creator.
    private func owner(_ user: User) -> Int? {
        if user.isEmailVerified, let login = user.login,
            let person = people.firstIndex(where: { $0.mailboxes.contains(login) })
        {
            return person
        }
        return makers[user.id]
    }

    /// Only the account's owner has active sessions, and no revoked session is active.
    func check() throws {
        if let fault = store.faults.first { Issue.record("\(fault), seed \(seed)") }
        for session in held {
            let principal: Principal
            do {
                principal = try kit.authenticate(session.access)
            } catch { continue }
            try #require(!session.isRevoked, "a revoked session is alive, seed \(seed)")
            try #require(principal.user.id == session.user, "another account, seed \(seed)")
            try #require(
                owner(principal.user) == session.person,
                "person \(session.person) is in an account of another, seed \(seed)")
        }
    }

    /// Refreshing cannot restore a revoked session.
    func checkRefreshing() throws {
        for session in held where session.isRevoked {
            let outcome = AccountAction.refresh(session.person, session.refresh).perform(kit)
            if case .session = outcome {
                Issue.record("a revoked session was refreshed, seed \(seed)")
            }
        }
    }
}
