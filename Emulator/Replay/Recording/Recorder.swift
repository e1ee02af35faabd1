internal import Bytes
internal import JSON
internal import Synchronization
package import Time

/// Turns live invocations into fixtures.
///
/// What an answer gave away is remembered for the session: when a later event brings it back, its
/// fixture gets the earlier event as a step. Tokens, addresses and subjects are never written.
package final class Recorder: Sendable {
    private let shapes: PlaceholderShapes
    private let contract: String?
    private let clock: WallClock
    private let state = Mutex(RecorderState())

    private static let bytesMax = 1 << 20
    /// The shapes are those of the world in which the fixtures will stand.
    package init(world: FixtureSettings, contract: String? = nil, clock: WallClock) {
        shapes = world.shapes(of: contract ?? world.contract)
        self.contract = contract.flatMap { $0.isSame(as: world.contract) ? nil : $0 }
        self.clock = clock
    }

    /// `function` is the name of the fixture's folder. `isTaken` says whether a case's name is.
    package func record(
        function: String, event: [UInt8], response: [UInt8],
        isTaken: (_ name: String) -> Bool = { _ in false }
    ) -> Recording {
        state.withLock { state in
            record(function, event, response, &state, isTaken)
        }
    }

    private func record(
        _ function: String, _ event: [UInt8], _ response: [UInt8], _ state: inout RecorderState,
        _ isTaken: (String) -> Bool
    ) -> Recording {
        if let problem = limit(function, event, response, state) { return .leftOut(problem) }
        guard let json = try? JSON.parse(event, limits: .event) else {
            return .leftOut("the event is not valid JSON")
        }
        let answer = FunctionAnswer(
            RunResult(exit: 0, output: response, errors: []), isStrict: false)
        guard let answerJSON = answer.json else {
            return .leftOut("the answer is not valid JSON")
        }
        let live = LiveEvent(json)
        // 1. What it brings along is named, before anything is written.
        let obstacle = EventSecrets(shapes: shapes, now: clock.now(), status: answer.status)
            .note(live, &state)
        let (pattern, consumed) = state.concealed(EventRewriting.steadied(json))
        let people = state.people(of: consumed)
        // 2. What comes before it.
        let (before, names) = state.preconditions(consumed, people: people)
        var blocked: String?
        for index in before { blocked = blocked ?? state.entries[index].obstacle }
        state.entries.append(
            SessionEntry(
                function: function, event: pattern, status: answer.status,
                isReading: live.isReading,
                givesCredentials: AnswerSecrets.givesCredentials(answerJSON), consumed: consumed,
                people: people,
                obstacle: obstacle ?? blocked))
        let draft = FixtureDraft(
            event: pattern, consumed: consumed, before: before, names: names, contract: contract)
        let fixture = draft.fixture(
            response: AnswerSecrets(shapes: shapes).pattern(answerJSON, state, names), state)
        // 3. What it gives away is remembered for later events.
        if answer.isSuccess, let body = answer.body {
            AnswerSecrets.remember(body, entry: state.entries.count - 1, &state)
        }
        if let obstacle { return .leftOut(obstacle) }
        if let blocked {
            return .leftOut("it follows an event that cannot be repeated: \(blocked)")
        }
        guard answer.status < 500 else { return .leftOut("the function failed") }
        return name(fixture, function, live, answer, &state, isTaken)
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
        _ parts: FixtureDraft.Parts, _ function: String, _ live: LiveEvent,
        _ answer: FunctionAnswer,
        _ state: inout RecorderState, _ isTaken: (String) -> Bool
    ) -> Recording {
        let shape = [JSON.string(function), parts.event, parts.response].map(\.text)
            .joined(separator: "\n")
        if let same = state.recorded.first(where: { $0.shape.isSame(as: shape) }) {
            return .duplicate(of: same.name)
        }
        let hasStatus = answer.json?["statusCode"] != nil
        let ending = hasStatus ? String(answer.status) : answer.isSuccess ? "answered" : "refused"
        let stem = "\(live.stem)-\(ending)"
        var caseName = stem
        var number = 1
        func isUsed(_ name: String) -> Bool {
            isTaken(name) || state.recorded.contains { $0.name.isSame(as: name) }
        }
        while isUsed("\(function)/\(caseName)") {
            number += 1
            caseName = "\(stem)-\(number)"
        }
        let fixture = RecordedFixture(
            function: function, caseName: caseName, event: parts.event, response: parts.response,
            given: parts.given)
        state.recorded.append((shape, fixture.name))
        return .fixture(fixture)
    }
}
