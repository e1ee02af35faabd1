package import Time

/// The calls of one request: the request itself, and the calls made on its behalf.
package struct Trace: Sendable {
    package struct Row: Sendable {
        package let call: RecordedCall
        /// The nesting depth.
        package let depth: Int
        /// The number of the enclosing call.
        package let parent: Int?
    }

    package let id: TraceID
    /// The rows in the order of their start, each after its enclosing call.
    package let rows: [Row]

    package var startedAt: Instant { rows.first?.call.startedAt ?? Instant(milliseconds: 0) }
    package var startNanoseconds: UInt64 { rows.first?.call.startNanoseconds ?? 0 }
    package var endNanoseconds: UInt64 { rows.map(\.call.endNanoseconds).max() ?? 0 }
    package var microseconds: Int { Int((endNanoseconds - startNanoseconds) / 1000) }

    /// The verdict of the outermost call, or otherwise the worst verdict.
    package var verdict: CallVerdict {
        let isOne = rows.dropFirst().allSatisfy { $0.depth > 0 }
        if isOne, let first = rows.first { return first.call.verdict }
        let verdicts = rows.map(\.call.verdict)
        return verdicts.contains(.failed) ? .failed : verdicts.contains(.refused) ? .refused : .ok
    }

    /// nil if there is no call.
    package init?(_ id: TraceID, of calls: [RecordedCall]) {
        let own = calls.filter { $0.trace == id }.sorted { left, right in
            left.startNanoseconds != right.startNanoseconds
                ? left.startNanoseconds < right.startNanoseconds
                : left.endNanoseconds > right.endNanoseconds
        }
        guard !own.isEmpty else { return nil }
        self.id = id
        let parents = own.map { Self.parent(of: $0, in: own) }
        var rows: [Row] = []
        func add(within parent: Int?, depth: Int) {
            for (call, its) in zip(own, parents) where its == parent {
                rows.append(Row(call: call, depth: depth, parent: parent))
                add(within: call.number, depth: depth + 1)
            }
        }
        add(within: nil, depth: 0)
        self.rows = rows
    }

    /// Only routes and functions make other calls. Of several enclosing calls, the shortest is the
    /// parent; calls that a function makes after its response belong to the function that started
    /// last.
    private static func parent(of call: RecordedCall, in calls: [RecordedCall]) -> Int? {
        let callers = calls.filter { caller in
            (caller.service == .route || caller.service == .function)
                && caller.startNanoseconds < call.startNanoseconds
        }
        let around = callers.filter { $0.endNanoseconds >= call.endNanoseconds }
        if let nearest = around.min(by: { $0.nanoseconds < $1.nanoseconds }) {
            return nearest.number
        }
        switch call.service {
        // Another request of the same client.
        case .route: return nil
        case .function: return callers.last { $0.service == .route }?.number
        case .dynamodb, .sts, .s3, .ses, .secrets, .provider, .receiver:
            return (callers.last { $0.service == .function } ?? callers.last)?.number
        }
    }
}

extension Trace {
    /// The latest traces, the newest first: by the time at which their last call ended.
    package static func latest(of calls: [RecordedCall], max: Int) -> [Trace] {
        var ids: [TraceID] = []
        var seen: Set<TraceID> = []
        for call in calls.reversed() {
            guard ids.count < max else { break }
            if seen.insert(call.trace).inserted { ids.append(call.trace) }
        }
        let groups = Dictionary(grouping: calls) { $0.trace }
        return ids.compactMap { Trace($0, of: groups[$0] ?? []) }
    }

    /// The traces in which this mail was sent.
    package static func sending(_ mail: String, in calls: [RecordedCall]) -> [Trace] {
        let ids = Set(calls.filter { $0.mail.map { $0 == mail } ?? false }.map(\.trace))
        return ids.compactMap { Trace($0, of: calls) }
    }

    package enum Lookup: Sendable {
        case found(Trace)
        case none
        case several
    }

    /// Finds a trace by its ID, or by the beginning or end of the ID; `last` is the newest.
    package static func find(_ text: String, in calls: [RecordedCall]) -> Lookup {
        if text.utf8.elementsEqual("last".utf8) {
            return latest(of: calls, max: 1).first.map(Lookup.found) ?? .none
        }
        if let id = TraceID(text) { return Trace(id, of: calls).map(Lookup.found) ?? .none }
        guard text.utf8.count >= 4 else { return .none }
        let ids = Set(calls.map(\.trace)).filter { id in
            let name = id.description.utf8
            return name.starts(with: text.utf8)
                || name.suffix(text.utf8.count).elementsEqual(text.utf8)
        }
        guard ids.count <= 1 else { return .several }
        return ids.first.flatMap { Trace($0, of: calls) }.map(Lookup.found) ?? .none
    }
}

extension Trace {
    private static let linkedMax = 20

    /// The traces that share a token, a code, a nonce or a state with this one: the visit to the
    /// identity provider before a sign-in, and the requests with the issued tokens. In the order of
    /// their start, the nearest ones if there are many.
    package func linked(in calls: [RecordedCall]) -> [Trace] {
        let marks = Set(rows.flatMap(\.call.marks.values))
        guard !marks.isEmpty else { return [] }
        let others = Set(
            calls.filter { $0.trace != id && !marks.isDisjoint(with: $0.marks.values) }
                .map(\.trace))
        let groups = Dictionary(grouping: calls.filter { others.contains($0.trace) }) { $0.trace }
        let traces = groups.compactMap { Trace($0.key, of: $0.value) }
        func distance(_ trace: Trace) -> UInt64 {
            max(trace.startNanoseconds, startNanoseconds)
                - min(trace.startNanoseconds, startNanoseconds)
        }
        return traces.sorted { distance($0) < distance($1) }.prefix(Self.linkedMax)
            .sorted { $0.startNanoseconds < $1.startNanoseconds }
    }
}

extension Trace {
    private static let stepsMax = 50

    /// The requests of the authorization of a third-party app (OAuth), in order: from the app, from
    /// the page that asks the user, for tokens, and with the tokens. Empty for other requests.
    package func authorization(in calls: [RecordedCall]) -> [Trace] {
        let steps = calls.filter(\.isOfProvider)
        var found: Set<TraceID> = []
        var marks: Set<Int> = []
        func add(_ call: RecordedCall) {
            found.insert(call.trace)
            marks.formUnion(call.marks.values)
        }
        steps.filter { $0.trace == id }.forEach(add)
        var count = 0
        while count < found.count {
            count = found.count
            for call in steps where !marks.isDisjoint(with: call.marks.values) { add(call) }
        }
        let groups = Dictionary(grouping: calls.filter { found.contains($0.trace) }) { $0.trace }
        return groups.compactMap { Trace($0.key, of: $0.value) }
            .sorted { $0.startNanoseconds < $1.startNanoseconds }.suffix(Self.stepsMax)
    }
}

extension RecordedCall {
    fileprivate var isOfProvider: Bool {
        service == .route && (resource.contains("/oauth/") || resource.hasSuffix("/ui/consent"))
    }
}
