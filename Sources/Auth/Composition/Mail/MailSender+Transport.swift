internal import AWSClients
internal import AuthDomain
internal import AuthMail
internal import AuthOperations
internal import Bytes
internal import HTTP
internal import HTTPClient
internal import Time

extension MailSender {
    /// Renders a mail and sends it with the configured mail system.
    ///
    /// - Parameter ses: required if the settings name SES.
    init(
        _ settings: MailSettings, ses: SESClient?, trust: CertificateTrust, clock: WallClock,
        report: @escaping @Sendable (FailedRequest) -> Void,
        written: @escaping @Sendable (Result<MailFolder.Written, MailFolder.Failure>) -> Void
    ) {
        let deliver = Self.delivery(settings, ses: ses, trust: trust, report)
        let test = Self.test(settings, ses: ses, trust: trust, clock: clock)
        self.init(test: test) { mail, id, limit throws(MailFailure) in
            guard let to = EmailAddress(parsing: mail.to) else { throw .addressRejected }
            let content: RenderedMail
            do {
                content = try settings.templates.render(mail, as: settings.look)
            } catch {
                throw .notRenderable
            }
            let message = MailMessage(
                from: settings.sender, to: to, content, id: id, date: clock.now())
            guard case .folder(let folder) = settings.transport else {
                return try deliver(message, limit)
            }
            do throws(MailFolder.Failure) {
                let file = try folder.write(message.fileBytes, id: id, at: clock.now())
                written(
                    .success(
                        MailFolder.Written(
                            kind: mail.kind, file: file, link: mail.values["link"])))
            } catch {
                written(.failure(error))
                throw .unavailable
            }
        }
    }

    typealias Deliver = @Sendable (MailMessage, Span) throws(MailFailure) -> Void

    /// Returns a closure that delivers a message by SES or SMTP. The closure fails for a folder and
    /// the hook, which deliver by themselves.
    static func delivery(
        _ settings: MailSettings, ses: SESClient?, trust: CertificateTrust,
        _ report: @escaping @Sendable (FailedRequest) -> Void
    ) -> Deliver {
        switch settings.transport {
        case .folder, .hook: return { _, _ throws(MailFailure) in throw .refused }
        case .ses:
            return { message, limit throws(MailFailure) in
                guard let ses else { throw .refused }
                do throws(AWSFailure) {
                    try ses.sendEmail(
                        raw: message.bytes, from: message.sender.address.text,
                        to: message.to.text, within: limit)
                } catch {
                    throw MailFailure(error)
                }
            }
        case .smtp(let server):
            let client = SMTPClient(server.endpoint(password: settings.password), trust: trust)
            return { message, limit throws(MailFailure) in
                let mail = SMTPMessage(
                    from: message.sender.address.text, to: message.to.text, bytes: message.bytes)
                do throws(SMTPFailure) {
                    try client.send(mail, millisecondsMax: Int(limit.milliseconds))
                } catch {
                    if let failed = FailedRequest(error, of: server) { report(failed) }
                    throw MailFailure(error)
                }
            }
        }
    }
}

extension MailFailure {
    init(_ failure: AWSFailure) {
        switch failure {
        // Problems of the account and the sender have other codes, so this code means a wrong
        // recipient.
        case .refused(let refusal) where refusal.code == "BadRequestException":
            self = .addressRejected
        case .refused, .credentials, .unreachable, .malformedResponse:
            self = failure.isTransient ? .unavailable : .refused
        }
    }

    init(_ failure: SMTPFailure) {
        switch failure {
        // A code 5yz is permanent (RFC 5321 section 4.2.1).
        case .recipientRefused(let status) where status >= 500: self = .addressRejected
        case .refused(let status) where status >= 500: self = .refused
        case .loginRefused, .insecure, .invalid: self = .refused
        case .recipientRefused, .refused, .connectFailed, .timedOut, .interrupted:
            self = .unavailable
        }
    }
}

extension FailedRequest {
    /// nil if the server answered.
    fileprivate init?(_ failure: SMTPFailure, of server: SMTPServer) {
        let (problem, detail): (TransportProblem, String)
        switch failure {
        case .connectFailed(let known, let words), .insecure(let known, let words):
            (problem, detail) = (known, words)
        case .interrupted(let words): (problem, detail) = (.interrupted, words)
        case .timedOut: (problem, detail) = (.timedOut, HTTPFailure.timedOut.detail)
        case .invalid, .loginRefused, .recipientRefused, .refused: return nil
        }
        self.init(
            purpose: .mail, host: "\(server.host):\(server.port)", problem: problem,
            detail: detail)
    }
}

extension SMTPServer {
    func endpoint(password: SecretBytes?) -> SMTPEndpoint {
        let security: SMTPEndpoint.Security =
            isImplicitTLS ? .implicitTLS : isLoopback ? .none : .startTLS
        let login = user.flatMap { user in
            password.map { SMTPEndpoint.Login(user: user, password: $0) }
        }
        return SMTPEndpoint(host: host, port: port, security: security, login: login)
    }
}
