/// The names of one object so far. A few are compared one by one; from then on they are hashed,
/// because comparing each of 8,000 with all others is an attack that fits in 64 KiB.
struct SeenNames {
    static let comparedMax = 12
    private var hashed: Set<[UInt8]> = []

    /// False if the name is among the members already.
    mutating func insert(_ name: String, among members: [(name: String, value: JSON)]) -> Bool {
        guard members.count >= Self.comparedMax else {
            for index in members.indices where members[index].name.hasSameBytes(as: name) {
                return false
            }
            return true
        }
        if hashed.isEmpty { hashed = Set(members.map { Array($0.name.utf8) }) }
        return hashed.insert(Array(name.utf8)).inserted
    }
}
