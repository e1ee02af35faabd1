internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Contracts
internal import Cryptography
package import FunctionRuntime
internal import HTTPClient
internal import Time

extension LatchkeyFunction {
    private static let testMailLimit = Span.seconds(20)

    /// Sends a fixed message with the mail settings of a server, for its operator. Returns what the
    /// mail system answered; throws if the settings are wrong, or if the mail system refuses the
    /// message.
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
        let environment = assembly.environment
        let send = MailSender.test(
            settings, ses: settings.transport == .ses ? aws.ses : nil,
            trust: CertificateTrust(variable: { environment[$0] }), clock: assembly.clock)
        let test = send(to, Hex.encode(assembly.random.bytes(16)), testMailLimit)
        let answer = "\(test.system): \(test.answer)"
        guard test.isSent else { throw StartFailure(problems: [answer]) }
        return answer
    }
}
