internal import Bytes
internal import XML

/// A CORS configuration as XML: in requests, in responses, and in storage.
enum CORSDocument {
    static let root = "CORSConfiguration"
    private static let limits = XMLLimits(bytesMax: 64 << 10, depthMax: 4, elementsMax: 10_000)

    static func rules(_ bytes: [UInt8]) throws(S3Failure) -> [BucketCORSRule] {
        guard let document = try? XMLElement.parse(bytes, limits: limits), document.name == root
        else { throw .malformedXML }
        var rules: [BucketCORSRule] = []
        for element in document.children {
            guard element.name == "CORSRule" else { throw .malformedXML }
            rules.append(try rule(element))
        }
        try check(rules)
        return rules
    }

    private static func rule(_ element: XMLElement) throws(S3Failure) -> BucketCORSRule {
        var rule = BucketCORSRule(origins: [], methods: [])
        for child in element.children {
            switch child.name {
            case "ID": rule.id = child.text
            case "AllowedOrigin": rule.origins.append(child.text)
            case "AllowedMethod": rule.methods.append(child.text)
            case "AllowedHeader": rule.headers.append(child.text)
            case "ExposeHeader": rule.exposedHeaders.append(child.text)
            case "MaxAgeSeconds":
                guard let seconds = Int32(child.text) else { throw .malformedXML }
                rule.maxAgeSeconds = Int(seconds)
            default: throw .malformedXML
            }
        }
        return rule
    }

    /// Validates the rules of a request or of a template.
    static func check(_ rules: [BucketCORSRule]) throws(S3Failure) {
        guard (1...BucketCORSRule.rulesMax).contains(rules.count) else { throw .malformedXML }
        for rule in rules {
            guard !rule.origins.isEmpty, !rule.methods.isEmpty else { throw .malformedXML }
            for method in rule.methods where !BucketCORSRule.allowedMethods.contains(method) {
                throw .invalidRequest(
                    "Found unsupported HTTP method in CORS config. Unsupported method is \(method)")
            }
            for origin in rule.origins where starCount(origin) > 1 {
                throw .invalidRequest(
                    "AllowedOrigin \"\(origin)\" can not have more than one wildcard.")
            }
            for header in rule.headers where starCount(header) > 1 {
                throw .invalidRequest(
                    "AllowedHeader \"\(header)\" can not have more than one wildcard.")
            }
            for header in rule.exposedHeaders where starCount(header) > 0 {
                throw .invalidRequest(
                    "ExposeHeader \"\(header)\" contains wildcard. We currently do not support "
                        + "wildcard for ExposeHeader.")
            }
        }
    }

    private static func starCount(_ text: String) -> Int {
        text.utf8.count { $0 == UInt8(ascii: "*") }
    }

    static func write(_ rules: [BucketCORSRule], to xml: inout XMLWriter) {
        for rule in rules {
            xml.element("CORSRule") { xml in
                xml.element("ID", ifPresent: rule.id)
                for method in rule.methods { xml.element("AllowedMethod", method) }
                for origin in rule.origins { xml.element("AllowedOrigin", origin) }
                for header in rule.headers { xml.element("AllowedHeader", header) }
                for header in rule.exposedHeaders { xml.element("ExposeHeader", header) }
                xml.element("MaxAgeSeconds", ifPresent: rule.maxAgeSeconds.map(String.init))
            }
        }
    }

    static func stored(_ rules: [BucketCORSRule]) -> [UInt8] {
        var xml = XMLWriter(declaration: false)
        xml.element(root) { write(rules, to: &$0) }
        return xml.bytes
    }
}
