internal import Bytes
internal import JSON

/// Decides which answers are allowed to a request that met a fault, and to its repetition.
struct FaultJudge {
    /// The number of writes before the answer, if there is no fault.
    let writeCount: Int
    /// The answer if there is no fault. The fixture expects it.
    let usual: FunctionAnswer
    /// The answer to a repetition of the request, if there is no fault.
    let repeated: FunctionAnswer
    /// `settings.json`, `unavailable`
    let unavailable: [String]
    /// Whether the answer is the one that the fixture expects.
    let isOwn: (FunctionAnswer) -> Bool

    /// nil if the answer is allowed.
    func problem(_ answer: FunctionAnswer, _ writes: StoreWrites) -> String? {
        if isUsual(answer) {
            // A refusal is allowed even if its writes were not made, for example to the audit log.
            let missing = answer.status < 400 ? writeCount - writes.count : 0
            return missing > 0
                ? "the usual answer, although \(missing) of \(writeCount) writes were not made"
                : nil
        }
        return isUnavailable(answer)
            ? nil : "expected the usual answer, or that the service is unavailable; found"
    }

    /// nil if the answer to the repetition is allowed.
    func problem(
        _ answer: FunctionAnswer, after first: FunctionAnswer, _ writes: StoreWrites
    ) -> String? {
        if isUsual(answer) { return nil }
        guard !isUnavailable(first) || writes.haveChanged else {
            return "expected the usual answer to a repetition, because nothing had changed; found"
        }
        // Numbers and names in the repetition's answer may differ from the first answer's.
        return [usual.outline, repeated.outline].contains(answer.outline)
            ? nil : "expected the same answer to a repetition as without a fault; found"
    }

    /// A page may give fewer details about a refusal. A scheduled run may have done less work.
    private func isUsual(_ answer: FunctionAnswer) -> Bool {
        isOwn(answer)
            || (answer.status >= 400 || answer.json?["statusCode"] == nil)
                && answer.outline == usual.outline
    }

    /// Whether the answer says that the service is not available at the moment.
    private func isUnavailable(_ answer: FunctionAnswer) -> Bool {
        guard let json = answer.json else { return answer.result.exit != 0 }
        let hasStatus = json["statusCode"] != nil
        if !hasStatus, answer.status >= 400 { return true }
        return unavailable.contains { text in
            guard let status = Int64(text.prefix { $0 != " " }) else {
                return !hasStatus && answer.result.output.contains(text: text)
            }
            let rest = String(text.drop { $0 != " " }.dropFirst())
            return hasStatus && answer.status == status && answer.result.output.contains(text: rest)
        }
    }
}

extension FunctionAnswer {
    /// The common part of two answers of the same kind: the status, the names of members, and whole
    /// errors.
    fileprivate var outline: String {
        let body = body ?? .null
        return "\(status) \(status < 400 ? Self.names(in: body) : body.text)"
    }

    private static func names(in json: JSON) -> String {
        let members = json.objectValue?.members.map { "\($0.name)\(names(in: $0.value))" } ?? []
        return members.isEmpty ? "" : "{\(members.sorted().joined(separator: ","))}"
    }
}

/// The result of all faults of one fixture.
package struct FaultOutcome: Sendable {
    package let fixture: Fixture
    /// The number of faults; 0 if the fixture makes no call to the tables of the replay.
    package internal(set) var count = 0
    package internal(set) var problems: [String] = []
}
