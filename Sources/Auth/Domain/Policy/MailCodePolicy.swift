/// The codes of mails that have a link. A contract without this policy mails links only.
package struct MailCodePolicy: Equatable, Sendable {
    /// How often the code of one mail can be tried.
    package var attemptsMax: Int64

    package init(attemptsMax: Int64 = 5) { self.attemptsMax = attemptsMax }
}
