import AuthDomain
import JSON

/// The mails that were sent, with the secrets in them.
struct MailFacts {
    struct Letter {
        let number: Int
        let kind: Mail.Kind
        let to: String
        /// The purpose of the link: the last part of its path.
        let page: String
        let token: String
        let code: String?
        let user: String?
        let arrivedAt: Int
    }

    private(set) var letters: [Letter] = []
    private var byToken: [String: Int] = [:]
    private var seen = 0

    /// - Returns: the new letters.
    mutating func read(_ mails: [Mail], at step: Int) -> [Letter] {
        guard mails.count > seen else { return [] }
        var new: [Letter] = []
        for mail in mails[seen...] {
            guard let link = mail.values["undo"] ?? mail.values["link"],
                let equals = link.lastIndex(of: "="), let mark = link.lastIndex(of: "?"),
                let page = link[..<mark].split(separator: "/").last
            else { continue }
            let letter = Letter(
                number: letters.count, kind: mail.kind, to: mail.to, page: String(page),
                token: String(link[link.index(after: equals)...]), code: mail.values["code"],
                user: mail.user?.text, arrivedAt: step)
            byToken[letter.token] = letter.number
            letters.append(letter)
            new.append(letter)
        }
        seen = mails.count
        return new
    }

    /// The mail that a request refers to. nil if several mails have the same code by chance: only a
    /// request secret, which is unknown here, distinguishes these mails.
    func letter(of body: JSON) -> Letter? {
        let matching = letters(of: body)
        return matching.count == 1 ? matching[0] : nil
    }

    func users(of body: JSON) -> Set<String> { Set(letters(of: body).compactMap(\.user)) }

    func letters(of body: JSON) -> [Letter] {
        if let token = body["token"]?.stringValue {
            return byToken[token].map { [letters[$0]] } ?? []
        }
        guard let code = body["code"]?.stringValue else { return [] }
        return letters.filter { $0.code == code }
    }
}
