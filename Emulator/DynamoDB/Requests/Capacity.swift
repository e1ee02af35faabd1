internal import Bytes
internal import JSON

enum CapacityDetail: String {
    case none = "NONE"
    case total = "TOTAL"
    case indexes = "INDEXES"
}

/// The consumed capacity of a request, by table and index.
struct Capacity {
    let tableName: String
    private var table = 0.0
    private var indexes: [(name: String, isLocal: Bool, units: Double)] = []

    init(_ tableName: String) { self.tableName = tableName }

    mutating func read(
        _ bytes: Int, from index: IndexDefinition? = nil, isConsistent: Bool,
        isTransaction: Bool = false
    ) {
        let blocks = Double(max(1, (bytes + 4095) / 4096))
        let units = isTransaction ? blocks * 2 : isConsistent ? blocks : blocks / 2
        if let index { add(units, to: index) } else { table += units }
    }

    /// Counts a write to the table and to each index that contains the old or the new item.
    mutating func write(
        _ old: AttributeMap?, _ new: AttributeMap?, in table: TableDefinition,
        isTransaction: Bool = false
    ) {
        let bytes = max(old.map(ItemSize.of) ?? 0, new.map(ItemSize.of) ?? 0)
        let units = Double(max(1, (bytes + 1023) / 1024)) * (isTransaction ? 2 : 1)
        self.table += units
        for index in table.indexes {
            let rows = [old, new].compactMap { $0.flatMap(index.schema.row(of:)) }
            // A row with a changed key is deleted and inserted.
            if !rows.isEmpty { add(units * Double(Set(rows).count), to: index) }
        }
    }

    private mutating func add(_ units: Double, to index: IndexDefinition) {
        if let place = indexes.firstIndex(where: { $0.name.isSame(as: index.name) }) {
            indexes[place].units += units
        } else {
            indexes.append((index.name, index.isLocal, units))
        }
    }

    /// The units of the table and all indexes.
    var units: Double { indexes.reduce(table) { $0 + $1.units } }

    func json(_ detail: CapacityDetail) -> JSON? {
        var members: [(String, JSON)] = [
            ("TableName", .string(tableName)), ("CapacityUnits", Self.number(units)),
        ]
        switch detail {
        case .none: return nil
        case .total: return .object(JSONObject(members))
        case .indexes:
            members.append(("Table", Self.units(table)))
            for (name, isLocal) in [
                ("LocalSecondaryIndexes", true), ("GlobalSecondaryIndexes", false),
            ] {
                let units = indexes.filter { $0.isLocal == isLocal }
                    .map { ($0.name, Self.units($0.units)) }
                if !units.isEmpty { members.append((name, .object(JSONObject(units)))) }
            }
            return .object(JSONObject(members))
        }
    }

    private static func units(_ units: Double) -> JSON { ["CapacityUnits": number(units)] }

    private static func number(_ units: Double) -> JSON {
        // Units are multiples of 0.5, so Swift's text is valid JSON.
        .number(JSONNumber(literal: units.description) ?? JSONNumber(0))
    }
}
