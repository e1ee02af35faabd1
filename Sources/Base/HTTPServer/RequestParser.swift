internal import Bytes

/// Reads the requests of one connection (RFC 9112). It is a state machine without input or output
/// of its own: it gets the bytes as they arrive, and returns complete requests.
///
/// It is strict. If lenient parsers differ from each other, a request can be smuggled past the
/// proxy in front (RFC 9112 section 11.2), so input that two servers could parse differently is
/// refused: a line that ends without CR, a folded line, a space before the colon, two lengths, a
/// length together with a transfer coding.
package struct RequestParser: Sendable {
    package struct Limits: Sendable {
        package var targetBytesMax = 16 << 10
        /// The limit for all fields, including the trailer section.
        package var headBytesMax = 64 << 10
        package var bodyBytesMax = 6 << 20

        package init() {}
    }

    package enum Step: Sendable, Equatable {
        case needsInput
        /// The client waits for `100 Continue` before it sends the body (RFC 9110 section 10.1.1).
        case expectsContinue
        case request(ReceivedRequest)
    }

    /// The part of a request that is being received: each has a time limit.
    package enum Phase: Sendable, Equatable { case idle, head, body }

    private enum State: Sendable {
        case requestLine, fields
        case body
        case chunkSize, chunk, chunkEnd, trailers
        /// The state after a request that closes the connection: the rest is ignored.
        case over
    }

    /// A chunk's size and extensions.
    private static let chunkLineBytesMax = 256

    private let limits: Limits
    private var state = State.requestLine
    private var head = RequestHead()
    private var body: [UInt8] = []
    /// The missing bytes of the body or the chunk.
    private var bytesLeft = 0
    private var headBytes = 0
    private var hasSkippedLine = false
    private var awaitsContinue = false
    private var buffer: [UInt8] = []
    /// The first byte that is not parsed.
    private var start = 0
    /// The index up to which no line end was found.
    private var scanned = 0

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    package var phase: Phase {
        switch state {
        case .requestLine: start == buffer.count && !hasSkippedLine ? .idle : .head
        case .fields: .head
        case .body, .chunkSize, .chunk, .chunkEnd, .trailers: .body
        case .over: .idle
        }
    }

    /// The bytes that are kept in memory.
    package var bytesHeld: Int { buffer.count + body.count }

    package mutating func receive(_ bytes: [UInt8]) {
        guard state != .over else { return }
        if start > 0 {
            buffer.removeFirst(start)
            scanned -= start
            start = 0
        }
        if buffer.isEmpty { buffer = bytes } else { buffer += bytes }
    }

    /// Call this until it returns `.needsInput`. After a refusal nothing more can be parsed.
    package mutating func next() throws(RequestRefusal) -> Step {
        do {
            return try parse()
        } catch {
            end()
            throw error
        }
    }

    /// Ends parsing, and frees the buffers.
    package mutating func discard() { end() }

    private mutating func parse() throws(RequestRefusal) -> Step {
        while true {
            switch state {
            case .requestLine:
                guard let line = try line(bytesMax: limits.targetBytesMax, .targetTooLong) else {
                    return .needsInput
                }
                if line.isEmpty {
                    // One empty line before a request is ignored (RFC 9112 section 2.2).
                    guard !hasSkippedLine else { throw .malformed }
                    hasSkippedLine = true
                } else {
                    head = try RequestHead(line: buffer[line])
                    state = .fields
                }
            case .fields:
                guard let line = try headLine() else { return .needsInput }
                if line.isEmpty {
                    if let request = try beginBody() { return .request(request) }
                } else {
                    try head.addField(buffer[line])
                }
            case .body:
                takeBody()
                if bytesLeft == 0 { return .request(finished()) }
                if awaitsContinue { return continuing() }
                return .needsInput
            case .chunkSize:
                let line = try line(bytesMax: Self.chunkLineBytesMax, .malformed)
                guard let line else { return awaitsContinue ? continuing() : .needsInput }
                awaitsContinue = false
                bytesLeft = try ChunkSize.parse(buffer[line])
                guard bytesLeft <= limits.bodyBytesMax - body.count else {
                    return .request(tooLarge())
                }
                state = bytesLeft == 0 ? .trailers : .chunk
            case .chunk:
                takeBody()
                guard bytesLeft == 0 else { return .needsInput }
                state = .chunkEnd
            case .chunkEnd:
                guard let line = try line(bytesMax: 0, .malformed) else { return .needsInput }
                guard line.isEmpty else { throw .malformed }
                state = .chunkSize
            case .trailers:
                guard let line = try headLine() else { return .needsInput }
                if line.isEmpty { return .request(finished()) }
                // Trailer fields are checked, and then ignored (RFC 9110 section 6.5.1).
                _ = try RequestHead.field(buffer[line])
            case .over:
                return .needsInput
            }
        }
    }

    private mutating func continuing() -> Step {
        awaitsContinue = false
        // The client has begun to send the body without waiting.
        return start < buffer.count || !body.isEmpty ? .needsInput : .expectsContinue
    }

    // MARK: Lines

    /// The next line without its CRLF; nil if it is not complete.
    private mutating func line(
        bytesMax: Int, _ refusal: RequestRefusal
    ) throws(RequestRefusal) -> Range<Int>? {
        let (end, position) = Self.lineEnd(buffer.span, from: scanned)
        scanned = position
        // The limit has one more byte for a CR, because a CR at the end of the buffer may be half
        // of a line end. The length is checked first, so that the refusal is the same whether or
        // not the end of the line has arrived.
        guard position - start <= bytesMax + 1 else { throw refusal }
        guard let end else { return nil }
        guard end > start, buffer[end - 1] == carriageReturn else { throw .malformed }
        let line = start..<(end - 1)
        start = end + 1
        scanned = start
        return line
    }

    private static func lineEnd(_ bytes: Span<UInt8>, from: Int) -> (end: Int?, position: Int) {
        var position = from
        while position < bytes.count {
            if bytes[position] == lineFeed { return (position, position) }
            position += 1
        }
        return (nil, position)
    }

    private mutating func headLine() throws(RequestRefusal) -> Range<Int>? {
        let line = try line(bytesMax: limits.headBytesMax - headBytes, .headTooLarge)
        if let line {
            headBytes += line.count + 2
            guard headBytes <= limits.headBytesMax else { throw .headTooLarge }
        }
        return line
    }

    // MARK: Bodies

    /// Returns the request if it has no body.
    private mutating func beginBody() throws(RequestRefusal) -> ReceivedRequest? {
        switch try head.framing() {
        case .none: return finished()
        case .length(let length):
            guard length <= limits.bodyBytesMax else { return tooLarge() }
            guard length > 0 else { return finished() }
            bytesLeft = length
            state = .body
        case .chunked:
            state = .chunkSize
        }
        awaitsContinue = try head.expectsContinue()
        return nil
    }

    private mutating func takeBody() {
        let count = min(bytesLeft, buffer.count - start)
        guard count > 0 else { return }
        awaitsContinue = false
        body += buffer[start..<(start + count)]
        bytesLeft -= count
        start += count
        scanned = start
    }

    private mutating func finished() -> ReceivedRequest {
        let request = head.request(body: body)
        head = RequestHead()
        body = []
        headBytes = 0
        hasSkippedLine = false
        awaitsContinue = false
        state = .requestLine
        if request.closes { end() }
        return request
    }

    private mutating func tooLarge() -> ReceivedRequest {
        var request = head.request(body: [])
        request.isBodyTooLarge = true
        request.closes = true
        end()
        return request
    }

    private mutating func end() {
        state = .over
        head = RequestHead()
        buffer = []
        body = []
        start = 0
        scanned = 0
    }
}

/// The size of a chunk, and its extensions, which are ignored (RFC 9112 section 7.1).
enum ChunkSize {
    /// Enough for any size within the limits.
    private static let digitsMax = 8

    static func parse(_ line: ArraySlice<UInt8>) throws(RequestRefusal) -> Int {
        let digits = line.prefix(while: \.isHexDigit)
        guard !digits.isEmpty, digits.count <= digitsMax else { throw .malformed }
        let rest = line[digits.endIndex...].drop(while: \.isBlank)
        guard rest.isEmpty || rest.first == UInt8(ascii: ";"),
            // Blanks are allowed only before an extension.
            !rest.isEmpty || digits.endIndex == line.endIndex,
            rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
        else { throw .malformed }
        return digits.reduce(0) { $0 << 4 | Int(Hex.value(of: $1) ?? 0) }
    }
}

private let carriageReturn: UInt8 = 0x0D
private let lineFeed: UInt8 = 0x0A
