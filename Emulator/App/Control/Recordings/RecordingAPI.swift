internal import Bytes
internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorLambda
internal import EmulatorReplay
internal import HTTP
internal import HTTPClient
internal import JSON
internal import Time

/// A fixture of an invocation that has ended:
///
///     GET  /_emulator/recordings/{requestId}   its files, for a new folder; `last` is the newest
///     POST /_emulator/recordings/{requestId}   for a folder with these `shapes` of tokens
///     …?steps=all                              with steps for earlier writes to the same places
///     PUT  /_emulator/recordings/{requestId}   into the folder of `--events`
///     POST /_emulator/replays/{function}/{case}   replays one of that folder
package struct RecordingAPI: Sendable {
    package static let place = "recordings"
    static let replays = "replays"

    let services: EmulatorServices

    /// This runs on its own thread, because the recorder processes all earlier invocations.
    func handle(_ request: ServerRequest, _ path: [String], _ slot: ResponseSlot) {
        let isStarted = BackgroundThread.run { slot.respondAlways(answer(request, path)) }
        if !isStarted { slot.respondAlways(.error(503, "Too many requests in progress.")) }
    }

    private func answer(_ request: ServerRequest, _ path: [String]) -> ServerResponse {
        guard path.count == 2, ["GET", "POST", "PUT"].contains(request.method) else {
            return .error(404, "Not found: \(request.method) \(request.path)")
        }
        do throws(RecordingRefusal) {
            if request.method == "PUT" { return .json(try save(path[1])) }
            let settings =
                request.method == "POST" ? try Self.settings(request) : FixtureSettings()
            let addsSteps = request.query?.split(separator: "&").contains("steps=all") == true
            return .json(try recording(of: path[1], settings, addsSteps: addsSteps))
        } catch {
            return .error(error.status, error.message)
        }
    }

    /// This runs on its own thread, because it starts processes and waits for them.
    func replay(_ name: String, _ slot: ResponseSlot) {
        let isStarted = BackgroundThread.run {
            do throws(RecordingRefusal) {
                let trust = CertificateTrust { EnvironmentVariables.variable($0) }
                slot.respondAlways(
                    .json(
                        try folder().replay(
                            name, transport: CurlTransport(trust: trust).transport)))
            } catch {
                slot.respondAlways(.error(error.status, error.message))
            }
        }
        if !isStarted { slot.respondAlways(.error(503, "Too many requests in progress.")) }
    }

    private func folder() throws(RecordingRefusal) -> FixtureFolder {
        guard let path = services.options.events else {
            throw RecordingRefusal(
                status: 409, "Not possible: start the emulator with --events DIR.")
        }
        return FixtureFolder(path: path, options: services.options)
    }

    private func save(_ id: String) throws(RecordingRefusal) -> JSON {
        let folder = try folder()
        let settings: FixtureSettings
        do throws(FixtureFailure) {
            let files = try FixtureSettings.contractFiles(in: folder.path)
            settings = try FixtureSettings(contractFiles: .object(files))
        } catch {
            throw RecordingRefusal(status: 409, "Not saved: \(folder.path): \(error).")
        }
        let (_, recorded) = try recorded(id, settings)
        return try folder.add(FixtureText(recorded.fixture, settings), settings: settingsText)
    }

    private func recorded(
        _ id: String, _ settings: FixtureSettings
    ) throws(RecordingRefusal) -> (InvocationRecord, PastInvocations.Recorded) {
        let past = services.pastInvocations
        guard let invocation = past.find(id) else { throw missing(id, past.count) }
        let functions = RecordedFunctions(services.stack?.definitions ?? [])
        let recorder = Recorder(
            settings: settings, ownHosts: services.addresses.ownHosts, clock: .system)
        return (invocation, try past.record(invocation, functions, by: recorder))
    }

    private var settingsText: String {
        RecordingSettings(services.stack, services.addresses).text
    }

    private static func settings(
        _ request: ServerRequest
    ) throws(RecordingRefusal) -> FixtureSettings {
        guard let body = try? JSON.parse(request.body, limits: .event) else {
            throw RecordingRefusal(
                status: 400, #"Invalid body: expected {"shapes": {…}, "answers": {…}}."#)
        }
        do throws(FixtureFailure) {
            return try FixtureSettings(contractFiles: body)
        } catch {
            throw RecordingRefusal(status: 400, "Invalid body: \(error).")
        }
    }

    private func recording(
        of id: String, _ settings: FixtureSettings, addsSteps: Bool
    ) throws(RecordingRefusal) -> JSON {
        let (invocation, recorded) = try recorded(id, settings)
        let writers = writers(before: invocation, recorded)
        let steps = recorded.recorder.steps(
            of: recorded.fixture, repeating: writers.map(\.number))
        let fixture = addsSteps ? recorded.fixture.adding(steps) : recorded.fixture
        let past = services.pastInvocations
        var answer: JSONObject = [
            "requestId": .string(invocation.requestID),
            "function": .string(invocation.function), "name": .string(fixture.name),
        ]
        let notes = [
            past.gaps(before: invocation),
            Self.note(
                on: fixture, writers.filter { !fixture.steps.contains($0.number) },
                addsSteps ? [] : steps),
        ].compactMap(\.self)
        answer["replay"] = .array(services.options.replayArguments.map { .string($0) })
        let files =
            [(FixtureSettings.fileName, settingsText)]
            + [FixtureText(fixture, settings).file]
        answer["files"] = .array(
            files.map { ["name": .string($0.0), "content": .string($0.1)] })
        answer["steps"] = .number(Int64(fixture.given?["steps"]?.arrayValue?.count ?? 0))
        answer["notes"] = .array(notes.map { .string($0) })
        answer["events"] = services.options.events.map { .string($0) }
        return .object(answer)
    }

    private static func note(
        on fixture: RecordedFixture, _ writers: [InvocationRecord], _ steps: [RecordedFixture.Step]
    ) -> String? {
        EarlierWrites.note(
            on: fixture,
            naming: writers.map { EarlierWrites.name(function: $0.function, payload: $0.payload) },
            steps: steps)
    }

    /// The earlier invocations that are not recorded as steps, although they wrote to tables or
    /// buckets that this one used.
    private func writers(
        before invocation: InvocationRecord, _ recorded: PastInvocations.Recorded
    ) -> [InvocationRecord] {
        let calls = Dictionary(grouping: services.traces.calls, by: \.trace)
        func places(of record: InvocationRecord) -> UsedPlaces {
            UsedPlaces(TraceID(amazonHeader: record.traceID).flatMap { calls[$0] } ?? [])
        }
        let used = places(of: invocation)
        return recorded.others.filter { used.areWritten(by: places(of: $0)) }
    }

    private func missing(_ id: String, _ count: Int) -> RecordingRefusal {
        let call = services.traces.calls.last { $0.requestID?.isSame(as: id) == true }
        if case .notRun(let reason)? = call?.ending {
            return RecordingRefusal(
                status: 409, "Not recorded: the function did not run (\(reason)).")
        }
        let kept = "\(count) \(count == 1 ? "invocation is" : "invocations are") kept"
        return RecordingRefusal(
            status: 404,
            "Invocation not found: \(id). \(kept), at most \(FunctionLimits.recordsMax), "
                + "each from its end on: /_emulator/invocations.")
    }
}
