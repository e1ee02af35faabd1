import AuthTestSupport
import Time

/// What programs are told of the ends of sessions, in runs with `Feature.logout`.
extension Simulation {
    func listenToNotices() {
        guard let receiver = deployment.logout else { return }
        receiver.onNotice = { [unowned self] notice in
            guard !isProbing else { return }
            observers.judge(notice, facts, context)
            facts.provider.logout.take(notice, at: facts.step)
        }
        receiver.onRefusal = { [unowned self] in
            facts.provider.logout.refuse($0, at: facts.step)
        }
        receiver.living = { [unowned self] notice in
            let known = facts.provider.logout.known.map(\.session).sorted()
            return known.last { facts.sessions[$0]?.user == notice.user && facts.mustGoOn($0) }
        }
        receiver.grant = { [unowned self] notice in
            facts.provider.grants.filter {
                $0.value.browser == notice.session && $0.value.asked.client == notice.client
            }.keys.min()
        }
    }

    /// For how long a notice that could not be sent waits at most.
    private static let pauseMax = Span.minutes(20)

    /// Faults have ended and every server is up: within the longest pause between two attempts,
    /// the programs are told of all ends that they have not been told of.
    func settleLogout() {
        guard let receiver = deployment.logout, context.violation == nil else { return }
        receiver.turnAllOn()
        // A scheduled function runs all the time, and a notice does not wait for longer than a day.
        deployment.keepHouse()
        for _ in 0..<2 where deployment.hasLogoutNotices || !facts.untold.isEmpty {
            context.scheduler.clock.advance(by: Self.pauseMax)
            deployment.keepHouse()
        }
        guard let left = facts.untold.first else { return }
        context.violate(
            .programsAreTold,
            "\(left.client) is not told of the end of a session "
                + "(\(facts.sessions[left.session]?.end ?? ""))")
    }
}

/// Devices, in runs with `Feature.devices`.
extension Simulation {
    /// Faults have ended: every device that waits is heard. The observers judge the answers.
    func settleDevices() {
        guard let parties else { return }
        for waiting in parties.waitingDevices.suffix(4) where context.violation == nil {
            begin { [parties] in await parties.settle(waiting) }
            finishAll()
        }
    }
}
