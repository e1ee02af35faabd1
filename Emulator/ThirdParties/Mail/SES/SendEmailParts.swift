internal import Bytes
internal import EmulatorBase
internal import JSON
internal import Time

/// The `Destination` of a request.
struct SESDestination {
    let to: [MailAddress]
    let cc: [MailAddress]
    let bcc: [MailAddress]

    var all: [MailAddress] { to + cc + bcc }

    init(_ body: SESObject) throws(SESFailure) {
        let destination = try body.object("Destination") ?? SESObject(JSONObject(), "Destination")
        to = try SESService.addresses(destination, "ToAddresses")
        cc = try SESService.addresses(destination, "CcAddresses")
        bcc = try SESService.addresses(destination, "BccAddresses")
    }
}

/// The parameters of a composed message without its content.
struct SESEnvelope {
    let from: MailAddress
    let destination: SESDestination
    let replyTo: [MailAddress]
    let messageID: String
    let now: Instant
    let region: String

    func write(to writer: inout MIMEWriter) {
        // In us-east-1 the domain is `email.amazonses.com`, without the region.
        let host = region == "us-east-1" ? "email" : region
        writer.header("Date", now.internetMessageDate)
        writer.header("Message-ID", "<\(messageID)@\(host).amazonses.com>")
        writer.header("From", [from])
        writer.header("Reply-To", replyTo)
        writer.header("To", destination.to)
        writer.header("Cc", destination.cc)
    }

}

extension SESService {
    static func addresses(
        _ object: SESObject, _ name: String
    ) throws(SESFailure) -> [MailAddress] {
        let texts = try object.texts(name)
        guard texts.count <= recipientsMax else {
            throw .badRequest("Recipient count exceeds \(recipientsMax).")
        }
        return try texts.map { text throws(SESFailure) in try address(text) }
    }

    static func address(_ text: String) throws(SESFailure) -> MailAddress {
        guard !text.hasControls else {
            throw .badRequest("Local address contains control or whitespace")
        }
        do throws(AddressFailure) {
            return try MailAddress(parsing: text)
        } catch {
            throw .badRequest(error.message)
        }
    }

    static func check(_ address: MailAddress) throws(SESFailure) {
        do throws(AddressFailure) {
            try MailAddress.check(Array(address.address.utf8))
        } catch {
            throw .badRequest(error.message)
        }
    }

    static func tags(_ body: SESObject) throws(SESFailure) -> [(name: String, value: String)] {
        let allowed = { (byte: UInt8) in
            byte.isLetter || byte.isDigit || [0x5F, 0x2D, 0x2E, 0x40].contains(byte)
        }
        var tags: [(name: String, value: String)] = []
        for tag in try body.objects("EmailTags", countMax: 50) {
            let name = try tag.requiredText("Name", bytesMax: 256)
            let value = try tag.requiredText("Value", bytesMax: 256)
            guard !name.isEmpty, name.utf8.allSatisfy(allowed), value.utf8.allSatisfy(allowed)
            else {
                throw .badRequest(
                    "Names and values of EmailTags have letters, digits, _, -, . and @ only")
            }
            tags.append((name, value))
        }
        return tags
    }

    static func header(_ header: SESObject) throws(SESFailure) -> (String, String) {
        let name = try header.requiredText("Name", bytesMax: 126)
        let value = try header.requiredText("Value", bytesMax: 995)
        guard !name.isEmpty,
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ":") }),
            !value.isEmpty, value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { throw .badRequest("Header names and values are printable ASCII") }
        return (name, value)
    }
}

extension MIMEWriter.File {
    init(_ file: SESObject) throws(SESFailure) {
        let disposition = try file.text("ContentDisposition") ?? "ATTACHMENT"
        let type = try file.text("ContentType", bytesMax: 78) ?? "application/octet-stream"
        let id = try file.text("ContentId", bytesMax: 78)
        let name = try file.requiredText("FileName", bytesMax: 255)
        let description = try file.text("ContentDescription", bytesMax: 1000)
        guard ![type, id ?? "", name, description ?? ""].contains(where: \.hasControls) else {
            throw .badRequest("An attachment's properties contain control characters")
        }
        self.init(
            name: name, type: type, isInline: disposition == "INLINE", contentID: id,
            description: description, bytes: try file.requiredBlob("RawContent"))
    }
}

/// Edits the headers of a raw message.
enum RawHeaders {
    /// SES removes `Bcc` before it sends.
    static func removing(_ name: String, from bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[...]
        var kept: [UInt8] = []
        var isRemoving = false
        var hasRemoved = false
        while !rest.isEmpty {
            let start = rest.startIndex
            let line = rest.removeLine()
            guard !line.isEmpty else {
                // The body after the empty line is not searched.
                return hasRemoved ? kept + bytes[start...] : bytes
            }
            if line.first?.isBlank != true {
                let field = line.prefix { $0 != UInt8(ascii: ":") }.trimmed
                isRemoving = String(decoding: field, as: UTF8.self).equalsIgnoringCase(name)
            }
            if isRemoving { hasRemoved = true } else { kept += bytes[start..<rest.startIndex] }
        }
        return kept
    }
}
