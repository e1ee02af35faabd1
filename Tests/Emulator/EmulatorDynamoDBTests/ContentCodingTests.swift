import EmulatorBase
import TestSupport

@Suite("Compressed messages")
struct ContentCodingTests {
    private let long = Array(String(repeating: "long ", count: 2000).utf8)

    @Test(arguments: ContentCoding.allCases)
    func `compressed data decompresses to the original`(coding: ContentCoding) throws {
        for bytes in [[], [7], long] {
            let packed = coding.compress(bytes)
            try expectEqual(coding.decompress(packed, bytesMax: bytes.count), bytes)
        }
        #expect(coding.compress(long).count < 200)
    }

    @Test(arguments: ContentCoding.allCases)
    func `damaged and too large bodies are refused`(coding: ContentCoding) {
        let packed = coding.compress(long)
        for damaged in [[], Array(packed.dropLast()), long] {
            #expect(throws: CompressionError.damaged) {
                try coding.decompress(damaged, bytesMax: 1 << 20)
            }
        }
        #expect(throws: CompressionError.tooLarge) {
            try coding.decompress(packed, bytesMax: long.count - 1)
        }
    }

    @Test func `a gzip body may have several members`() throws {
        let packed = ContentCoding.gzip.compress(long) + ContentCoding.gzip.compress([7])
        try expectEqual(ContentCoding.gzip.decompress(packed, bytesMax: 1 << 20), long + [7])
    }

    @Test(arguments: [
        ("gzip", ContentCoding.gzip), ("br, deflate, gzip", .deflate), ("GZIP;q=0.5", .gzip),
        ("gzip;q=0.2, deflate;q=0.5", .deflate), ("*", .gzip), ("*, gzip;q=0.5", .deflate),
        ("gzip;q=7, deflate", .gzip), ("identity", nil), ("gzip;q=0", nil), ("", nil),
        ("gzip br", nil), ("*;q=0", nil),
    ])
    func `the client's preferred coding is used`(accepted: String, expected: ContentCoding?) {
        expectEqual(ContentCoding.preferred(accepted), expected)
    }
}
