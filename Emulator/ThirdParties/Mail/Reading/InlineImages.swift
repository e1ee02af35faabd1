internal import Bytes
internal import EmulatorBase

/// Replaces `cid:` references in a mail's HTML by data URLs, because the HTML may not make
/// requests.
enum InlineImages {
    private static let bytesMax = 4 << 20

    static func place(_ attachments: [MIMEAttachment], in html: String) -> String {
        var html = Array(html.utf8)
        var left = bytesMax
        for attachment in attachments {
            guard let id = attachment.contentID, !id.isEmpty,
                attachment.type.hasPrefix("image/"), attachment.bytes.count <= left,
                attachment.type.utf8.dropFirst(6).allSatisfy({
                    $0.isLetter || $0.isDigit || [0x2B, 0x2D, 0x2E].contains($0)
                })
            else { continue }
            left -= attachment.bytes.count
            let data = "data:\(attachment.type);base64,\(Base64.encode(attachment.bytes))"
            replaceFirst(Array("cid:\(id)".utf8), with: Array(data.utf8), in: &html)
        }
        return String(decoding: html, as: UTF8.self)
    }

    private static func replaceFirst(
        _ sought: [UInt8], with new: [UInt8], in bytes: inout [UInt8]
    ) {
        if let range = bytes.firstRange(of: sought) { bytes.replaceSubrange(range, with: new) }
    }
}
