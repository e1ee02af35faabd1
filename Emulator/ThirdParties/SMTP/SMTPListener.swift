internal import Glibc
internal import Synchronization
internal import Threads

package enum SMTPListenerFailure: Error, Sendable, Equatable {
    case portTaken(UInt16)
    case system(code: Int32)
}

/// Listens for SMTP on a port of the loopback interface. One thread serves all connections.
package final class SMTPListener: Sendable {
    /// The actual port, also if port 0 was requested.
    package let port: UInt16
    private let wake: Int32
    private let thread: Mutex<PosixThread?>

    /// Delivers all mail to the mailbox.
    package convenience init(
        _ mailbox: Mailbox, port: UInt16 = 0, limits: SMTPLimits = SMTPLimits()
    ) throws(SMTPListenerFailure) {
        try self.init(port: port, limits: limits) { mail in mailbox.verdict(on: mail) }
    }

    /// `deliver` runs on the listener's thread.
    package init(
        port: UInt16 = 0, limits: SMTPLimits = SMTPLimits(),
        deliver: @escaping @Sendable (SMTPMail) -> SMTPVerdict
    ) throws(SMTPListenerFailure) {
        let socket = try SMTPSocket.listen(port: port)
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else {
            close(socket.descriptor)
            throw .system(code: errno)
        }
        for end in ends { SMTPSocket.prepare(end) }
        do throws(ThreadFailure) {
            let thread = try PosixThread { [wake = ends[0]] in
                SMTPLoop(
                    listener: socket.descriptor, port: socket.port, wake: wake, limits: limits,
                    deliver: deliver
                ).run()
            }
            self.thread = Mutex(thread)
        } catch {
            for descriptor in ends + [socket.descriptor] { close(descriptor) }
            throw .system(code: error.code)
        }
        self.port = socket.port
        wake = ends[1]
    }

    deinit { stop() }

    /// Closes all connections and the port, and waits for the thread to end.
    package func stop() {
        guard let running = thread.withLock({ $0.take() }) else { return }
        // Closing this end stops the loop.
        close(wake)
        running.join()
    }
}

extension Mailbox {
    /// Delivers a mail, unless a fault refuses it.
    package func verdict(on mail: SMTPMail) -> SMTPVerdict {
        if let fault = faults.take() { return .refused(fault.smtpReply) }
        let incoming = IncomingMail(
            source: .smtp, sender: mail.sender, recipients: mail.recipients, raw: mail.raw)
        do throws(MailboxFailure) {
            return .accepted(id: String(try deliver(incoming)))
        } catch {
            switch error {
            case .tooLarge: return .refused("552 5.3.4 The message is too large")
            case .database, .damaged:
                return .refused("451 4.3.0 The mailbox cannot be written")
            }
        }
    }
}

extension MailFault {
    /// The reply of SES's SMTP interface.
    var smtpReply: String {
        switch self {
        case .sendingPaused: "554 5.7.1 Sending paused for this account"
        case .accountSuspended: "554 5.7.1 Account suspended"
        case .throttled: "454 4.7.0 Throttling failure: Maximum sending rate exceeded."
        case .limitExceeded: "454 4.7.0 Throttling failure: Daily message quota exceeded."
        case .domainNotVerified: "554 5.7.1 Message rejected: Email address is not verified."
        case .rejected: "554 5.7.1 Transaction failed: Message rejected."
        }
    }
}
