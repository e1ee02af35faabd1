import EmulatorDebugging
import TestSupport

@Suite("Trace IDs") struct TraceIDTests {
    private static let text = "1-67a5f0e1-0123456789abcdef01234567"

    @Test(arguments: [
        "Root=\(text)", "Root=\(text);Parent=53995c3f42cd8ad8;Sampled=1",
        "Self=1-67a5f0e1-aaaaaaaaaaaaaaaaaaaaaaaa;Root=\(text)",
        "Root=1-67A5F0E1-0123456789ABCDEF01234567",
    ])
    func `the trace ID is the root of AWS's header`(header: String) {
        expectEqual(TraceID(amazonHeader: header)?.description, Self.text)
    }

    @Test func `a traceparent gives the same trace ID`() {
        let parent = "00-67a5f0e10123456789abcdef01234567-b7ad6b7169203331-01"
        expectEqual(TraceID(traceparent: parent), TraceID(Self.text))
    }

    @Test(arguments: [
        "", "Root=", "Root=1-67a5f0e1-0123456789abcdef0123456",
        "Root=2-67a5f0e1-0123456789abcdef01234567",
        "Root=1-67a5f0e1-0123456789abcdef0123456g", "Parent=53995c3f42cd8ad8",
    ])
    func `any other text is not a trace ID`(header: String) {
        expectEqual(TraceID(amazonHeader: header), nil)
        expectEqual(TraceID(traceparent: header), nil)
    }
}
