internal import Bytes
internal import JSON
internal import Synchronization
package import Time

/// Turns live invocations into fixtures.
///
/// The values in responses are remembered for the session: when a later event contains one, its
/// fixture gets the earlier event as a step. Tokens, addresses and subjects are never written.
package final class Recorder: Sendable {
    private let shapes: PlaceholderShapes
    private let contract: String?
    private let clock: WallClock
    /// `127.0.0.1:8000`: where the recorded functions are, as clients name it.
    private let ownHosts: [String]
    private let state = Mutex(RecorderState())

    private static let bytesMax = 1 << 20
    /// Uses the shapes of the folder to which the fixtures will be written.
    package init(
        settings: FixtureSettings, contract: String? = nil, ownHosts: [String] = [],
        clock: WallClock
    ) {
        shapes = settings.shapes(of: contract ?? settings.contract)
        self.contract = contract.flatMap { $0.isSame(as: settings.contract) ? nil : $0 }
        self.ownHosts = ownHosts
        self.clock = clock
    }

    /// `function` is the name of the fixture's folder, and `time` the time of the response, now by
    /// default. `number` is the invocation's in ``RecordedFixture/steps``, by default the number of
    /// earlier invocations. `isTaken` says whether a case with that name exists.
    package func record(
        function: String, event: [UInt8], response: [UInt8], at time: Instant? = nil,
        number: Int? = nil, isTaken: (_ name: String) -> Bool = { _ in false }
    ) -> Recording {
        state.withLock { state in
            do throws(LeftOut) {
                let seen = try look(function, event, response, time, &state)
                return record(seen, number, &state, isTaken)
            } catch {
                return .leftOut(error.reason)
            }
        }
    }

    /// Remembers an invocation that becomes no fixture, but may be a step of a later one.
    package func remember(
        function: String, event: [UInt8], response: [UInt8], at time: Instant, number: Int? = nil
    ) {
        state.withLock { state in
            // An invocation that cannot be recorded cannot be a step either.
            guard let seen = try? look(function, event, response, time, &state) else { return }
            append(seen, number, obstacle: seen.obstacle, &state)
            rememberAnswer(of: seen, &state)
        }
    }

    /// The steps of this fixture that repeat these invocations, except steps that need a token or
    /// a value of another response.
    package func steps(
        of fixture: RecordedFixture, repeating numbers: [Int]
    ) -> [RecordedFixture.Step] {
        state.withLock { state in
            let entries = state.entries.filter { entry in
                numbers.contains(entry.number) && entry.obstacle == nil && entry.consumed.isEmpty
                    && entry.people.isEmpty && (200..<300).contains(entry.status)
            }
            var shown = fixture.shown
            for entry in entries {
                _ = EventRewriting.map(entry.event) { text in
                    shown.add(Alias.numbers(in: text), of: state)
                    return text
                }
            }
            return entries.map {
                RecordedFixture.Step(number: $0.number, json: FixtureDraft.step($0, shown))
            }
        }
    }

    /// Forgets the invocations so far: their tables and buckets were emptied.
    package func restart() {
        state.withLock { state in
            var new = RecorderState()
            new.recorded = state.recorded
            state = new
        }
    }

    private struct LeftOut: Error { let reason: String }

    /// An invocation with names for the values that it contains.
    private struct SeenInvocation {
        let function: String
        let live: LiveEvent
        let answer: FunctionAnswer
        let answerJSON: JSON
        let pattern: JSON
        let consumed: Set<String>
        let people: Set<String>
        let obstacle: String?
    }

    private func look(
        _ function: String, _ event: [UInt8], _ response: [UInt8], _ time: Instant?,
        _ state: inout RecorderState
    ) throws(LeftOut) -> SeenInvocation {
        if let problem = limit(function, event, response, state) { throw LeftOut(reason: problem) }
        guard let json = try? JSON.parse(event, limits: .event) else {
            throw LeftOut(reason: "the event is not valid JSON")
        }
        let answer = FunctionAnswer(
            RunResult(exit: 0, output: response, errors: []), isStrict: false)
        guard let answerJSON = answer.json else {
            throw LeftOut(reason: "the answer is not valid JSON")
        }
        let live = LiveEvent(json)
        let secrets = EventSecrets(
            shapes: shapes, now: time ?? clock.now(), status: answer.status)
        if let agent = live.userAgent { state.standardise(userAgent: agent) }
        let obstacle = secrets.note(live, &state)
        var normalized = EventRewriting.normalized(json)
        if Self.isIndependentOfAddress(answerJSON) {
            normalized = EventRewriting.withoutAddress(normalized, ownHosts, answer: answerJSON)
        }
        let (pattern, consumed) = state.concealed(normalized)
        return SeenInvocation(
            function: function, live: live, answer: answer, answerJSON: answerJSON,
            pattern: pattern, consumed: consumed, people: state.people(of: consumed),
            obstacle: obstacle)
    }

    /// Cookies and pages may differ over HTTPS.
    private static func isIndependentOfAddress(_ answer: JSON) -> Bool {
        let headers = answer["headers"]?.objectValue?.members ?? []
        return answer["cookies"] == nil && answer["multiValueHeaders"] == nil
            && !headers.contains { name, value in
                name.lowercased().isSame(as: "set-cookie")
                    || value.stringValue?.lowercased().hasPrefix("text/html") == true
            }
    }

    private func record(
        _ seen: SeenInvocation, _ number: Int?, _ state: inout RecorderState,
        _ isTaken: (String) -> Bool
    ) -> Recording {
        // 1. Find the earlier events that it depends on.
        let (before, names) = state.preconditions(
            seen.consumed, people: seen.people, path: seen.live.parameterPath)
        var blocked: String?
        for index in before { blocked = blocked ?? state.entries[index].obstacle }
        append(seen, number, obstacle: seen.obstacle ?? blocked, &state)
        // 2. Write event and response without their secrets.
        let draft = FixtureDraft(
            event: seen.pattern, consumed: seen.consumed, before: before, names: names,
            contract: contract)
        let pattern = AnswerSecrets(shapes: shapes).pattern(seen.answerJSON, state, names)
        let fixture = draft.fixture(response: pattern, state)
        // 3. Remember the values of the response for later events.
        rememberAnswer(of: seen, &state)
        if let obstacle = seen.obstacle { return .leftOut(obstacle) }
        if let blocked {
            return .leftOut("it follows an event that cannot be repeated: \(blocked)")
        }
        guard seen.answer.status < 500 else { return .leftOut("the function failed") }
        return name(fixture, seen, before, &state, isTaken)
    }

    private func append(
        _ seen: SeenInvocation, _ number: Int?, obstacle: String?, _ state: inout RecorderState
    ) {
        state.entries.append(
            SessionEntry(
                number: number ?? state.entries.count, function: seen.function,
                event: seen.pattern, status: seen.answer.status,
                isReading: seen.live.isReading, isReplacing: seen.live.method == "PUT",
                path: seen.live.parameterPath,
                givesCredentials: AnswerSecrets.givesCredentials(seen.answerJSON),
                consumed: seen.consumed, people: seen.people, obstacle: obstacle))
    }

    private func rememberAnswer(of seen: SeenInvocation, _ state: inout RecorderState) {
        guard seen.answer.isSuccess, let body = seen.answer.body else { return }
        AnswerSecrets.remember(body, entry: state.entries.count - 1, &state)
    }

    private func limit(
        _ function: String, _ event: [UInt8], _ response: [UInt8], _ state: RecorderState
    ) -> String? {
        if !Fixture.isLegalFunction(function) { return "\(function) is not a valid function name" }
        if max(event.count, response.count) > Self.bytesMax {
            return "it is larger than \(Self.bytesMax >> 20) MB"
        }
        guard state.entries.count >= RecorderState.entriesMax else { return nil }
        return "the session has more than \(RecorderState.entriesMax) events"
    }

    private func name(
        _ parts: FixtureDraft.Parts, _ seen: SeenInvocation, _ steps: [Int],
        _ state: inout RecorderState, _ isTaken: (String) -> Bool
    ) -> Recording {
        let shape = [JSON.string(seen.function), parts.event, parts.response].map(\.text)
            .joined(separator: "\n")
        if let same = state.recorded.first(where: { $0.shape.isSame(as: shape) }) {
            return .duplicate(of: same.name)
        }
        let hasStatus = seen.answer.json?["statusCode"] != nil
        let ending =
            hasStatus
            ? String(seen.answer.status) : seen.answer.isSuccess ? "answered" : "refused"
        let name = RecordedFixture.numbered("\(seen.function)/\(seen.live.stem)-\(ending)") {
            name in
            !isTaken(name) && !state.recorded.contains { $0.name.isSame(as: name) }
        }
        let fixture = RecordedFixture(
            name: name, event: parts.event, response: parts.response, given: parts.given,
            steps: steps.map { state.entries[$0].number }, shown: parts.shown)
        state.recorded.append((shape, fixture.name))
        return .fixture(fixture)
    }
}
