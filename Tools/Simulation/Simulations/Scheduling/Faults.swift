import AuthTestSupport

/// Faults in a run.
package enum Fault: Int, CaseIterable, Sendable, Comparable {
    case requestNotSent, requestRepeated, requestLate
    case answerLost, answerLate, answerHanging, answerTruncated, answerReplaced
    case storeUnavailable, storeAnswerLost, storeWriteRepeated
    case functionKilledBeforeWrite, functionKilledAfterWrite
    case mailLate
    case appKilled, callCancelled
    case deviceLocked, deviceFull
    case clockJump
    // These are faults of a store that is reached over HTTP.
    case storeRequestLate, storeThrottled, storeConflict, storeFailed, storeAnswerDamaged
    // These are correct behaviour: a page may end anywhere, and expired rows are removed at any
    // later time.
    case storePageShort, storeRowsRemoved
    // Faults of the app's own servers.
    case hookRefuses, hookFails, hookLate, receiverRefuses, receiverLate
    // These are the app's answers about programs of other parties, and faults of those programs'
    // web sites.
    case programRefused, consentDemanded, stepUpDemanded, documentFails
    // Faults of the servers to which notices of ended sessions are sent.
    case noticeLate, noticeFails, noticeRefused

    package var name: String { "\(self)" }

    package static func < (left: Fault, right: Fault) -> Bool { left.name < right.name }
}

/// How often each fault happens in a run, as a percentage of the times it could happen. Each run
/// has only some kinds of faults ("swarm testing", Groce et al., 2012), because with all kinds few
/// flows would complete.
struct FaultPlan {
    /// The percentages, by `Fault.rawValue`.
    private var percent = [UInt64](repeating: 0, count: Fault.allCases.count)
    private(set) var counts: [Fault: Int] = [:]

    init(_ random: inout SplitMix64) {
        let intensity = 1 + random.next(below: 12)
        let first = Fault.storeRequestLate.rawValue
        for index in percent.indices.prefix(first) where random.happens(45) {
            percent[index] = 1 + random.next(below: intensity)
        }
        // Uses another generator, so that these draws do not affect runs with another store.
        var other = random
        for index in percent.indices.dropFirst(first) where other.happens(45) {
            percent[index] = 1 + other.next(below: intensity)
        }
        // A single short page has little effect, because readers try again when something is
        // missing. So runs with this fault have many of them.
        percent[Fault.storePageShort.rawValue] *= 8
        // The hook is rarely called, so the faults need a higher share.
        for fault in [Fault.programRefused, .consentDemanded, .stepUpDemanded] {
            percent[fault.rawValue] *= 3
        }
        // There are few notices, and most come after the faults have ended.
        for fault in [Fault.noticeLate, .noticeFails, .noticeRefused] {
            percent[fault.rawValue] *= 6
        }
    }

    /// Each kind of fault that happens, with its percentage.
    var percentages: [String] {
        Fault.allCases.filter { percent[$0.rawValue] > 0 }.sorted()
            .map { "\($0.name) \(percent[$0.rawValue]) %" }
    }

    /// Removes this kind of fault from the run.
    mutating func remove(_ fault: Fault) { percent[fault.rawValue] = 0 }

    mutating func happens(_ fault: Fault, _ random: inout SplitMix64) -> Bool {
        let percent = percent[fault.rawValue]
        guard percent > 0, random.happens(percent) else { return false }
        counts[fault, default: 0] += 1
        return true
    }

    /// Returns the first of these faults that occurs.
    mutating func first(of faults: [Fault], _ random: inout SplitMix64) -> Fault? {
        faults.first { happens($0, &random) }
    }
}
