import AuthDomain
import AuthOperations
import AuthTestSupport
import Foundation
import Testing
import Time

/// Random requests of several people, on a store with faults: a session is always of one's own
/// account, what was revoked stays revoked, and at the end each person can sign in.
/// A failing run prints its seed; `LATCHKEY_SIMULATION_SEED` repeats it.
@Suite("Account simulation") struct AccountSimulationTests {
    static let blocks = Array(0..<4)
    static let runsPerBlock = setting("LATCHKEY_SIMULATION_RUNS").map { $0 / blocks.count } ?? 40

    private static func setting(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    private func forEachSeed(_ block: Int, _ run: (UInt64) throws -> Void) rethrows {
        if let seed = Self.setting("LATCHKEY_SIMULATION_SEED") { return try run(UInt64(seed)) }
        for index in 0..<Self.runsPerBlock {
            try run(UInt64(block * Self.runsPerBlock + index))
        }
    }

    @Test(arguments: blocks)
    func `accounts after verification stay with the owners of their addresses`(block: Int) throws {
        try simulate(block, .passwords())
    }

    @Test(arguments: blocks)
    func `accounts made at once go to the owners of their addresses`(block: Int) throws {
        try simulate(block, .passwords(.immediate))
    }

    private func simulate(_ block: Int, _ policy: Policy) throws {
        var (sessions, revoked) = (0, 0)
        try forEachSeed(block) { seed in
            let simulation = try AccountSimulation(seed: seed, policy: policy)
            for _ in 0..<14 {
                let count = 1 + Int(simulation.random.next(below: 3))
                let actions = (0..<count).map { _ in simulation.randomAction() }
                try simulation.race(actions, faultPercent: 12)
                try simulation.check()
                simulation.kit.clock.advance(
                    by: .minutes(Int64(simulation.random.next(below: 12))))
            }
            sessions += simulation.held.count
            revoked += simulation.held.count(where: \.isRevoked)
            try simulation.checkRefreshing()
            try simulation.checkThatAllGetIn()
        }
        // Otherwise the simulation tests nothing.
        #expect(sessions > 0 && revoked > 0)
    }
}

extension AccountSimulation {
    /// What a person asks for: mostly in their own name, sometimes with the address of another.
    func randomAction() -> AccountAction {
        let person = pick(Array(people.indices))
        let me = people[person]
        let address = random.happens(70) ? me.address : pick(people).address
        let password = pick(me.passwords)
        let session = held.filter { $0.person == person }.randomElement(using: &random)
        switch random.next(below: 11) {
        case 0: return .register(person, address: address, password: password)
        case 1, 2:
            guard let link = me.links.randomElement(using: &random) else { break }
            return random.happens(50)
                ? .verify(person, link: link, password: password)
                : .resetPassword(person, link: link, password: newPassword(of: person))
        case 3, 4: return .logIn(person, address: address, password: password)
        case 5: return .signIn(person, subject: me.subject, email: me.address)
        case 6: return .forgotPassword(person, address: address)
        case 7:
            guard let session else { break }
            return .changePassword(
                person, access: session.access, user: session.user, current: password,
                new: newPassword(of: person))
        case 8:
            guard let session else { break }
            return .signOutEverywhere(person, access: session.access, user: session.user)
        case 9:
            guard let session else { break }
            return .refresh(person, session.refresh)
        default:
            guard let user = held.randomElement(using: &random)?.user else { break }
            return .administer(user, pick([.disable, .enable, .signOut]))
        }
        return .register(person, address: me.address, password: password)
    }

    /// Without faults, each person ends with a session of an account of their own: by the identity
    /// provider, and by a password, which the mail to their address gives them.
    func checkThatAllGetIn() throws {
        kit.clock.advance(by: .hours(2))
        for user in Set(held.map(\.user)) { try race([.administer(user, .enable)]) }
        for person in people.indices {
            let me = people[person]
            let signedIn = try race([.signIn(person, subject: me.subject, email: me.address)])[0]
            guard case .session = signedIn else {
                Issue.record("\(me.subject) got \(signedIn), seed \(seed)")
                return
            }
            try check()
            people[person].links = []
            try race([.forgotPassword(person, address: me.address)])
            // An account that was never given a password has none to reset.
            guard let link = people[person].links.last else { continue }
            let password = newPassword(of: person)
            try race([.resetPassword(person, link: link, password: password)])
            let loggedIn = try race([.logIn(person, address: me.address, password: password)])[0]
            guard case .session = loggedIn else {
                Issue.record("\(me.address) got \(loggedIn), seed \(seed)")
                return
            }
            try check()
        }
        try checkRefreshing()
    }

    private func newPassword(of person: Int) -> String {
        let password = "password \(person) number \(people[person].passwords.count)"
        people[person].passwords.append(password)
        return password
    }

    private func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.next(below: UInt64(elements.count)))]
    }
}
