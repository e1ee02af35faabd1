import TestSupport

/// W3C Trace Context section 3.2, and the tracing header of AWS X-Ray.
@Suite("Trace context") struct TraceContextTests {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let span = "b7ad6b7169203331"

    @Test func `a traceparent is passed on unchanged, in both forms`() throws {
        let context = try #require(TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-01"))
        expectEqual(context.id, Self.trace)
        expectEqual(context.traceparent, "00-\(Self.trace)-\(Self.span)-01")
        expectEqual(
            context.amazonHeader,
            "Root=1-0af76519-16cd43dd8448eb211c80319c;Parent=\(Self.span);Sampled=1")
        let unsampled = TraceContext(traceparent: "00-\(Self.trace)-\(Self.span)-02")
        expectEqual(unsampled?.traceparent.hasSuffix("-00"), true)
        expectEqual(unsampled?.amazonHeader.hasSuffix("Sampled=0"), true)
    }

    @Test func `the known parts of a later version are read`() {
        let context = TraceContext(traceparent: "cc-\(Self.trace)-\(Self.span)-01-what-follows")
        expectEqual(context?.traceparent, "00-\(Self.trace)-\(Self.span)-01")
    }

    @Test(arguments: [
        "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01",
        "0-\(trace)-\(span)-01", "00-\(trace.uppercased())-\(span)-01",
        "00-\(trace.dropLast())-\(span)-01", "00-\(trace)0-\(span)-01",
        "00-\(String(repeating: "0", count: 32))-\(span)-01",
        "00-\(trace)-\(String(repeating: "0", count: 16))-01", "00-\(trace)-\(span)-1",
        "00-\(trace)-\(span)-0g", " 00-\(trace)-\(span)-01", "00-\(trace)-\(span)-01 ",
        "00_\(trace)_\(span)_01",
    ])
    func `anything else is not a traceparent`(text: String) {
        expectEqual(TraceContext(traceparent: text), nil)
    }

    @Test func `a trace header of Lambda is passed on unchanged`() throws {
        let text =
            "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;"
            + "Lineage=1:a87bd80c:0"
        let context = try #require(TraceContext(amazonHeader: text))
        expectEqual(context.id, "1-5759e988-bd862e3fe1be46a994272793")
        expectEqual(context.amazonHeader, text)
        expectEqual(context.traceparent, "00-5759e988bd862e3fe1be46a994272793-53995c3f42cd8ad8-01")
    }

    @Test func `a header of a load balancer has only a root`() throws {
        let context = try #require(
            TraceContext(
                amazonHeader: "Self=1-67891234-12456789abcdef012345678;"
                    + " Root=1-67891233-abcdef012345678912345678"))
        expectEqual(context.id, "1-67891233-abcdef012345678912345678")
        #expect(TraceContext(traceparent: context.traceparent) != nil)
    }

    @Test(arguments: [
        "", "Root", "Root=", "Parent=53995c3f42cd8ad8", "Root=2-5759e988-bd862e3fe1be46a994272793",
        "Root=1-5759e988-bd862e3fe1be46a99427279", "Root=1-5759E988-bd862e3fe1be46a994272793",
        "Root=1-00000000-000000000000000000000000",
        "Root=1-5759e988-bd862e3fe1be46a994272793;X=\u{E9}",
        "Root=1-5759e988-bd862e3fe1be46a994272793;X=a\r\nb",
        "Root=1-5759e988-bd862e3fe1be46a994272793;X=" + String(repeating: "a", count: 1024),
    ])
    func `anything else is not a header of AWS`(text: String) {
        expectEqual(TraceContext(amazonHeader: text), nil)
    }
}
