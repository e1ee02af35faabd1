import EmulatorDebugging
import TestSupport

/// The reason of a refused call, from the service's own response.
@Suite("Reasons of calls") struct CallReasonTests {
    private func reason(_ detail: String) -> String? {
        Calls.call(.route, ending: .answered(status: 400, detail: Array(detail.utf8))).reason
    }

    @Test(arguments: [
        (
            #"{"__type":"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException","#
                + #""message":"The conditional request failed"}"#,
            "ConditionalCheckFailedException: The conditional request failed"
        ),
        (
            #"{"error":{"code":"AUTH_FAILED","message":"The token is invalid."}}"#,
            "AUTH_FAILED: The token is invalid."
        ),
        (
            #"{"error":"invalid_grant","error_description":"reused"}"#, "invalid_grant: reused"
        ),
        (#"{"message":"Unauthorized"}"#, "Unauthorized"),
        (
            #"{"errorType":"Runtime.ExitError","errorMessage":"status 7"}"#,
            "Runtime.ExitError: status 7"
        ),
        (
            "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>Gone.</Message></Error>",
            "NoSuchKey: Gone."
        ),
        ("error=access_denied", "error=access_denied"),
    ])
    func `code and message are extracted`(detail: String, text: String) {
        expectEqual(reason(detail), text)
    }

    @Test func `an unreadable detail has no reason`() {
        expectEqual(reason(""), nil)
        expectEqual(reason("{}"), nil)
        expectEqual(reason("<html></html>"), nil)
    }

    @Test func `the reason is truncated`() {
        expectEqual(reason(String(repeating: "x", count: 2000))?.count, 301)
    }
}
