internal import AuthDomain
internal import AuthMail
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import Cryptography
package import FunctionRuntime
internal import HTTPClient
internal import Synchronization
internal import Time

extension LatchkeyFunction {
    private static let testMailLimit = Span.seconds(20)

    /// Sends a fixed message with the mail settings of a server, for its operator. Returns what
    /// became of it; throws for wrong settings, and for a mail system that does not take it.
    package static func sendTestMail(
        to address: String, _ assembly: Assembly
    ) throws(StartFailure) -> String {
        guard let to = EmailAddress(parsing: address) else {
            throw StartFailure(problems: ["\(address) is not an e-mail address"])
        }
        let aws = AWSParts(assembly, assembly.requests(AssemblyReports()))
        var reader = SettingsReader(assembly.environment, secrets: aws.secretSource)
        let contract = ServiceSettings.contract(&reader)
        reader.names = contract.settingNames
        let settings = MailSettings.read(&reader, for: [.mail], nil)
        if settings?.transport == .ses { aws.check(&reader) }
        guard let settings, reader.problems.isEmpty else {
            throw StartFailure(problems: reader.problems)
        }
        let words = "This is a test mail of \(settings.appName). Mail works."
        let id = Hex.encode(assembly.random.bytes(16))
        let message = MailMessage(
            from: settings.sender, to: to,
            RenderedMail(
                language: "en", subject: "Test mail", text: words + "\n",
                html:
                    "<!DOCTYPE html><html lang=\"en\"><p>This is a test mail. Mail works.</p></html>"
            ),
            id: id, date: assembly.clock.now())
        let environment = assembly.environment
        let failed = Mutex<FailedRequest?>(nil)
        do throws(MailFailure) {
            if case .folder(let folder) = settings.transport {
                let file = try folder.write(message.bytes, id: id, at: assembly.clock.now())
                return "it is in the folder, as \(file), and is not delivered"
            }
            try MailSender.delivery(
                settings, ses: settings.transport == .ses ? aws.ses : nil,
                trust: CertificateTrust(variable: { environment[$0] }),
                { report in failed.withLock { $0 = report } })(message, testMailLimit)
            return "the mail system took the message for \(to.text)"
        } catch {
            let detail = failed.withLock { $0.map { " (\($0.host): \($0.detail))" } } ?? ""
            throw StartFailure(problems: [error.words + detail])
        }
    }
}

extension MailFailure {
    fileprivate var words: String {
        switch self {
        case .unavailable: "the mail system cannot be reached, or takes no mail now"
        case .refused: "the mail system refuses user and password, the sender or the message"
        case .addressRejected: "the mail system refuses the recipient"
        case .notRenderable, .unreadable: "the message cannot be made"
        }
    }
}
