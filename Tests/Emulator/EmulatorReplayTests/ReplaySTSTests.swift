import EmulatorReplay
import Foundation
import TestSupport

/// The responses that a function gets at `<sts>`.
@Suite("ReplaySTS") struct ReplaySTSTests {
    /// Sends an unsigned call, and answers with the status and the error code.
    private static let caller = """
        #!/usr/bin/python3 -IS
        import json, os, re, urllib.error, urllib.request
        form = b"Action=AssumeRole&Version=2011-06-15"
        try:
            answer = urllib.request.urlopen(os.environ["STS"], form, timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        code = re.search("<Code>(.*)</Code>", answer.read().decode())
        print(json.dumps({"status": answer.status, "code": code and code[1]}))
        """

    @Test(arguments: [
        // Nothing is granted without a signature.
        ("granted", 403, "MissingAuthenticationToken"), ("AccessDenied", 403, "AccessDenied"),
        ("PackedPolicyTooLarge", 400, "PackedPolicyTooLarge"),
        ("ExpiredToken", 403, "ExpiredToken"),
        ("InvalidIdentityToken", 400, "InvalidIdentityToken"), ("broken", 500, "InternalFailure"),
        ("html", 200, nil),
    ])
    func `STS answers as the fixture says`(_ answer: String, _ status: Int, _ code: String?) throws
    {
        let bench = try FixtureWorkspace()
        try bench.install("f", Self.caller)
        try bench.write("{}", to: "Events/f/a.json")
        try bench.write(
            #"{"sts": {"answer": "\#(answer)", "asked": {"Action": "AssumeRole","#
                + #""Version": "2011-06-15", "signed": false}}, "environment": {"STS": "<sts>"}}"#,
            to: "Events/f/a.given.json")
        try bench.write(
            #"{"status": \#(status), "code": \#(code.map { "\"\($0)\"" } ?? "null")}"#,
            to: "Events/f/a.response.json")
        expectEqual(bench.replay(), 0, "\(bench.text)")
    }

    @Test(arguments: [
        (
            #"{"answer": "perhaps"}"#,
            "sts.answer: perhaps is unknown: expected one of granted, AccessDenied"
        ),
        (#"{"answer": "granted", "issuer": {"name": "x"}}"#, "sts.issuer.function is not a string"),
        (
            #"{"answer": "granted", "issuer": {"name": "x", "function": "f", "request": "GET"}}"#,
            "sts.issuer.request: expected METHOD PATH"
        ),
        (
            #"{"answer": "granted", "issuer": {"name": "x", "function": "f", "request": "GET /"}}"#,
            "sts.issuer: no keys in {\"a\":1}"
        ),
    ])
    func `an invalid description of STS is reported`(_ sts: String, _ reason: String) throws {
        let bench = try FixtureWorkspace()
        try bench.install("f", "#!/bin/sh\necho '{\"a\":1}'\n")
        try bench.write("{}", to: "Events/f/a.json")
        try bench.write(#"{"sts": \#(sts)}"#, to: "Events/f/a.given.json")
        expectEqual(bench.replay(), 1)
        #expect(bench.text.contains(reason), "\(bench.text)")
    }
}
