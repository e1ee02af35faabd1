internal import EmulatorBase
internal import Time

extension MailService {
    /// A waiting request holds a response slot and a timer, but no thread.
    func wait(_ asked: MailRequest, _ slot: ResponseSlot) throws(MailError) {
        guard asked.method == "GET" else { throw .methodNotAllowed() }
        var extraction: Extraction?
        if asked.path.count > 1 {
            extraction = Extraction(asked.path[1], asked["contains"])
            guard extraction != nil, asked.path.count == 2 else {
                throw .notFound("Not found")
            }
        }
        let filter = try asked.filter()
        let seconds = try asked.integer("timeoutSeconds", in: 0...Self.waitSecondsMax) ?? 30
        let wanted = extraction
        @Sendable func respond(_ mail: StoredMail) {
            if let wanted {
                // The message has such a text: otherwise it would not have matched.
                slot.respond(MailResponse.text(wanted.find(in: mail) ?? ""))
            } else {
                slot.respond(MailResponse.json(MailJSON.mail(mail)))
            }
        }
        let outcome = try kept { () throws(MailboxFailure) in
            try mailbox.wait(
                for: filter, wants: { mail in wanted.map { $0.find(in: mail) != nil } ?? true },
                answer: respond)
        }
        switch outcome {
        case .found(let mail): respond(mail)
        case .tooManyWaiters:
            throw MailError(status: 503, message: "Too many clients are waiting for mail")
        case .waiting(let id): stopLater(id, seconds: seconds, slot)
        }
    }

    private func stopLater(_ id: Int, seconds: Int64, _ slot: ResponseSlot) {
        let mailbox = mailbox
        let timeOut: @Sendable () -> Void = {
            guard mailbox.stopWaiting(id) else { return }
            slot.respond(
                MailResponse.refusal(
                    MailError(
                        status: 408, message: "No matching message within \(seconds) seconds")))
        }
        guard seconds > 0 else { return timeOut() }
        slot.onClose { mailbox.stopWaiting(id) }
        after(.seconds(seconds), timeOut)
    }
}
