/// The distinct answers of one call to any number of callers at the same time.
package func atOnce(
    _ count: Int, _ work: @escaping @Sendable () async throws -> String
) async throws -> [String] {
    try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<count { group.addTask(operation: work) }
        var answers: Set<String> = []
        for try await answer in group { answers.insert(answer) }
        return answers.sorted()
    }
}
