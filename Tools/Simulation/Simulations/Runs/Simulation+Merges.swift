import AuthTestSupport

extension Simulation {
    /// An app of the same person that is signed in to another account.
    func otherApp(of device: Device) -> App? {
        func account(_ device: Device) -> String? {
            device.keptTokens.flatMap { facts.session(ofAccess: $0.access) }
                .flatMap { facts.sessions[$0]?.user }
        }
        let mine = account(device)
        return devices.first { other in
            other !== device && other.person == device.person && !other.isThief
                && account(other) != nil && account(other) != mine
        }?.app(0)
    }

    /// Stores an object of the guest.
    func storeSomething(of guest: String) {
        guard let user = UserID(parsing: guest) else { return }
        deployment.fleet.erasure.addObject(guest, of: user)
        storers.insert(guest)
    }

    /// A guest's data moves with each merge, and is deleted only with the last account.
    func checkMerges() {
        guard !facts.factors.merges.isEmpty else { return }
        for _ in 0..<4 {
            context.scheduler.clock.advance(by: .minutes(66))
            deployment.keepHouse()
        }
        for guest in facts.factors.merges.keys.sorted() where storers.contains(guest) {
            var last = guest
            while let next = facts.factors.merges[last] { last = next }
            guard !facts.mayBeGone(last), let user = UserID(parsing: last) else { continue }
            if !deployment.fleet.erasure.objectNames(of: user).contains(guest) {
                context.violate(.nothingIsLost, "a guest's object is not with the last account")
            }
        }
    }
}
