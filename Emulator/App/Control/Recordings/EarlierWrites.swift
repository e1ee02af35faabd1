internal import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorReplay
internal import JSON

/// The tables and buckets that an invocation used.
struct UsedPlaces {
    private struct Place: Hashable {
        let service: String
        let name: String
    }

    private var used: Set<Place> = []
    private var written: Set<Place> = []

    private static let writing: Set = [
        "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "PutObject",
        "CopyObject", "DeleteObject", "DeleteObjects", "CompleteMultipartUpload",
    ]

    /// - Parameter calls: the calls in the invocation's trace.
    init(_ calls: [RecordedCall]) {
        for call in calls where call.service == .dynamodb || call.service == .s3 {
            let places = Self.places(of: call)
            used.formUnion(places)
            guard case .answered(200..<300, _) = call.ending, Self.writing.contains(call.operation)
            else { continue }
            written.formUnion(places)
        }
    }

    /// The tables, or the bucket.
    private static func places(of call: RecordedCall) -> [Place] {
        let names =
            call.service == .s3
            ? [call.resource.halves(at: "/").0]
            : call.resource.split { $0 == "," || $0 == " " }.map(String.init)
        return names.filter { !$0.isEmpty }.map { Place(service: call.service.rawValue, name: $0) }
    }

    var hasWrites: Bool { !written.isEmpty }

    func areWritten(by other: UsedPlaces) -> Bool { !other.written.isDisjoint(with: used) }
}

/// Earlier invocations that wrote to the tables and buckets of a recorded one: its answer may
/// depend on them.
enum EarlierWrites {
    private static let namedMax = 3

    /// - Parameters:
    ///   - writers: the names of requests that are not steps of the fixture.
    ///   - steps: the names of their steps, as far as known.
    /// - Returns: nil if there are none.
    static func note(
        on fixture: RecordedFixture, naming writers: [String], steps: [RecordedFixture.Step]
    ) -> String? {
        guard !writers.isEmpty else { return nil }
        let shown = writers.suffix(namedMax)
        let more = writers.count - shown.count
        return
            "The answer may depend on what earlier requests wrote to the same tables or buckets, "
            + "which are not steps of the fixture: "
            + (more > 1 ? "\(more) others, " : more == 1 ? "1 other, " : "")
            + shown.joined(separator: ", ") + ". A replay begins with empty ones: "
            + advice(fixture, steps.suffix(namedMax).map(\.json))
    }

    private static let hint = "; 'emulator record --steps' adds all that can be repeated"

    private static func advice(_ fixture: RecordedFixture, _ steps: [JSON]) -> String {
        guard !steps.isEmpty else { return "add a step to 'given' for each that is needed." }
        if fixture.given?["steps"] != nil {
            let list = steps.map(\.text).joined(separator: ", ")
            return "if it fails, add to the steps of 'given': \(list)" + hint
        }
        let given = "\"steps\": \(JSON.array(steps).text)"
        return
            (fixture.given == nil
            ? "if it fails, add to the fixture: \"given\": {\(given)}"
            : "if it fails, add to 'given': \(given)") + hint
    }

    /// `PUT /notes/first`, or the function of an event without a request.
    static func name(function: String, payload: [UInt8]) -> String {
        let event = try? JSON.parse(payload, limits: .event)
        let method =
            event?["requestContext"]?["http"]?["method"]?.stringValue
            ?? event?["httpMethod"]?.stringValue
        let path = event?["rawPath"]?.stringValue ?? event?["path"]?.stringValue
        guard let method, let path else { return function }
        return "\(method) \(path)"
    }
}
