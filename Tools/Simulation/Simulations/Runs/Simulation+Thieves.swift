/// Thieves who use requests or records that they have seen or copied.
extension Simulation {
    /// A thief repeats a request that they have seen.
    func replay(_ choice: Int) {
        guard !seen.isEmpty else { return }
        var (request, origin) = seen[choice % seen.count]
        origin.isRepetition = true
        context.transcript.add { "\(request.path) is sent again" }
        context.scheduler.add(
            Scheduler.Event(
                process: nil, isMessage: true,
                happen: { [self, origin] in _ = serve(request, origin) }, abandon: {}))
    }

    /// A thief copies the stored record of a device to another device.
    func steal(_ device: Device, _ step: Plan.Step) {
        guard !device.isThief, let record = device.disk.record, let tokens = device.keptTokens,
            devices.count < 12
        else { return }
        let thief = (device.person + 1) % people.count
        let other = addDevice(of: thief, isThief: true)
        other.disk.record = record
        if let session = facts.session(ofAccess: tokens.access) {
            facts.sessions.markStolen(session)
        }
        context.transcript.add { "the tokens of device \(device.number) are copied" }
        call([.profile, .refresh, .signOut][step.choice % 3], other, app: 0, choice: 0) { _ in }
    }
}
