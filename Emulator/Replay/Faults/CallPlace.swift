/// A call of a request by its place: the second `PutItem`. A repetition of the same call by the
/// client has the same place.
struct CallPlace: Hashable, CustomStringConvertible {
    let operation: String
    /// The number, which begins at 1.
    let number: Int

    var description: String { "\(operation) \(number)" }
}

/// Numbers the calls of each operation in the order of their arrival.
struct CallPlaces {
    private var seen: [String: [[UInt8]]] = [:]

    /// - Returns: also the number of times that the call has arrived, from 1.
    mutating func place(of call: StoreCall) -> CallPlace {
        var bodies = seen[call.operation] ?? []
        let index = bodies.firstIndex(of: call.body) ?? bodies.count
        if index == bodies.count { bodies.append(call.body) }
        seen[call.operation] = bodies
        return CallPlace(operation: call.operation, number: index + 1)
    }
}
