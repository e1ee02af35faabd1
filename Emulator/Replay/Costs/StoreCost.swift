/// The store calls of one run of a function.
package struct StoreCost: Equatable, Sendable {
    /// The number of trips until the function has answered. Calls at the same time are one trip.
    var trips = 0
    /// The number of trips after the answer.
    var tripsAfterAnswer = 0
    var readUnits = 0.0
    var writeUnits = 0.0

    /// The last cells of a row: `2 + 1 | 3 | 2.5`.
    var cells: [String] {
        [
            tripsAfterAnswer == 0 ? "\(trips)" : "\(trips) + \(tripsAfterAnswer)",
            Self.text(readUnits), Self.text(writeUnits),
        ]
    }

    /// Units are multiples of 0.5.
    private static func text(_ units: Double) -> String {
        units == units.rounded() ? "\(Int(units))" : "\(units)"
    }
}
