import BaseTestSupport
import EmulatorThirdParties
import Foundation

@Suite("Mailbox") struct MailboxTests {
    private func mail(_ size: Int = 100, to: String = "a@example.com") -> IncomingMail {
        let head = "From: x@example.com\r\nSubject: S\r\n\r\n"
        return IncomingMail(
            source: .smtp, sender: "x@example.com", recipients: [to],
            raw: Array((head + String(repeating: "x", count: size - head.utf8.count)).utf8))
    }

    private func mailbox(_ limits: MailboxLimits, directory: String? = nil) throws -> Mailbox {
        try Mailbox(
            directory: directory, limits: limits, clock: .fixed(at: Instant(seconds: 1_700_000_000))
        )
    }

    private func ids(_ mailbox: Mailbox) throws -> [Int64] {
        try mailbox.list(MailFilter(), limit: 100).map(\.id)
    }

    @Test func `the oldest mails are removed if there are too many`() throws {
        let mailbox = try mailbox(MailboxLimits(messagesMax: 3))
        for _ in 0..<5 { try mailbox.deliver(mail()) }
        try expectEqual(ids(mailbox), [5, 4, 3])
        expectEqual(mailbox.count, 3)
    }

    @Test func `the oldest mails are removed if the total is too large, but never the newest`()
        throws
    {
        let mailbox = try mailbox(MailboxLimits(bytesMax: 1000))
        for size in [400, 400, 400] { try mailbox.deliver(mail(size)) }
        try expectEqual(ids(mailbox), [3, 2])
        try mailbox.deliver(mail(2000))
        try expectEqual(ids(mailbox), [4])
        #expect(throws: MailboxFailure.tooLarge) {
            try mailbox.deliver(mail(Mailbox.messageBytesMax + 1))
        }
    }

    @Test func `messages survive a restart`() throws {
        let directory = NSTemporaryDirectory() + "latchkey-mail-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do {
            let first = try mailbox(MailboxLimits(), directory: directory)
            for _ in 0..<3 { try first.deliver(mail()) }
            try first.delete(3)
        }
        let second = try mailbox(MailboxLimits(), directory: directory)
        try expectEqual(ids(second), [2, 1])
        expectEqual(second.count, 2)
        try expectEqual(second.deliver(mail()), 4)
        try expectEqual(second.message(1)?.raw, mail().raw)
    }

    @Test func `an export can be imported into another mailbox`() throws {
        let harness = try MailHarness()
        try harness.call(.post, "/v2/email/identities", #"{"EmailIdentity":"a.example"}"#)
            .isAccepted()
        try harness.sendSimple(subject: "One")
        try harness.sendSimple(subject: "Two")
        try harness.mailbox.delete(1)
        func lines(_ mailbox: Mailbox) throws -> [[UInt8]] {
            var lines: [[UInt8]] = []
            try mailbox.export { line in
                lines.append(line)
                return true
            }
            return lines
        }
        let exported = try lines(harness.mailbox)
        expectEqual(exported.count, 2)
        let copy = try mailbox(MailboxLimits())
        for line in exported { try copy.importLine(line) }
        try expectEqual(lines(copy), exported)
        try expectEqual(ids(copy), [2])
        try copy.importLine(exported[1])
        try expectEqual(ids(copy), [3, 2])
        for line in ["", "{}", "[]", #"{"kind":"message"}"#, #"{"kind":"x"}"#] {
            #expect(throws: MailboxFailure.damaged) { try copy.importLine(Array(line.utf8)) }
        }
    }
}
