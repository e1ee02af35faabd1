import Foundation
import QRCode
import TestSupport
import Testing

@Suite("QR codes") struct QRCodeTests {
    private func code(_ text: String) throws -> QRCode { try #require(QRCode(Array(text.utf8))) }

    @Test func `the smallest version that holds the bytes is used`() throws {
        // Table 7, level M, byte mode.
        for (bytes, version) in [(14, 1), (15, 2), (213, 10), (214, 11), (666, 20), (2331, 40)] {
            let code = try #require(QRCode([UInt8](repeating: 0x41, count: bytes)))
            #expect(code.size == 17 + 4 * version, "\(bytes) bytes")
        }
        #expect(QRCode([UInt8](repeating: 0x41, count: QRCode.bytesMax + 1)) == nil)
    }

    @Test func `the three finder patterns and the timing patterns are in their places`() throws {
        let code = try code("otpauth://totp/Example:ada@example.com?secret=JBSWY3DPEHPK3PXP")
        let last = code.size - 7
        for (left, top) in [(0, 0), (last, 0), (0, last)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let isRing = x == 0 || x == 6 || y == 0 || y == 6
                    let isCore = (2...4).contains(x) && (2...4).contains(y)
                    #expect(code.isDark(x: left + x, y: top + y) == (isRing || isCore))
                }
            }
        }
        for index in 8..<code.size - 8 {
            #expect(code.isDark(x: index, y: 6) == index.isMultiple(of: 2))
            #expect(code.isDark(x: 6, y: index) == index.isMultiple(of: 2))
        }
    }

    @Test func `the image has a quiet zone and loads nothing`() throws {
        let code = try code("a")
        #expect(
            code.svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 29 29\""))
        #expect(code.svg.contains("M4 4h7v1h-7z"))
        for word in ["href", "script", "style", "url("] { #expect(!code.svg.contains(word)) }
    }

    /// ZXing reads what was written, of every version.
    @Test func `an independent reader reads every version`() throws {
        var lines = ""
        var texts: [String] = []
        for version in 1...40 {
            var text = "v\(version) "
            while let longer = QRCode(Array((text + "7aZ/").utf8)), longer.size <= 17 + 4 * version
            {
                text += "7aZ/"
            }
            let code = try code(text)
            #expect(code.size == 17 + 4 * version)
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
            VirtualEnvironment.program("python"), ["-B", script, folder.file("codes")])
        let result = try ChildProcess.run(command)
        #expect(result.end == .exit(0), "\(result.errorText)")
        let read = result.text.split(separator: "\n").map(String.init)
        #expect(read == texts)
    }
}
