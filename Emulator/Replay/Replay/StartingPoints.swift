internal import EmulatorBase
internal import Synchronization
internal import Time

/// The state after a fixture that is the first step of others. It is produced once, and then
/// copied.
final class StartingPoint: Sendable {
    let answer: FunctionAnswer
    let directory: TemporaryDirectory
    let table: String
    fileprivate let minute: Int64
    private let tables: (any ReplayTables)?

    init(
        _ answer: FunctionAnswer, in directory: TemporaryDirectory, table: String,
        of tables: (any ReplayTables)?, at time: Instant
    ) {
        self.answer = answer
        self.directory = directory
        self.table = table
        self.tables = tables
        minute = StartingPoints.minute(of: time)
    }

    deinit { tables?.delete(table) }
}

final class StartingPoints: Sendable {
    struct Key: Hashable, Sendable {
        let fixture: String
        let clock: Int64?
        /// Whether the functions use the tables of the replay.
        let isInTables: Bool
    }

    private final class Place: Sendable {
        let point = Mutex<StartingPoint?>(nil)
    }

    private let places = Mutex<[Key: Place]>([:])

    /// The state must have been made in the same minute, because rate limits count by the minute.
    func point(
        _ key: Key, at time: Instant, make: () throws(FixtureFailure) -> StartingPoint
    ) throws(FixtureFailure) -> StartingPoint {
        let place = places.withLock { places in
            let place = places[key] ?? Place()
            places[key] = place
            return place
        }
        return try place.point.withLock { point throws(FixtureFailure) in
            if let made = point, made.minute == Self.minute(of: time) { return made }
            let made = try make()
            point = made
            return made
        }
    }

    func removeAll() { places.withLock { $0 = [:] } }

    fileprivate static func minute(of time: Instant) -> Int64 { time.seconds / 60 }
}

extension Files {
    /// Copies the contents of a directory with their permissions; existing files are kept.
    static func copy(contentsOf source: String, to target: String) throws(FileFailure) {
        for name in entries(source) {
            let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
            if isDirectory(from) {
                try makeDirectory(to)
                try copy(contentsOf: from, to: to)
            } else if isRegular(from), !exists(to) {
                let bytes = try read(from, bytesMax: 64 << 20)
                try write(bytes, to: to, mode: try mode(of: from))
            }
        }
    }
}
