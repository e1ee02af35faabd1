/// A queue in which owners take turns: each turn removes the oldest element of the next owner. So
/// an owner with many elements delays the others by only one element in each round.
struct TurnQueue<Element> {
    private var waiting: [String: [Element]] = [:]
    /// The owners of elements, in the order of their turns.
    private var owners: [String] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    /// The number of turns before the turn of a new element.
    func turnsBefore(next owner: String) -> Int {
        let own = waiting[owner]?.count ?? 0
        return waiting.reduce(0) { turns, other in
            turns + (other.key == owner ? own : min(other.value.count, own + 1))
        }
    }

    mutating func append(_ element: Element, of owner: String) {
        if waiting[owner] == nil { owners.append(owner) }
        waiting[owner, default: []].append(element)
        count += 1
    }

    var first: Element? { owners.first.flatMap { waiting[$0]?.first } }

    mutating func removeFirst() -> Element? {
        guard let owner = owners.first, var own = waiting[owner], !own.isEmpty else { return nil }
        owners.removeFirst()
        let element = own.removeFirst()
        count -= 1
        if own.isEmpty {
            waiting[owner] = nil
        } else {
            waiting[owner] = own
            owners.append(owner)
        }
        return element
    }

    /// Removes the matching elements of an owner.
    mutating func remove(of owner: String, where matches: (Element) -> Bool) {
        guard var own = waiting[owner] else { return }
        let before = own.count
        own.removeAll(where: matches)
        count -= before - own.count
        waiting[owner] = own.isEmpty ? nil : own
        if own.isEmpty { owners.removeAll { $0 == owner } }
    }
}
