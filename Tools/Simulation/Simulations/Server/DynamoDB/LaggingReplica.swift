import AuthTestSupport
import EmulatorDynamoDB

/// A copy of the table that receives changes late, and answers reads without the consistent option.
final class LaggingReplica {
    enum Change {
        case request(DynamoDBRequest)
        case removal(at: Instant, rowsMax: Int)
    }

    private var changes: [(at: Instant, change: Change)] = []
    /// The number of changes that have been applied.
    private var present = 0
    private let service: DynamoDBService
    private let context: SimulationContext

    /// "Usually within one second or less" (DynamoDB's developer guide, "Read consistency").
    private static let lagMax = Span.seconds(1)

    init(_ context: SimulationContext, seed: UInt64) throws {
        self.context = context
        service = try DynamoDBService(
            .memory, clock: context.scheduler.clock.wall, random: .seeded(seed ^ 0xD4))
    }

    func add(_ change: Change) { changes.append((context.scheduler.clock.now, change)) }

    /// - Returns: nil if the copy does not differ from the table.
    func answer(_ read: DynamoDBRequest) -> DynamoDBResponse? {
        let oldest = context.scheduler.clock.now - Self.lagMax
        guard let last = changes.last, last.at > oldest else { return nil }
        let old = changes.lastIndex { $0.at <= oldest }.map { $0 + 1 } ?? 0
        let certain = max(present, old)
        let end = certain + context.scheduler.draw(below: changes.count - certain + 1)
        for (_, change) in changes[present..<max(present, end)] { make(change) }
        present = max(present, end)
        return service.answer(read)
    }

    private func make(_ change: Change) {
        switch change {
        case .request(let request): _ = service.answer(request)
        case .removal(let now, let count): _ = try? service.expireNow(at: now, itemsMax: count)
        }
    }
}
