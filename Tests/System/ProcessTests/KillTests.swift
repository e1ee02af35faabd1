import AuthTestSupport
import Glibc
import TestSupport

/// `kill -9` at random moments.
@Suite("Killed processes", .serialized, .hangLimit)
struct KillTests {
    @Test func `a killed first run does not prevent the next run`()
        throws
    {
        var moments = KillMoments()
        for round in 0..<30 {
            let comment: Comment = "round \(round), seed \(moments.seed)"
            let deployment = try Deployment()
            let processes = try ["challenge", "keys", "challenge", "keys"].map {
                try ChildProcess(deployment.command($0))
            }
            moments.wait()
            for process in processes { process.kill(SIGKILL) }
            let answers = try processes.map { try Answer(complete: $0.wait()) }
            moments.adapt(wasLate: answers.contains { $0 != nil })

            let keys = try deployment.run("keys")
            expectEqual(keys.status, 200, comment)
            for answer in answers.compactMap(\.self) {
                expectEqual(answer.status, 200, comment)
                if let set = answer.body["keys"] { expectEqual(set, keys.body["keys"], comment) }
                if let nonce = answer.body["nonce"]?.stringValue {
                    let item = StoreLayout.challenge(nonce: nonce)
                    #expect(try deployment.store().get(item) != nil, comment)
                }
            }
            expectEqual(deployment.strayNames, [], comment)
        }
    }
}
