import EmulatorDebugging
import TestSupport

/// The values by which requests of different programs are linked.
@Suite("Marks of requests") struct TraceMarkTests {
    private static let token = "eyJhbGciOiJFUzI1NiJ9.e30.c2ln"

    private func marks(_ add: (inout TraceMarks) -> Void) -> [Int] {
        var marks = TraceMarks()
        add(&marks)
        return marks.values
    }

    private static func bytes(_ text: String) -> ArraySlice<UInt8> { Array(text.utf8)[...] }

    private var expected: [Int] { marks { $0.add(Self.bytes(Self.token)) } }

    @Test(arguments: [
        #"{"provider":"apple","idToken":"\#(token)"}"#,
        #"{ "id_token" : "\#(token)", "expires_in": 3600 }"#,
        #"{"user":{"id":"x"},"refreshToken":"\#(token)"}"#,
        "grant_type=authorization_code&code=\(token)",
        "id_token_hint=\(token)&client_id=printer",
        #"{"request_uri":"urn:ietf:params:oauth:request_uri:\#(token)","expires_in":60}"#,
        "client_id=printer&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A\(token)",
        #"<form><input type="hidden" name="id_token" value="\#(token)"></form>"#,
    ])
    func `marks are found in JSON, forms and pages`(body: String) {
        expectEqual(marks { $0.add(body: Array(body.utf8)) }, expected)
    }

    @Test(arguments: [
        #"{"user_code":"BCDF-GHJK"}"#, "form=x&user_code=bcdf+ghjk",
        #"<form><input type="hidden" name="request" value="BCDFGHJK"></form>"#,
    ])
    func `every spelling of a device code gives the same mark`(body: String) {
        expectEqual(
            marks { $0.add(body: Array(body.utf8)) }, marks { $0.add(Self.bytes("BCDFGHJK")) })
    }

    @Test(arguments: [
        #"{"email":"\#(token)"}"#, #"{"idToken":"short"}"#, #"{"idToken":7,"a":"\#(token)"}"#,
        #"{"idToken""#, "", "\"", "code", "code=", #"["\#(token)"]"#,
    ])
    func `other values are not marks`(body: String) {
        expectEqual(marks { $0.add(body: Array(body.utf8)) }, [])
    }

    @Test func `marks are unique and limited`() {
        let many = (0..<100).map { "code=0123456789abcdef\($0)" }.joined(separator: "&")
        expectEqual(marks { $0.add(form: Self.bytes(many)) }.count, 16)
        let twice = Self.bytes("code=\(Self.token)&state=\(Self.token)")
        expectEqual(marks { $0.add(form: twice) }.count, 1)
    }
}
