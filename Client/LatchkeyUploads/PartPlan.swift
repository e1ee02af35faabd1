/// The division of a file into parts.
package struct PartPlan: Equatable, Sendable {
    /// The limits of S3.
    package static let partsMax = 10_000
    package static let partBytesMin = 5 << 20
    package static let partBytesMax = 5 << 30
    package static let objectBytesMax = 5 << 40

    package let bytes: Int
    package let partBytes: Int

    package init(bytes: Int, partBytes: Int) throws(UploadError) {
        guard bytes <= Self.objectBytesMax else { throw .tooLarge }
        let needed = (bytes + Self.partsMax - 1) / Self.partsMax
        self.bytes = bytes
        self.partBytes = min(max(partBytes, Self.partBytesMin, needed), Self.partBytesMax)
    }

    package var count: Int { (bytes + partBytes - 1) / partBytes }

    /// - Parameter number: the part number, which begins at 1.
    package func range(_ number: Int) -> Range<Int> {
        let start = (number - 1) * partBytes
        return start..<min(start + partBytes, bytes)
    }
}
