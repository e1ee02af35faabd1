internal import Bytes

/// The writes that a run has made in the store.
struct StoreWrites {
    private var places: Set<CallPlace> = []
    private var counters: Set<CallPlace> = []

    var count: Int { places.count }

    /// Whether more than counters has changed.
    var haveChanged: Bool { places.count > counters.count }

    mutating func add(_ call: StoreCall, at place: CallPlace) {
        guard call.isWrite else { return }
        places.insert(place)
        if call.operation == "UpdateItem", call.body.contains(text: "ADD ") {
            counters.insert(place)
        }
    }
}
