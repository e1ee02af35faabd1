/// The names of one object so far. A few are compared one by one; beyond that they are hashed,
/// because comparing each of the 8,000 names that fit in 64 KiB with all others would allow a
/// denial of service.
struct SeenNames {
    static let comparedMax = 12
    private var hashed: Set<[UInt8]> = []

    /// False if the name is already present.
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
