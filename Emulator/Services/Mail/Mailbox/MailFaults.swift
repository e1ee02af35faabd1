internal import Synchronization

/// The faults of sending.
package enum MailFault: String, Sendable, CaseIterable {
    case sendingPaused = "sending-paused"
    case accountSuspended = "account-suspended"
    case throttled
    case limitExceeded = "limit-exceeded"
    case domainNotVerified = "mail-from-domain-not-verified"
    case rejected
}

/// The active faults. They end with the process.
package final class MailFaults: Sendable {
    /// nil means until switched off.
    private let active = Mutex<[MailFault: Int?]>([:])

    package init() {}

    /// Activates a fault for a number of sends, or until it is switched off.
    package func switchOn(_ fault: MailFault, times: Int? = nil) {
        active.withLock { $0[fault] = .some(times) }
    }

    package func switchOff(_ fault: MailFault) {
        active.withLock { _ = $0.removeValue(forKey: fault) }
    }

    package func switchAllOff() { active.withLock { $0 = [:] } }

    /// The active faults and their remaining numbers.
    package var all: [(fault: MailFault, timesLeft: Int?)] {
        active.withLock { active in
            MailFault.allCases.compactMap { fault in active[fault].map { (fault, $0) } }
        }
    }

    /// The fault for this send, if any, which is counted.
    package func take() -> MailFault? {
        active.withLock { active in
            guard let fault = MailFault.allCases.first(where: { active[$0] != nil }) else {
                return nil
            }
            if case .some(.some(let times)) = active[fault] {
                if times <= 1 {
                    active.removeValue(forKey: fault)
                } else {
                    active[fault] = .some(times - 1)
                }
            }
            return fault
        }
    }
}
