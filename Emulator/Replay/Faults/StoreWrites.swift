internal import Bytes

/// The writes that a run has made in the store.
struct StoreWrites {
    private let settings: FixtureSettings
    private var places: Set<CallPlace> = []
    /// Whether more has changed than counters of requests.
    private(set) var haveChanged = false

    init(_ settings: FixtureSettings) { self.settings = settings }

    var count: Int { places.count }

    /// A write to a cache does not matter.
    static func matters(_ call: StoreCall, _ settings: FixtureSettings) -> Bool {
        call.isWrite && !call.concernsOnly(settings.cachedPartitions)
    }

    mutating func add(_ call: StoreCall, at place: CallPlace) {
        guard Self.matters(call, settings) else { return }
        places.insert(place)
        let isCounter = call.operation == "UpdateItem" && call.body.contains(text: "ADD ")
        if !isCounter || call.concernsOnly(settings.changingCounters) { haveChanged = true }
    }
}
