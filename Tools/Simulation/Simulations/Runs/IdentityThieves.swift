import JSON

/// Thieves who copy identity tokens on their way to the functions, and sign in with them at the
/// same time, each with another nonce.
final class IdentityThieves {
    /// The number of thieves that wait for a token.
    var tokensWanted = 0

    func copy(
        _ request: WireRequest, _ body: JSON, from origin: Origin, _ simulation: Simulation
    ) {
        guard tokensWanted > 0, request.path == "/auth/signin", !origin.isThief,
            !origin.isRepetition,
            var copied = body.objectValue
        else { return }
        tokensWanted -= 1
        let thief = Origin(
            person: origin.person, device: 900 + tokensWanted % 4, process: 0, isThief: true)
        guard
            let asked = simulation.ask("/auth/challenge", [:], by: thief),
            let nonce = (try? JSON.parse(asked.answer.body, limits: .event))?["nonce"]
        else { return }
        copied["nonce"] = nonce
        let theft = WireRequest.post("/auth/signin", copied)
        simulation.context.scheduler.add(
            Scheduler.Event(
                process: nil, isMessage: true,
                happen: { [simulation] in _ = simulation.serve(theft, thief) }, abandon: {}))
    }
}
