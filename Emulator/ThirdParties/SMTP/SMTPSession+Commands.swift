internal import Bytes
internal import EmulatorBase

extension SMTPSession {
    mutating func greet(_ argument: String, isExtended: Bool) {
        guard !argument.isEmpty else { return fail("501 5.5.4 The client must give its name") }
        isGreeted = true
        transaction = nil
        guard isExtended else { return reply("250 \(Self.name)") }
        let lines = [
            Self.name, "PIPELINING", "SIZE \(limits.messageBytesMax)", "8BITMIME", "SMTPUTF8",
            "AUTH PLAIN LOGIN",
        ]
        for line in lines { reply("250-\(line)") }
        reply("250 ENHANCEDSTATUSCODES")
    }

    mutating func mail(_ argument: String) {
        guard isGreeted else { return fail("503 5.5.1 Say EHLO first") }
        guard transaction == nil else { return fail("503 5.5.1 There is a sender already") }
        guard let path = SMTPPath(argument, after: "FROM:") else {
            return fail("501 5.5.4 The form is MAIL FROM:<address>")
        }
        var isUTF8 = false
        for parameter in path.parameters {
            let upper = parameter.asciiUppercased
            if upper == "SMTPUTF8" {
                isUTF8 = true
            } else if upper.hasPrefix("SIZE=") {
                let digits = upper.dropFirst(5)
                guard !digits.isEmpty, digits.utf8.allSatisfy(\.isDigit) else {
                    return fail("501 5.5.4 SIZE must be a number")
                }
                // A size that does not fit in an integer is too large as well.
                guard let size = Int(digits), size <= limits.messageBytesMax else {
                    return fail("552 5.3.4 The message is too large")
                }
            } else if upper != "BODY=7BIT", upper != "BODY=8BITMIME", !upper.hasPrefix("AUTH=") {
                return fail("555 5.5.4 A parameter of MAIL is not known")
            }
        }
        if !path.address.isEmpty, let refusal = Self.refusal(of: path.address, isUTF8: isUTF8) {
            return fail("\(refusal)")
        }
        transaction = Transaction(sender: path.address, isUTF8: isUTF8)
        reply("250 2.1.0 Ok")
    }

    mutating func recipient(_ argument: String) {
        guard let transaction else { return fail("503 5.5.1 There is no sender yet") }
        guard let path = SMTPPath(argument, after: "TO:"), !path.address.isEmpty else {
            return fail("501 5.5.4 The form is RCPT TO:<address>")
        }
        guard path.parameters.isEmpty else {
            return fail("555 5.5.4 A parameter of RCPT is not known")
        }
        // RFC 5321 section 4.5.1: the only address without a domain.
        let isPostmaster = path.address.asciiUppercased == "POSTMASTER"
        if !isPostmaster, let refusal = Self.refusal(of: path.address, isUTF8: transaction.isUTF8) {
            return fail(refusal)
        }
        guard transaction.recipients.count < limits.recipientsMax else {
            return reply("452 4.5.3 Too many recipients")
        }
        self.transaction?.recipients.append(path.address)
        reply("250 2.1.5 Ok")
    }

    private static func refusal(of address: String, isUTF8: Bool) -> String? {
        guard isUTF8 || address.utf8.allSatisfy({ $0 < 0x80 }) else {
            return "553 5.6.7 An address that is not ASCII needs SMTPUTF8"
        }
        do throws(AddressFailure) {
            try MailAddress.check(Array(address.utf8))
            return nil
        } catch {
            return "553 5.1.3 \(error.message)"
        }
    }

    mutating func data(_ argument: String) {
        guard argument.isEmpty else { return fail("501 5.5.4 DATA has no argument") }
        guard let transaction else { return fail("503 5.5.1 There is no sender yet") }
        guard !transaction.recipients.isEmpty else {
            return fail("554 5.5.1 There are no recipients")
        }
        state = .data(
            DataReader(bytesMax: limits.messageBytesMax, lineBytesMax: limits.lineBytesMax))
        reply("354 End data with a line that has only a dot")
    }

    // MARK: Authentication: any credentials are accepted

    mutating func authenticate(_ argument: String) {
        guard isGreeted else { return fail("503 5.5.1 Say EHLO first") }
        guard !isAuthenticated, transaction == nil else {
            return fail("503 5.5.1 AUTH comes once, and before MAIL")
        }
        let words = argument.split(separator: " ")
        guard let mechanism = words.first, words.count <= 2 else {
            return fail("501 5.5.4 The form is AUTH mechanism")
        }
        let initial = words.count == 2 ? String(words[1]) : nil
        switch String(mechanism).asciiUppercased {
        case "PLAIN":
            guard let initial else { return ask(.plain, "") }
            takePassword(initial, .plain)
        case "LOGIN":
            guard let initial else { return ask(.loginName, "Username:") }
            takePassword(initial, .loginName)
        default: fail("504 5.5.4 The mechanism is not known")
        }
    }

    private mutating func ask(_ login: Login, _ prompt: String) {
        state = .password(login)
        reply("334 \(Base64.encode(prompt.utf8))")
    }

    mutating func takePassword(_ text: String, _ login: Login) {
        state = .command
        guard !text.isSame(as: "*") else { return fail("501 5.7.0 Authentication was cancelled") }
        // A single equals sign is an empty initial response (RFC 4954 section 4).
        guard let response = text.isSame(as: "=") ? [] : Base64.decode(text) else {
            return fail("501 5.5.2 That is not base64")
        }
        switch login {
        case .loginName: ask(.loginPassword, "Password:")
        case .plain where response.count(where: { $0 == 0 }) != 2:
            fail("501 5.5.2 PLAIN has three parts with zeros between them")
        case .plain, .loginPassword:
            isAuthenticated = true
            reply("235 2.7.0 Welcome")
        }
    }
}

/// `FROM:<address> PARAMETER …`
struct SMTPPath {
    private static let parametersMax = 16

    let address: String
    let parameters: [String]

    init?(_ argument: String, after keyword: String) {
        let bytes = Array(argument.utf8)
        let head = String(decoding: bytes.prefix(keyword.utf8.count), as: UTF8.self)
        guard head.asciiUppercased == keyword else { return nil }
        // RFC 5321 does not allow a space here, but many clients send one.
        let path = bytes.dropFirst(keyword.utf8.count).drop { $0 == 0x20 }
        guard path.first == UInt8(ascii: "<") else { return nil }
        var isQuoted = false
        var at = path.startIndex + 1
        while at < path.endIndex, isQuoted || path[at] != UInt8(ascii: ">") {
            if path[at] == UInt8(ascii: "\""), path[at - 1] != UInt8(ascii: "\\") {
                isQuoted.toggle()
            }
            at += 1
        }
        guard at < path.endIndex else { return nil }
        address = String(decoding: path[(path.startIndex + 1)..<at], as: UTF8.self)
        let rest = path[(at + 1)...]
        guard rest.isEmpty || rest.first == 0x20 else { return nil }
        parameters = rest.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
        guard parameters.count <= Self.parametersMax else { return nil }
    }
}
