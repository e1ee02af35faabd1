import EmulatorBase
import TestSupport

@Suite("Random requests") struct RandomRequestTests {
    /// `LATCHKEY_RANDOM_REQUESTS=100000` sends more of them.
    @Test(arguments: [1, 2])
    func `every request gets a valid HTTP response without a server error`(
        seed: UInt64
    ) throws {
        let limits = ServerLimits(bodyBytesMax: 1 << 16)
        let server = try Server(limits: limits) { request, slot in
            let answer = ServerResponse(status: 200, body: request.body)
            if request.body.count % 2 == 0 {
                slot.respond(answer)
            } else {
                DetachedThread.run { slot.respond(answer) }
            }
        }
        let count = RandomRequests.count(otherwise: 5000)
        let requests = RandomRequests(
            RandomRequests.Kind.allCases, seed: seed, port: server.port)
        let report = requests.run(count: count / 2)
        for problem in report.problems { Issue.record("\(problem)") }
        // Checks the generator: a good part succeeds, and a good part does not.
        #expect(report.statuses[200, default: 0] > count / 10)
        #expect(report.statuses[400, default: 0] > count / 50)
        let client = try LoopbackClient(port: server.port)
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        expectEqual(client.answer()?.status, 200)
    }
}
