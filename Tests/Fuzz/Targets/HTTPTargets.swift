internal import Bytes
internal import EmulatorBase
internal import EmulatorGateway
internal import FunctionRuntime
internal import HTTP
internal import HTTPServer
internal import JSON
internal import Time

extension FuzzTarget {
    /// The requests of a connection do not depend on how its bytes are split, and each is the same
    /// after serialising and parsing it again.
    static let requests = FuzzTarget("requests") { (input) throws(BrokenProperty) in
        let whole = Conversation(input[...], pieceBytes: max(input.count, 1))
        let single = Conversation(input[...], pieceBytes: 1)
        try require(whole == single, "requests depend on how the bytes arrive")
        let pieceBytes = Int(input.first ?? 0) % 7 + 2
        let pieces = Conversation(input[...], pieceBytes: pieceBytes)
        try require(whole == pieces, "requests depend on how the bytes arrive")
        for request in whole.requests where !request.isBodyTooLarge {
            // Longer than the input: with blanks after colons, a host and a length.
            let again = Conversation(request.written[...], pieceBytes: 64, headBytesMax: 4096)
            try require(
                again.refusal == nil && again.requests.count == 1,
                "a written request is not read as one")
            guard let second = again.requests.first else { continue }
            try require(
                second.method == request.method && second.path == request.path
                    && second.query == request.query && second.body == request.body,
                "a written request differs when parsed")
        }
    }

    /// A request means the same to a function behind the emulator's gateway and to one that serves
    /// HTTP itself.
    static let gateway = FuzzTarget("gateway") { (input) throws(BrokenProperty) in
        for request in Conversation(input[...], pieceBytes: 4096).requests {
            guard !request.isBodyTooLarge, request.path.utf8.first == UInt8(ascii: "/") else {
                continue
            }
            try checkGateway(request)
        }
    }

    private static func checkGateway(_ received: ReceivedRequest) throws(BrokenProperty) {
        let target = received.query.isEmpty ? received.path : "\(received.path)?\(received.query)"
        let sent = ServerRequest(
            method: received.method, target: target, headers: received.headers,
            body: received.body)
        let event = HTTPAPIEvent.example.event(
            sent, route: "$default", at: Instant(seconds: 1_700_000_000))
        guard let event else { return }
        let context = InvocationContext(requestID: "fuzz")
        let decoded = try? EventDecoder().decode(event.serialized, in: context)
        guard let behind = decoded?.request else {
            throw BrokenProperty("an event of the gateway cannot be decoded")
        }
        try checkLimits(of: behind)
        let direct = ServedRequest.decode(received, basePath: "", requestID: "fuzz")
        try checkLimits(of: direct)
        guard behind.defect == nil, direct.defect == nil else { return }
        try require(
            behind.method.isSame(as: direct.method) || received.method.isSame(as: "HEAD")
                || !received.method.isSame(as: behind.method), "the method differs")
        try require(behind.body == direct.body, "the body differs")
        try require(
            behind.query.map(\.name) == direct.query.map(\.name)
                && behind.query.map(\.value) == direct.query.map(\.value), "the query differs")
        // API Gateway decodes a path once, and `EventDecoder` decodes the result again: a path with
        // an escaped percent sign is the one exception.
        if !received.path.utf8.contains(UInt8(ascii: "%")) {
            try require(behind.path.isSame(as: direct.path), "the path differs")
        }
    }
}

/// The result of parsing the bytes of a connection.
private struct Conversation: Equatable {
    private(set) var requests: [ReceivedRequest] = []
    private(set) var refusal: RequestRefusal?

    /// The limits are small, so that inputs reach them.
    init(_ bytes: ArraySlice<UInt8>, pieceBytes: Int, headBytesMax: Int = 1024) {
        var limits = RequestParser.Limits()
        limits.targetBytesMax = 256
        limits.headBytesMax = headBytesMax
        limits.bodyBytesMax = 1024
        var parser = RequestParser(limits)
        var rest = bytes
        while !rest.isEmpty, refusal == nil {
            parser.receive(Array(rest.prefix(pieceBytes)))
            rest = rest.dropFirst(pieceBytes)
            takeRequests(of: &parser)
        }
    }

    private mutating func takeRequests(of parser: inout RequestParser) {
        do throws(RequestRefusal) {
            while true {
                switch try parser.next() {
                case .needsInput, .expectsContinue: return
                case .request(let request): requests.append(request)
                }
            }
        } catch {
            refusal = error
        }
    }
}

extension ReceivedRequest {
    /// As a client would send it.
    fileprivate var written: [UInt8] {
        let target = query.isEmpty ? path : "\(path)?\(query)"
        var head = "\(method) \(target.isEmpty ? "/" : target) HTTP/1.1\r\n"
        let framing = ["content-length", "transfer-encoding", "expect"]
        for header in headers
        where !framing.contains(where: { $0.isSame(as: header.name.asciiLowercased) }) {
            head += "\(header.name): \(header.value)\r\n"
        }
        if !headers.contains(where: { $0.name.asciiLowercased.isSame(as: "host") }) {
            head += "Host: a\r\n"
        }
        return Array("\(head)Content-Length: \(body.count)\r\n\r\n".utf8) + body
    }
}
