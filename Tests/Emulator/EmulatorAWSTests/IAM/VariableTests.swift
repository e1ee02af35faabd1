import EmulatorAWS
import TestSupport

@Suite struct VariableTests {
    private func resource(
        _ pattern: String, _ text: String, version: String = "2012-10-17",
        _ values: [(String, String)]
    ) throws -> Bool {
        let policy = try PolicyDocument(
            parsing: """
                {"Version":"\(version)","Statement":{"Effect":"Allow","Action":"s3:GetObject",
                "Resource":"arn:aws:s3:::\(pattern)"}}
                """, as: .identity)
        let decision = decide(policy, "s3:GetObject", "arn:aws:s3:::\(text)", by: .anonymous) {
            for (name, value) in values { $0.set(name, value) }
        }
        return decision == .allowed
    }

    @Test(arguments: [
        ("b/${aws:PrincipalTag/uid}/*", "b/u1/k", true),
        ("b/${aws:PrincipalTag/uid}/*", "b/u2/k", false),
        ("b/${aws:PrincipalTag/uid}/*", "b/u1", false),
        // Names are case-insensitive, values are not.
        ("b/${AWS:principaltag/UID}/*", "b/u1/k", true),
        ("b/${aws:PrincipalTag/uid}/*", "b/U1/k", false),
        ("b/${aws:userid}", "b/AROAX:s", true),
        ("b/${aws:nothing}/*", "b//k", false), ("b/${aws:nothing}", "b/${aws:nothing}", false),
        ("b/${aws:nothing, 'all'}/*", "b/all/k", true),
        ("b/${aws:PrincipalTag/uid, 'all'}/*", "b/u1/k", true),
        ("b/${aws:PrincipalTag/uid, 'all'}/*", "b/all/k", false),
        ("b/${aws:nothing, all}", "b/all", false),
        // The characters themselves.
        ("b/${*}", "b/*", true), ("b/${*}", "b/x", false), ("b/${?}", "b/?", true),
        ("b/${?}", "b/x", false), ("b/${$}{x}", "b/${x}", true),
        // A wildcard in a value is literal.
        ("b/${s3:prefix}", "b/*", true), ("b/${s3:prefix}", "b/u1", false),
        ("b/${s3:prefix}/x", "b/u1/x", false), ("b/${unclosed", "b/${unclosed", true),
    ])
    func `a variable is replaced by its value, literally`(
        pattern: String, text: String, expected: Bool
    ) throws {
        let values = [
            ("aws:PrincipalTag/uid", "u1"), ("aws:userid", "AROAX:s"), ("s3:prefix", "*"),
        ]
        try expectEqual(resource(pattern, text, values), expected)
    }

    @Test func `version 2008-10-17 has no variables`() throws {
        let values = [("aws:userid", "u1")]
        #expect(try !resource("b/${aws:userid}", "b/u1", version: "2008-10-17", values))
        #expect(try resource("b/${aws:userid}", "b/${aws:userid}", version: "2008-10-17", values))
    }

    @Test func `a condition key with several values cannot be a policy variable`() throws {
        let policy = try policy(
            #""Effect":"Allow","Action":"*","Resource":"arn:aws:s3:::b/${aws:TagKeys}""#)
        let decision = decide(policy, "s3:GetObject", "arn:aws:s3:::b/a", by: .anonymous) {
            $0.set("aws:TagKeys", all: ["a"])
        }
        expectEqual(decision, .notAllowed)
    }
}
