package import Testing

/// Records an issue with both values if they differ.
///
/// Instead of `#expect(actual == expected)`: the compiler needs 30 ms more to expand and check the
/// macro than for this call, and the tests have 8,000 of them.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    fileID: String = #fileID, path: String = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == expected { return }
    let values = "\(String(reflecting: actual)) is not \(String(reflecting: expected))"
    Issue.record(
        Comment(rawValue: comment().map { "\(values): \($0)" } ?? values),
        sourceLocation: SourceLocation(fileID: fileID, filePath: path, line: line, column: column))
}
