internal import AuthDomain
internal import Bytes
internal import FunctionRuntime

/// `MAIL_BUDGET`: changes to the mail budget of the contract.
///
///     MAIL_BUDGET=off
///     MAIL_BUDGET=hour=500,recipient=off
enum MailBudgetSettings {
    private static let mailsMax: Int64 = 1_000_000_000

    static func read(_ reader: inout SettingsReader, _ standard: MailBudget?) -> MailBudget? {
        guard let raw = reader.text("MAIL_BUDGET") else { return standard }
        if raw.isSame(as: "off") { return nil }
        var budget = standard ?? MailBudget(perHour: nil, perDay: nil, perRecipient: nil)
        for entry in reader.list("MAIL_BUDGET") {
            let parts = entry.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2,
                let limit = MailBudget.Limit.allCases.first(where: {
                    $0.rawValue.isSame(as: parts[0])
                }), let mails = mails(parts[1])
            else {
                reader.refuse(
                    "MAIL_BUDGET: each entry is hour, day or recipient, with a number of mails or "
                        + "off: hour=1000,day=10000,recipient=20")
                return standard
            }
            budget[limit] = mails
        }
        return budget
    }

    /// - Returns: `.some(nil)` for `off`; nil if the text is neither `off` nor a valid number.
    private static func mails(_ text: String) -> Int64?? {
        if text.isSame(as: "off") { return .some(nil) }
        guard text.utf8.allSatisfy(\.isDigit), let mails = Int64(text), mails <= mailsMax else {
            return nil
        }
        return .some(mails)
    }
}
