/// A QR code (ISO/IEC 18004:2015, Model 2) of bytes, with error correction level M.
///
/// Byte mode without an ECI designator: for text in ASCII, such as a URI, all readers interpret the
/// bytes in the same way.
package struct QRCode: Equatable, Sendable {
    /// Modules of one side.
    package let size: Int
    /// Dark modules, row by row.
    private let modules: [Bool]

    /// The capacity of the largest version (table 7).
    package static let bytesMax = 2331

    /// nil if there are more than `bytesMax` bytes.
    package init?(_ bytes: [UInt8]) {
        guard let version = Version.smallest(for: bytes.count) else { return nil }
        let codewords = version.protected(version.encoded(bytes))
        var matrix = Matrix(version)
        matrix.place(codewords)
        let best = (0..<8).map { mask in
            let masked = matrix.masked(by: mask)
            return (penalty: Penalty.of(masked.modules, size: version.size), matrix: masked)
        }.min { $0.penalty < $1.penalty }
        guard let best else { return nil }
        size = version.size
        modules = best.matrix.modules
    }

    package func isDark(x: Int, y: Int) -> Bool { modules[y * size + x] }

    /// The quiet zone that a reader needs on each side (section 9.1).
    package static let quietModules = 4

    /// An SVG image with one path. It has no fixed size and loads nothing.
    package var svg: String {
        let side = size + 2 * Self.quietModules
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                guard isDark(x: x, y: y) else {
                    x += 1
                    continue
                }
                let start = x
                while x < size, isDark(x: x, y: y) { x += 1 }
                let (left, top) = (start + Self.quietModules, y + Self.quietModules)
                path += "M\(left) \(top)h\(x - start)v1h-\(x - start)z"
            }
        }
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(side) \(side)\" "
            + "shape-rendering=\"crispEdges\"><path fill=\"#fff\" d=\"M0 0h\(side)v\(side)H0z\"/>"
            + "<path d=\"\(path)\"/></svg>"
    }
}
