/// The refreshes under way, one for each revision, and the calls that wait for them.
struct Flights {
    struct Flight {
        let number: Int
        /// In the order of the calls.
        var waiters: [Int] = []
    }

    private var flights: [Revision: Flight] = [:]
    private var count = 0

    /// - Returns: the number of the flight if it has to begin.
    mutating func join(_ spent: Revision, _ waiter: Int) -> Int? {
        let isNew = flights[spent] == nil
        if isNew {
            count += 1
            flights[spent] = Flight(number: count)
        }
        flights[spent]?.waiters.append(waiter)
        return isNew ? count : nil
    }

    /// - Returns: whether the call was waiting.
    mutating func leave(_ spent: Revision, _ waiter: Int) -> Bool {
        guard let index = flights[spent]?.waiters.firstIndex(of: waiter) else { return false }
        flights[spent]?.waiters.remove(at: index)
        return true
    }

    /// - Returns: the calls that waited for this flight.
    mutating func remove(_ spent: Revision, _ number: Int) -> [Int] {
        guard flights[spent]?.number == number else { return [] }
        return flights.removeValue(forKey: spent)?.waiters ?? []
    }

    mutating func removeAll() -> [Flight] {
        defer { flights = [:] }
        return flights.values.sorted { $0.number < $1.number }
    }
}
