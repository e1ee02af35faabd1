import JSON
import TestSupport
import Testing

/// `kill -9` at each request that a function makes to the outside: to the store, the mail system, the
/// object storage, Apple.
@Suite("Interrupted functions", .timeLimit(.minutes(10)))
struct InterruptionTests {
    @Test(arguments: InterruptedFlow.all)
    func `after a kill at any step the user can go on`(flow: InterruptedFlow) throws {
        let deployment = try InterruptibleDeployment(contract: flow.contract)
        defer { deployment.stop() }
        for moment in InterruptingProxy.Moment.allCases {
            var steps = 0
            while true {
                let person = Person(
                    deployment, place: "\(moment.rawValue)-\(steps + 1)", flow.password)
                let interruption = try flow.begin(person)
                let outcome = try deployment.proxy.run(
                    interruption.request, killedAt: .number(steps + 1), moment)
                let hasReplied = try isSuccess(outcome.result, person)
                try interruption.goesOn(hasReplied)
                guard outcome.wasKilled else {
                    #expect(hasReplied, person.place)
                    break
                }
                steps += 1
            }
            // Otherwise requests bypass the proxy.
            #expect(steps >= flow.changesMin, "\(moment)")
        }
    }

    /// Whether the reply was complete; then it is one of success.
    private func isSuccess(_ result: ProcessResult, _ person: Person) throws -> Bool {
        guard result.output.last == 0x0A else { return false }
        let reply = try JSON.parse(result.output, limits: .event)
        let status = reply["statusCode"]?.int64Value ?? 200
        #expect((200..<300).contains(status), "\(person.place) \(result.text)")
        return true
    }
}
