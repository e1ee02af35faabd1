import BaseTestSupport
import EmulatorAWS

/// A reference implementation: recursion over Unicode scalars.
private func matches(_ pattern: Substring.UnicodeScalarView, _ text: Substring.UnicodeScalarView)
    -> Bool
{
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == "*" {
        return matches(rest, text) || (!text.isEmpty && matches(pattern, text.dropFirst()))
    }
    guard let letter = text.first, first == "?" || first == letter else { return false }
    return matches(rest, text.dropFirst())
}

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

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `the matcher agrees with a reference implementation on random patterns`(seed: UInt64)
        throws
    {
        let random = RandomSource.seeded(seed)
        let letters: [Character] = ["a", "b", "é", "/"]
        func word(_ alphabet: [Character]) -> String {
            let length = Int(random.bytes(1)[0] % 9)
            return String(random.bytes(length).map { alphabet[Int($0) % alphabet.count] })
        }
        for _ in 0..<250 {
            let pattern = word(letters + ["*", "?", "*"])
            let text = word(letters)
            let expected = matches(pattern[...].unicodeScalars, text[...].unicodeScalars)
            try expectEqual(
                resource(pattern, text), expected, "\(pattern) on \(text), seed \(seed)")
        }
    }

    @Test func `many wildcards take quadratic, not exponential time`() throws {
        let pattern = String(repeating: "a*", count: 300) + "b"
        #expect(try !resource(pattern, String(repeating: "a", count: 5000)))
    }
}
