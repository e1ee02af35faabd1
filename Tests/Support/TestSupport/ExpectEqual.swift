package import Testing

/// Records an issue with both values if they differ.
///
/// In place of `#expect(actual == expected)`, of which there would be 8,000: the compiler expands
/// and checks each for 30 ms, and a call of a function for one.
package func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, _ comment: @autoclosure () -> Comment? = nil,
    fileID: String = #fileID, path: String = #filePath, line: Int = #line, column: Int = #column
) {
    if actual == expected { return }
    let values = "\(String(reflecting: actual)) is not \(String(reflecting: expected))"
    Issue.record(
        Comment(rawValue: comment().map { "\(values): \($0)" } ?? values),
        sourceLocation: SourceLocation(
            fileID: fileID, filePath: path, line: line, column: column))
}
