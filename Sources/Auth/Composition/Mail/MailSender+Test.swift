internal import AWSClients
internal import AuthDomain
internal import AuthMail
internal import AuthOperations
internal import HTTPClient
internal import Time

extension MailSender {
    /// Sends a fixed message, and reports the answer of the mail system.
    static func test(
        _ settings: MailSettings, ses: SESClient?, trust: CertificateTrust, clock: WallClock
    ) -> Test {
        { to, id, limit in
            let message = MailMessage(
                from: settings.sender, to: to, content(settings.look.app), id: id,
                date: clock.now())
            switch settings.transport {
            case .hook:
                return MailTest(isSent: false, system: "hook", answer: "The hook sends mail.")
            case .folder(let folder):
                do throws(MailFolder.Failure) {
                    let file = try folder.write(message.fileBytes, id: id, at: clock.now())
                    return MailTest(
                        isSent: true, system: "folder",
                        answer: "Written to \(file). It is not delivered.")
                } catch {
                    return MailTest(isSent: false, system: "folder", answer: "\(error.text).")
                }
            case .ses: return through(ses, message, within: limit)
            case .smtp(let server):
                return through(server, settings, trust, message, within: limit)
            }
        }
    }

    private static func content(_ app: String) -> RenderedMail {
        let text = "This is a test mail from \(app). Sending works."
        return RenderedMail(
            language: "en", subject: "Test mail", text: text + "\n",
            html: "<!DOCTYPE html><html lang=\"en\"><p>This is a test mail. Mail works.</p></html>")
    }

    private static func through(
        _ ses: SESClient?, _ message: MailMessage, within limit: Span
    ) -> MailTest {
        do throws(AWSFailure) {
            try ses?.sendEmail(
                raw: message.bytes, from: message.sender.address.text, to: message.to.text,
                within: limit)
            return MailTest(isSent: true, system: "Amazon SES", answer: "Accepted.")
        } catch {
            let answer =
                if case .refused(let refusal) = error {
                    "\(refusal.code)"
                } else {
                    "\(error)"
                }
            return MailTest(isSent: false, system: "Amazon SES", answer: answer)
        }
    }

    private static func through(
        _ server: SMTPServer, _ settings: MailSettings, _ trust: CertificateTrust,
        _ message: MailMessage, within limit: Span
    ) -> MailTest {
        let client = SMTPClient(server.endpoint(password: settings.password), trust: trust)
        let system = "\(server.host):\(server.port)"
        var reply: String?
        do throws(SMTPFailure) {
            try client.send(
                SMTPMessage(
                    from: message.sender.address.text, to: message.to.text, bytes: message.bytes),
                millisecondsMax: Int(limit.milliseconds), hearing: &reply)
            return MailTest(isSent: true, system: system, answer: reply ?? "Accepted.")
        } catch {
            return MailTest(
                isSent: false, system: system,
                answer: [error.words, reply].compactMap(\.self).joined(separator: " "))
        }
    }
}

extension SMTPFailure {
    /// Describes what failed, for an administrator. The server's own text follows.
    fileprivate var words: String {
        switch self {
        case .invalid(let detail): "The message cannot be sent: \(detail)."
        case .connectFailed(_, let detail): "No connection: \(detail)."
        case .insecure(_, let detail): "No TLS: \(detail)."
        case .timedOut: "The server did not answer in time."
        case .loginRefused: "The server does not accept user and password."
        case .recipientRefused: "The server refuses the recipient."
        case .refused: "The server refuses the sender or the message."
        case .interrupted(let detail): "The connection broke: \(detail)."
        }
    }
}
