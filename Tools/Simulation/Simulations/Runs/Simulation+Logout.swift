import AuthTestSupport

/// Notices to programs about ended sessions, in runs with `Feature.logout`.
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

    /// The longest wait between two attempts to send a notice.
    private static let pauseMax = Span.minutes(20)

    /// After faults have ended and all servers are up, the programs are notified of all ended
    /// sessions within the longest wait between two attempts.
    func settleLogout() {
        guard let receiver = deployment.logout, context.violation == nil else { return }
        receiver.turnAllOn()
        // In a deployment housekeeping runs regularly, and a notice waits for at most a day.
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
    /// After faults have ended, every waiting device learns the decision. The observers judge the
    /// responses.
    func settleDevices() {
        guard let parties else { return }
        for waiting in parties.waitingDevices.suffix(4) where context.violation == nil {
            begin { [parties] in await parties.settle(waiting) }
            finishAll()
        }
    }
}
