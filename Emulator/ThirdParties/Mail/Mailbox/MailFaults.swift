package import EmulatorDebugging

/// The faults of sending.
package enum MailFault: String, Sendable, CaseIterable {
    case sendingPaused = "sending-paused"
    case accountSuspended = "account-suspended"
    case throttled
    case limitExceeded = "limit-exceeded"
    case domainNotVerified = "mail-from-domain-not-verified"
    case rejected

    /// A description for the list of faults.
    package var sentence: String {
        switch self {
        case .sendingPaused: "SES: sending is paused for the account."
        case .accountSuspended: "SES: the account is suspended."
        case .throttled: "Too many messages in this second; SMTP answers 454."
        case .limitExceeded: "The daily quota is used up."
        case .domainNotVerified: "The domain of MAIL FROM is not verified."
        case .rejected: "The message is rejected for its content."
        }
    }
}

/// The active faults of SES and SMTP that the mailbox itself applies, as a part of the emulator's
/// fault list.
package final class MailFaults: Sendable {
    private let list: FaultList

    package init(_ list: FaultList = FaultList()) { self.list = list }

    /// Activates a fault for a number of sends, or until it is switched off. False if the list of
    /// faults is full.
    @discardableResult
    package func switchOn(_ fault: MailFault, times: Int? = nil) -> Bool {
        switchOff(fault)
        return list.add(FaultRule(FaultMatch(.ses), .error(fault.rawValue), count: times)) != nil
    }

    package func switchOff(_ fault: MailFault) {
        list.remove { $0.rule.mailFault == fault }
    }

    package func switchAllOff() { list.remove { $0.rule.mailFault != nil } }

    /// The active faults and their remaining numbers.
    package var all: [(fault: MailFault, timesLeft: Int?)] {
        let active = list.named(.ses)
        return MailFault.allCases.compactMap { fault in
            active.first { $0.0 == fault.rawValue }.map { (fault, $0.1.left) }
        }
    }

    /// The fault for this send, if any, which is counted.
    package func take() -> MailFault? {
        guard list.isOn else { return nil }
        return MailFault.allCases.first { list.take($0.rawValue, .ses) != nil }
    }
}

extension FaultRule {
    fileprivate var mailFault: MailFault? {
        guard match.service == .ses, case .error(let name) = effect else { return nil }
        return MailFault(rawValue: name)
    }
}
