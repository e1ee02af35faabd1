internal import EmulatorBase
internal import EmulatorFaults
internal import EmulatorFunctions
internal import EmulatorTraces
internal import JSON

/// What earlier invocations wrote to the tables and buckets of an invocation: its answer may depend
/// on it.
struct EarlierWrites {
    private struct Place: Hashable {
        let service: String
        let name: String
    }

    /// By trace, the places that were used, and those that were written.
    private var used: [TraceID: Set<Place>] = [:]
    private var written: [TraceID: Set<Place>] = [:]

    private static let writing: Set = [
        "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "PutObject",
        "CopyObject", "DeleteObject", "DeleteObjects", "CompleteMultipartUpload",
    ]
    private static let namedMax = 3

    init(_ calls: [RecordedCall]) {
        for call in calls where call.service == .dynamodb || call.service == .s3 {
            let places = Self.places(of: call)
            used[call.trace, default: []].formUnion(places)
            guard case .answered(200..<300, _) = call.ending, Self.writing.contains(call.operation)
            else { continue }
            written[call.trace, default: []].formUnion(places)
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

    /// Names those of the other invocations that wrote there; nil if there are none.
    func note(on invocation: InvocationRecord, others: [InvocationRecord]) -> String? {
        guard let places = TraceID(amazonHeader: invocation.traceID).flatMap({ used[$0] }) else {
            return nil
        }
        let writers = others.filter { other in
            TraceID(amazonHeader: other.traceID).flatMap { written[$0] }
                .map { !$0.isDisjoint(with: places) } ?? false
        }
        guard !writers.isEmpty else { return nil }
        let shown = writers.suffix(Self.namedMax).map(Self.name)
        let more = writers.count - shown.count
        return
            "The answer may depend on what earlier requests wrote to the same tables or buckets, "
            + "which are no steps of the fixture: " + (more > 0 ? "\(more) others, " : "")
            + shown.joined(separator: ", ") + ". A replay begins with empty ones: "
            + "add a step to 'given' for each that is needed."
    }

    /// `PUT /notes/first`, or the function of an event without a request.
    private static func name(_ invocation: InvocationRecord) -> String {
        let event = try? JSON.parse(invocation.payload, limits: .event)
        let method =
            event?["requestContext"]?["http"]?["method"]?.stringValue
            ?? event?["httpMethod"]?.stringValue
        let path = event?["rawPath"]?.stringValue ?? event?["path"]?.stringValue
        guard let method, let path else { return invocation.function }
        return "\(method) \(path)"
    }
}
