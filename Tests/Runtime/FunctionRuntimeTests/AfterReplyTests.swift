import Glibc

/// Work after the reply is done when the reply was sent, and before the host takes other work.
@Suite("After the reply") struct AfterReplyTests {
    @Test func `the output is closed before the work after the reply`() {
        for run in [
            HostRun(input: gatewayEvent().serialized),
            HostRun(variables: [("Http_Method", "GET"), ("Http_Path", "/")]),
        ] {
            let handler = Handler.request(afterReply: { deadline in
                run.note("after \(deadline.map { "\($0.milliseconds)" } ?? "nil")")
            }) { _ in Reply(status: 200, body: [:]) }
            expectEqual(run.host(handler: handler), 0)
            expectEqual(run.steps, ["output", "close", "after nil"])
        }
    }

    @Test func `no descriptor that is opened later becomes the output`() async {
        await #expect(processExitsWith: .exitCode(0)) {
            StandardStreams.system.closeOutput()
            let later = open("/dev/null", O_RDWR)
            exit(later > 2 && !StandardStreams.system.writeOutput([1]) ? 0 : 1)
        }
    }
}
