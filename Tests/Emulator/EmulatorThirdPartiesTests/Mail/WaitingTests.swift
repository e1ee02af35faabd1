import BaseTestSupport
import EmulatorBase
import EmulatorThirdParties

@Suite("Waiting for mail") struct WaitingTests {
    @Test func `a waiting request is answered when a message arrives`() throws {
        let server = try MailServer(try MailHarness())
        let waiting = try server.start("GET", "/_emulator/mail/wait?to=ada@example.com")
        let code = try server.start("GET", "/_emulator/mail/wait/code?to=ada@example.com")
        #expect(eventually { server.harness.mailbox.waiterCount == 2 })
        try server.harness.sendSimple(to: "bob@example.com", text: "code 111111")
        try server.harness.sendSimple(to: "ADA@example.com", text: "no code here")
        #expect(eventually { server.harness.mailbox.waiterCount == 1 })
        try server.harness.sendSimple(to: "ada@example.com", text: "your code: 222222")
        try expectEqual(waiting.answer()?.json()["id"], "2")
        expectEqual(code.answer()?.body, "222222\n")
        expectEqual(server.harness.mailbox.waiterCount, 0)
        // The timers of answered requests have no effect.
        server.timers.ringAll()
    }

    @Test func `a wait times out`() throws {
        let server = try MailServer(try MailHarness())
        let waiting = try server.start("GET", "/_emulator/mail/wait?timeoutSeconds=7")
        #expect(eventually { server.timers.delays == [.seconds(7)] })
        server.timers.ringAll()
        expectEqual(waiting.answer()?.status, 408)
        expectEqual(server.harness.mailbox.waiterCount, 0)
    }

    @Test func `a client that disconnects stops waiting`() throws {
        let server = try MailServer(try MailHarness())
        let waiting = try server.start("GET", "/_emulator/mail/wait")
        #expect(eventually { server.harness.mailbox.waiterCount == 1 })
        waiting.hangUp()
        #expect(eventually { server.harness.mailbox.waiterCount == 0 })
    }

    @Test func `the number of waiting requests is limited`() throws {
        let server = try MailServer(try MailHarness(limits: MailboxLimits(waitersMax: 1)))
        let first = try server.start("GET", "/_emulator/mail/wait")
        #expect(eventually { server.harness.mailbox.waiterCount == 1 })
        try expectEqual(server.get("/_emulator/mail/wait").status, 503)
        try server.harness.sendSimple()
        expectEqual(first.answer()?.status, 200)
    }
}
