internal import Bytes
internal import FunctionRuntime
internal import HTTP
internal import JSON

extension FuzzTarget {
    private static let context = InvocationContext(requestID: "fuzz")

    /// A decoded event is within the limits of a request, whatever its form.
    static let events = FuzzTarget("events", inputBytesMax: 64 << 10, seeds: .events) {
        (input) throws(BrokenProperty) in
        guard let decoded = try? EventDecoder().decode(input, in: context) else { return }
        let request = decoded.request
        try checkLimits(of: request)
        switch request.form {
        case .direct, .schedule:
            try require(decoded.replyForm == .bare, "the form of the reply")
            try require(request.payload != nil, "a bare event without its payload")
        case .http:
            try require(request.payload == nil, "an HTTP request with a payload")
        }
        // The same event under a base path has the same fields.
        let prefixed = try? EventDecoder(basePath: "/v1").decode(input, in: context)
        try require(
            prefixed?.request.headers == request.headers && prefixed?.request.body == request.body,
            "the base path changes more than the path")
    }

    /// Forms and cookies: written values can be read again.
    static let forms = FuzzTarget("forms") { (input) throws(BrokenProperty) in
        guard let text = String(validating: input, as: UTF8.self) else { return }
        try checkForm(text)
        try checkCookies(text)
        let encoded = PercentEncoding.encode(text)
        let decoded = PercentEncoding.decode(encoded, plusIsSpace: true)
        try require(decoded?.isSame(as: text) == true, "an encoded text is not decoded to itself")
        let path = PercentEncoding.encodePath(text)
        let decodedPath = PercentEncoding.decode(path, plusIsSpace: false)
        try require(decodedPath?.isSame(as: text) == true, "an encoded path is not decoded")
    }

    private static func checkForm(_ text: String) throws(BrokenProperty) {
        guard let pairs = PercentEncoding.parseForm(text, pairsMax: 64) else { return }
        try require(pairs.count <= 64, "a form has more pairs than allowed")
        let written = PercentEncoding.form(pairs)
        let again = PercentEncoding.parseForm(written, pairsMax: 64)
        try require(again.map { areSame($0, pairs) } == true, "a written form differs when parsed")
    }

    /// Through an event, because cookies arrive in one.
    private static func checkCookies(_ text: String) throws(BrokenProperty) {
        let first = cookies(of: text)
        try require(first.count <= RequestLimits.cookiesMax, "too many cookies")
        for (name, value) in first {
            try require(
                !name.utf8.contains { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "=") }
                    && !value.utf8.contains(UInt8(ascii: ";")), "a separator within a cookie")
        }
        let written = first.map { "\($0.0)=\($0.1)" }.joined(separator: "; ")
        try require(areSame(cookies(of: written), first), "written cookies differ when parsed")
    }

    private static func cookies(of text: String) -> [(String, String)] {
        let event: JSON = [
            "version": "2.0", "rawPath": "/", "headers": ["cookie": .string(text)],
            "requestContext": ["http": ["method": "GET"]],
        ]
        let decoded = try? EventDecoder().decode(event.serialized, in: context)
        return (decoded?.request.cookies ?? []).map { ($0.name, $0.value) }
    }

    private static func areSame(_ left: [(String, String)], _ right: [(String, String)]) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy { $0.0.isSame(as: $1.0) && $0.1.isSame(as: $1.1) }
    }
}

func checkLimits(of request: Request) throws(BrokenProperty) {
    let names = request.headers.map { Array($0.name.utf8) }
    try require(Set(names).count == names.count, "a header occurs twice")
    try require(
        names.allSatisfy { !$0.contains { $0 &- 0x41 < 26 } }, "a header's name is in upper case")
    try require(request.headers.count <= RequestLimits.headersMax, "too many headers")
    try require(request.cookies.count <= RequestLimits.cookiesMax, "too many cookies")
    try require(request.query.count <= RequestLimits.queryParametersMax, "too many parameters")
    guard request.form == .http, request.defect == nil else { return }
    try require(request.path.utf8.first == UInt8(ascii: "/"), "a path without its slash")
    try require(
        !request.path.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a control character in a path")
}
