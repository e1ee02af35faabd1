import Foundation
import QRCode
import TestSupport

@Suite("QR codes") struct QRCodeTests {
    private func code(_ text: String) throws -> QRCode { try #require(QRCode(Array(text.utf8))) }

    /// The capacities of versions 1 to 40 in bytes (table 7, level M, byte mode).
    static let capacities = [
        14, 26, 42, 62, 84, 106, 122, 152, 180, 213, 251, 287, 331, 362, 412, 450, 504, 560, 624,
        666, 711, 779, 857, 911, 997, 1059, 1125, 1190, 1264, 1370, 1452, 1538, 1628, 1722, 1809,
        1911, 1989, 2099, 2213, 2331,
    ]

    @Test func `the smallest version that holds the bytes is used`() throws {
        for (version, bytes) in [(1, 14), (10, 213), (20, 666)] {
            let full = try #require(QRCode([UInt8](repeating: 0x41, count: bytes)))
            let next = try #require(QRCode([UInt8](repeating: 0x41, count: bytes + 1)))
            #expect(full.size == 17 + 4 * version && next.size == full.size + 4)
        }
        expectEqual(Self.capacities.last, QRCode.bytesMax)
        expectEqual(QRCode([UInt8](repeating: 0x41, count: QRCode.bytesMax + 1)), nil)
    }

    @Test func `the three finder patterns and the timing patterns are in their places`() throws {
        let code = try code("otpauth://totp/Example:ada@example.com?secret=JBSWY3DPEHPK3PXP")
        let last = code.size - 7
        for (left, top) in [(0, 0), (last, 0), (0, last)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let isRing = x == 0 || x == 6 || y == 0 || y == 6
                    let isCore = (2...4).contains(x) && (2...4).contains(y)
                    expectEqual(code.isDark(x: left + x, y: top + y), isRing || isCore)
                }
            }
        }
        for index in 8..<code.size - 8 {
            expectEqual(code.isDark(x: index, y: 6), index.isMultiple(of: 2))
            expectEqual(code.isDark(x: 6, y: index), index.isMultiple(of: 2))
        }
    }

    @Test func `the image has a quiet zone and loads nothing`() throws {
        let code = try code("a")
        #expect(
            code.svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 29 29\""))
        #expect(code.svg.contains("M4 4h7v1h-7z"))
        for word in ["href", "script", "style", "url("] { #expect(!code.svg.contains(word)) }
    }

    /// ZXing reads a code of every version, filled to its capacity.
    @Test func `an independent reader reads every version`() throws {
        var lines = ""
        var texts: [String] = []
        for (index, bytes) in Self.capacities.enumerated() {
            let version = index + 1
            let start = "v\(version) "
            let text = start + String(repeating: "7aZ/", count: bytes).prefix(bytes - start.count)
            let code = try code(text)
            expectEqual(code.size, 17 + 4 * version)
            texts.append(text)
            lines +=
                (0..<code.size).map { y in
                    String((0..<code.size).map { code.isDark(x: $0, y: y) ? "#" : "." })
                }.joined(separator: "/") + "\n"
        }
        let folder = try TemporaryFolder()
        try folder.write(Array(lines.utf8), to: "codes")
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "read-codes.py").path(percentEncoded: false)
        let command = Command(
            try VirtualEnvironment.program("python"), [script, folder.file("codes")])
        let result = try ChildProcess.run(command)
        expectEqual(result.end, .exit(0), "\(result.errorText)")
        let read = result.text.split(separator: "\n").map(String.init)
        expectEqual(read, texts)
    }
}
