internal import Bytes
internal import EmulatorBase

/// The server side of one SMTP connection (RFC 5321): bytes in, replies and messages out. The
/// result does not depend on how the input is split.
///
/// Only CRLF ends a line. Another line end in a command ends the connection; in a message it causes
/// a refusal after the message's end. Otherwise two servers could disagree about the end of a
/// message (SMTP smuggling).
package struct SMTPSession {
    enum State {
        case command
        case data(DataReader)
        case password(Login)
        case over
    }

    enum Login { case plain, loginName, loginPassword }

    struct Transaction {
        let sender: String
        let isUTF8: Bool
        var recipients: [String] = []
    }

    static let name = "localhost"
    /// A page can make a browser connect to any port. A browser's request begins with one of these
    /// words.
    private static let notSMTP = [
        "GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "CONNECT", "TRACE",
    ]

    let limits: SMTPLimits
    var state = State.command
    var isGreeted = false
    var isAuthenticated = false
    var transaction: Transaction?
    private var line: [UInt8] = []
    private var commandCount = 0
    private var errorCount = 0
    private var output: [UInt8] = []

    package init(limits: SMTPLimits = SMTPLimits()) { self.limits = limits }

    package static let greeting = Array("220 \(name) ESMTP Latchkey\r\n".utf8)

    /// No more input is read; the connection is closed after the replies are sent.
    package var isOver: Bool { if case .over = state { true } else { false } }

    /// The size of an incomplete message.
    package var heldBytes: Int {
        if case .data(let reader) = state { reader.heldBytes + line.count } else { line.count }
    }

    /// Processes input and returns the replies.
    package mutating func receive(
        _ bytes: [UInt8], deliver: SMTPDelivery
    ) -> [UInt8] {
        output = []
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .over: return output
            case .data: readData(&rest, deliver)
            case .command, .password: readLine(&rest)
            }
        }
        return output
    }

    private mutating func readLine(_ rest: inout ArraySlice<UInt8>) {
        let lineEnd = rest.firstIndex(of: 0x0A)
        let piece = rest[..<(lineEnd.map { $0 + 1 } ?? rest.endIndex)]
        rest = rest[piece.endIndex...]
        // Whether a line is too long must not depend on how the input is split.
        guard line.count + piece.count <= limits.commandBytesMax else {
            return end("500 5.5.2 The line is too long")
        }
        line += piece
        guard lineEnd != nil else { return }
        let command = line.dropLast(2)
        guard line.suffix(2).elementsEqual([0x0D, 0x0A]), !command.contains(0x0D) else {
            return end("500 5.5.2 Lines end with CR LF")
        }
        line = []
        commandCount += 1
        guard commandCount <= limits.commandsMax else {
            return end("421 4.7.0 Too many commands in one connection")
        }
        guard let text = String(validating: command, as: UTF8.self),
            !text.utf8.contains(where: \.isControl)
        else { return fail("500 5.5.2 A command must be text") }
        if case .password(let login) = state { return takePassword(text, login) }
        perform(text)
    }

    private mutating func readData(_ rest: inout ArraySlice<UInt8>, _ deliver: SMTPDelivery) {
        guard case .data(var reader) = state else { return }
        // The reader is moved out of the state, so that its buffer is not copied.
        state = .command
        guard reader.read(&rest) else {
            if reader.isEndless {
                return end("421 4.3.4 The message has no end")
            }
            state = .data(reader)
            return
        }
        let finished = transaction
        transaction = nil
        guard let finished else { return }
        switch reader.result {
        case .failure(let failure): fail(failure.reply)
        case .success(let raw):
            let mail = SMTPMail(
                sender: finished.sender, recipients: finished.recipients, raw: raw)
            switch deliver(mail) {
            case .accepted(let id): reply("250 2.0.0 Ok: kept as \(id)")
            case .refused(let text): reply(text)
            }
        }
    }

    private mutating func perform(_ line: String) {
        let verb = String(line.prefix { $0 != " " })
        let argument = String(line.dropFirst(verb.count)).trimmingBlanks
        switch verb.asciiUppercased {
        case "EHLO": greet(argument, isExtended: true)
        case "HELO": greet(argument, isExtended: false)
        case "MAIL": mail(argument)
        case "RCPT": recipient(argument)
        case "DATA": data(argument)
        case "RSET":
            transaction = nil
            reply("250 2.0.0 Ok")
        case "NOOP": reply("250 2.0.0 Ok")
        case "VRFY":
            argument.isEmpty
                ? fail("501 5.5.4 VRFY needs an argument")
                : reply("252 2.5.0 Cannot verify user, but will accept the message")
        case "HELP": reply("214 2.0.0 See RFC 5321; received mail is at /_emulator/mail")
        case "QUIT": end("221 2.0.0 Bye")
        case "AUTH": authenticate(argument)
        case "EXPN", "STARTTLS", "BDAT", "ETRN", "TURN":
            fail("502 5.5.1 The command is not implemented")
        case let verb where Self.notSMTP.contains(verb):
            end("421 4.7.0 This is SMTP, not HTTP")
        default: fail("500 5.5.2 The command is not known")
        }
    }

    // MARK: Replies

    mutating func reply(_ text: String) {
        output += text.utf8
        output += [0x0D, 0x0A]
    }

    /// An error reply; their number is limited.
    mutating func fail(_ text: String) {
        reply(text)
        errorCount += 1
        if errorCount >= limits.errorsMax { end("421 4.7.0 Too many errors in one connection") }
    }

    /// Ends the session from outside and returns the last reply.
    package mutating func interrupt(_ text: String) -> [UInt8] {
        output = []
        end(text)
        return output
    }

    mutating func end(_ text: String) {
        reply(text)
        state = .over
        line = []
        transaction = nil
    }
}
