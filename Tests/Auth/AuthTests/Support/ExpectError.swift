/// Records an issue if an operation succeeds, or throws another error.
///
/// Replaces `#expect(throws: AuthError…)`, like `expectEqual`.
func expectError<Result>(
    _ expected: AuthError, _ comment: @autoclosure () -> Comment? = nil,
    fileID: String = #fileID, path: String = #filePath, line: Int = #line, column: Int = #column,
    by operation: () throws -> Result
) {
    let outcome: String
    do {
        _ = try operation()
        outcome = "success"
    } catch {
        if error as? AuthError == expected { return }
        outcome = "\(error)"
    }
    let text = "\(outcome) instead of \(expected)"
    Issue.record(
        Comment(rawValue: comment().map { "\(text): \($0)" } ?? text),
        sourceLocation: SourceLocation(fileID: fileID, filePath: path, line: line, column: column))
}
