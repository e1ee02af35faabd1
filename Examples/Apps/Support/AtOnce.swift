/// Makes the same call from several callers at the same time, and returns the distinct results.
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
