@Suite("LocalHTTPResponse") struct LocalHTTPResponseTests {
    /// Parses the text in pieces of `pieceBytes`.
    private func read(
        _ text: String, pieceBytes: Int = .max, bodyBytesMax: Int = 100, closes: Bool = false
    ) throws(LocalHTTPResponse.Failure) -> LocalHTTPResponse {
        var response = LocalHTTPResponse(bodyBytesMax: bodyBytesMax)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let piece = rest.prefix(pieceBytes)
            rest = rest.dropFirst(piece.count)
            _ = try response.receive(piece)
        }
        if closes { _ = response.receiveEnd() }
        return response
    }

    static let complete: [(text: String, status: Int, body: String, keeps: Bool)] = [
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true),
        ("HTTP/1.1 200\r\ncontent-length:0\r\n\r\n", 200, "", true),
        ("HTTP/1.1 202 Accepted\r\nA: 1\r\nContent-Length: 2 \r\n\r\nok", 202, "ok", true),
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, "", true),
        (
            "HTTP/1.1 100 Continue\r\nA: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
            200, "x", true
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: Close\r\n\r\nx", 200, "x", false),
        ("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", 200, "x", false),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxy", 200, "x", false),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n",
            200, "abc0123456789", true
        ),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n0\r\n\r\n", 200, "", true),
    ]

    @Test(arguments: complete.indices)
    func `the result does not depend on how the response is split`(index: Int) throws {
        let (text, status, body, keeps) = Self.complete[index]
        for pieceBytes in [Int.max, 1, 2, 3, 7] {
            let reader = try read(text, pieceBytes: pieceBytes)
            let response = try #require(reader.response)
            expectEqual(response.status, status)
            expectEqual(response.body, Array(body.utf8))
            // Bytes after the end are only noticed if they arrive with it.
            if pieceBytes == .max || keeps { expectEqual(reader.keepsConnection, keeps) }
        }
    }

    @Test func `header names are in lower case and values are trimmed`() throws {
        let reader = try read(
            "HTTP/1.1 200 OK\r\nLambda-Runtime-Trace-Id: \t Root=1;Sampled=1 \r\nX-E:\r\n"
                + "Content-Length: 0\r\n\r\n")
        expectEqual(
            reader.response?.headers,
            [
                HTTPHeader("lambda-runtime-trace-id", "Root=1;Sampled=1"), HTTPHeader("x-e", ""),
                HTTPHeader("content-length", "0"),
            ])
    }

    @Test func `a body without a length ends with the connection`() throws {
        let text = "HTTP/1.1 200 OK\r\n\r\nuntil the end"
        try expectEqual(read(text).response, nil)
        let reader = try read(text, closes: true)
        expectEqual(reader.response?.body, Array("until the end".utf8))
        #expect(!reader.keepsConnection)
    }

    @Test(arguments: [
        "", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n",
    ])
    func `a truncated response is not complete`(text: String) throws {
        try expectEqual(read(text, closes: true).response, nil)
    }

    @Test(arguments: [
        "HTTP/2 200 OK\r\n", "HTTP/1.2 200 OK\r\n", "HTTP/1.1  200 OK\r\n", "HTTP/1.1 20 OK\r\n",
        "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 099 OK\r\n", "HTTP/1.1 600 OK\r\n", "200 OK\r\n", "\r\n",
        "HTTP/1.1 200 OK\n", "HTTP/1.1 200 OK\r\nA: 1\n\r\n", "HTTP/1.1 200 OK\r\nA : 1\r\n",
        "HTTP/1.1 200 OK\r\n: 1\r\n", "HTTP/1.1 200 OK\r\n folded\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n", "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 0x1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1, 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    ])
    func `malformed and ambiguous responses are refused`(text: String) {
        for pieceBytes in [Int.max, 1] {
            #expect(throws: LocalHTTPResponse.Failure.malformed) {
                _ = try read(text, pieceBytes: pieceBytes)
            }
        }
    }

    @Test func `bodies, heads and trailers are limited`() {
        let long = String(repeating: "x", count: LocalHTTPResponse.headBytesMax + 1)
        let many = String(repeating: "A: 1\r\n", count: LocalHTTPResponse.headersMax + 1)
        let start = "HTTP/1.1 200 OK\r\n"
        let chunked = start + "Transfer-Encoding: chunked\r\n\r\n"
        for text in [
            start + "Content-Length: 101\r\n\r\n", start + "\r\n" + long, start + many, long,
            start + "A: \(long)\r\n", chunked + "65\r\n", chunked + "FFFFFFFFFF\r\n",
            chunked + "64\r\n" + String(repeating: "x", count: 100) + "\r\n1\r\n",
            chunked + "0\r\nA: \(long)\r\n", chunked + "1;\(long)\r\n",
        ] {
            #expect(throws: LocalHTTPResponse.Failure.tooLarge) {
                _ = try read(text, pieceBytes: 4096)
            }
        }
    }
}
