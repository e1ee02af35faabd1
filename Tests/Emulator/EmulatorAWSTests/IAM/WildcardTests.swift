import BaseTestSupport
import EmulatorAWS

@Suite struct WildcardTests {
    private func resource(_ pattern: String, _ text: String) throws -> Bool {
        let policy = try policy(
            #""Effect":"Allow","Action":"*","Resource":"arn:aws:s3:::\#(pattern)""#)
        return decide(policy, "s3:GetObject", "arn:aws:s3:::\(text)") == .allowed
    }

    @Test(arguments: [
        ("b/*", "b/k", true), ("b/*", "b/", true), ("b/*", "b", false), ("b/*", "c/k", false),
        ("b/u1/*", "b/u1/../u2/k", true), ("b/u1/*", "b/u10/k", false), ("b/u1*", "b/u10/k", true),
        ("b/?", "b/k", true), ("b/?", "b/", false), ("b/?", "b/kk", false), ("b/?", "b/é", true),
        ("b/??", "b/é", false), ("*", "anything/at/all", true), ("b/*/c", "b//c", true),
        ("b/*/c", "b/x/y/c", true), ("b/*/c", "b/c", false), ("b/*a*b*", "b/aab", true),
        ("b/*a*b*", "b/bba", false), ("b/K", "b/k", false), ("b/k", "b/\u{212A}", false),
        ("", "", true), ("**", "", true), ("b/***k", "b/k", true),
    ])
    func `a resource must match the whole pattern`(
        pattern: String, text: String, expected: Bool
    ) throws {
        try expectEqual(resource(pattern, text), expected)
    }

    @Test(arguments: [
        ("s3:GetObject", "s3:GetObject", true), ("S3:getobject", "s3:GetObject", true),
        ("s3:Get*", "s3:GetObjectAcl", true), ("s3:Get*", "s3:PutObject", false),
        ("s3:?etObject", "s3:GetObject", true), ("*", "sts:AssumeRole", true),
        ("s3:*", "sts:AssumeRole", false), ("s3*:GetObject", "s3express:GetObject", true),
        ("s3:GetObject", "s3:GetObjectAcl", false),
    ])
    func `actions match without regard to case`(
        pattern: String, action: String, expected: Bool
    ) throws {
        let policy = try policy(#""Effect":"Allow","Action":"\#(pattern)","Resource":"*""#)
        expectEqual(decide(policy, action) == .allowed, expected)
    }

    @Test func `many wildcards take quadratic, not exponential time`() throws {
        let pattern = String(repeating: "a*", count: 300) + "b"
        #expect(try !resource(pattern, String(repeating: "a", count: 5000)))
    }
}
