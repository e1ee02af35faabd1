import BaseTestSupport

/// `kill -9` at each request by which a function changes something outside of its process: the
/// store, the mail system, the object storage, Apple.
///
/// Runs once in `make test`, with the release executables (`LATCHKEY_EXECUTABLES`).
@Suite("Interrupted functions", .enabled(if: BuiltExecutables.directory != nil), .hangLimit)
struct InterruptionTests {
    @Test(arguments: InterruptedFlow.all)
    func `after a kill at any step the user can continue`(flow: InterruptedFlow) throws {
        let deployment = try InterruptibleDeployment()
        defer { deployment.stop() }
        for moment in InterruptingProxy.Moment.allCases {
            var changes = 0
            while true {
                let person = Person(deployment, place: "\(moment.rawValue)-\(changes + 1)")
                let interruption = try flow.begin(person)
                let outcome = try deployment.proxy.run(
                    interruption.request, killedAt: .change(changes + 1), moment)
                let hasReplied = try isSuccess(outcome.result, person)
                try interruption.verify(hasReplied)
                guard outcome.wasKilled else {
                    #expect(hasReplied, person.place)
                    break
                }
                changes += 1
            }
            // Otherwise requests bypass the proxy.
            #expect(changes >= flow.changesMin, "\(moment)")
        }
    }

    /// No function is killed here: one emulation of DynamoDB is enough for that.
    @Test(arguments: InterruptedFlow.all)
    func `the same requests succeed on moto`(flow: InterruptedFlow) throws {
        let deployment = try InterruptibleDeployment(tables: .moto)
        defer { deployment.stop() }
        let person = Person(deployment, place: "moto")
        let interruption = try flow.begin(person)
        let result = try ChildProcess.run(interruption.request)
        #expect(try isSuccess(result, person))
        try interruption.verify(true)
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
