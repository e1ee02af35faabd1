import AuthDomain
import JSON

/// The mails that were sent, with what works in them.
struct MailFacts {
    struct Letter {
        let number: Int
        let kind: Mail.Kind
        let to: String
        let token: String
        let code: String?
        let user: String?
    }

    private(set) var letters: [Letter] = []
    /// The secret that a request was answered, by the code that belongs to it.
    private var byToken: [String: Int] = [:]
    private var seen = 0

    /// - Returns: the new ones.
    mutating func read(_ mails: [Mail]) -> [Letter] {
        guard mails.count > seen else { return [] }
        var new: [Letter] = []
        for mail in mails[seen...] {
            guard let link = mail.values["link"], let equals = link.lastIndex(of: "=") else {
                continue
            }
            let letter = Letter(
                number: letters.count, kind: mail.kind, to: mail.to,
                token: String(link[link.index(after: equals)...]), code: mail.values["code"],
                user: mail.user?.text)
            byToken[letter.token] = letter.number
            letters.append(letter)
            new.append(letter)
        }
        seen = mails.count
        return new
    }

    /// The mail that a request answers.
    func number(of body: JSON) -> Int? {
        if let token = body["token"]?.stringValue { return byToken[token] }
        let matching = letters(withCodeOf: body)
        return matching.count == 1 ? matching[0].number : nil
    }

    func user(of body: JSON) -> String? { number(of: body).flatMap { letters[$0].user } }

    /// Several if mails have the same code by chance: the secret of the request tells them apart for
    /// the functions, which is not known here.
    func users(of body: JSON) -> Set<String> {
        if let user = user(of: body) { return [user] }
        return Set(letters(withCodeOf: body).compactMap(\.user))
    }

    private func letters(withCodeOf body: JSON) -> [Letter] {
        guard let code = body["code"]?.stringValue else { return [] }
        return letters.filter { $0.code == code }
    }
}
