internal import Bytes
internal import EmulatorBase
internal import JSON

extension TemplateReader {
    /// `CorsConfiguration`: `true` to allow everything, or an object.
    func httpCORS(_ parent: TemplateSection) throws(TemplateFailure) -> CORSRules? {
        guard let value = parent.json("CorsConfiguration") else { return nil }
        if let flag = value.boolValue {
            return flag ? CORSRules(origins: ["*"]) : nil
        }
        guard let section = try parent.section("CorsConfiguration") else { return nil }
        return try corsRules(section)
    }

    /// The format of HTTP APIs and Function URLs.
    func corsRules(_ section: TemplateSection) throws(TemplateFailure) -> CORSRules {
        defer { section.finish() }
        return CORSRules(
            origins: try section.texts("AllowOrigins") ?? [],
            methods: (try section.texts("AllowMethods") ?? []).map(\.asciiUppercased),
            headers: try section.texts("AllowHeaders") ?? [],
            exposedHeaders: try section.texts("ExposeHeaders") ?? [],
            maxAgeSeconds: try section.integer("MaxAge", in: -1...86_400),
            allowsCredentials: try section.flag("AllowCredentials") ?? false)
    }

    /// `Cors` of a REST API: an origin in single quotes, or an object with such strings.
    func restCORS(_ parent: TemplateSection) throws(TemplateFailure) -> CORSRules? {
        guard let value = parent.json("Cors") else { return nil }
        if let origin = value.stringValue { return CORSRules(origins: [unquoted(origin)]) }
        guard let section = try parent.section("Cors") else { return nil }
        defer { section.finish() }
        func list(_ name: String) throws(TemplateFailure) -> [String] {
            guard let text = try section.text(name) else { return [] }
            return unquoted(text).pieces(at: ",").map(\.trimmingBlanks)
        }
        var maxAge: Int?
        if let text = try section.text("MaxAge") {
            guard let seconds = Int(unquoted(text)), seconds >= 0 else {
                throw section.wrong("MaxAge", "a number of seconds in quotes")
            }
            maxAge = seconds
        }
        return CORSRules(
            origins: try list("AllowOrigin"),
            methods: try list("AllowMethods").map(\.asciiUppercased),
            headers: try list("AllowHeaders"), maxAgeSeconds: maxAge,
            allowsCredentials: try section.flag("AllowCredentials") ?? false)
    }

    /// `CorsConfiguration` of a bucket.
    func bucketCORS(_ parent: TemplateSection) throws(TemplateFailure) -> [BucketCORS] {
        guard let section = try parent.section("CorsConfiguration") else { return [] }
        defer { section.finish() }
        let rules = try section.list("CorsRules") ?? []
        var read: [BucketCORS] = []
        for (index, value) in rules.enumerated() {
            guard let object = value.objectValue else {
                throw section.wrong("CorsRules", "a list of objects")
            }
            let rule = TemplateSection(
                object, at: section.path("CorsRules[\(index)]"), log: log)
            read.append(
                BucketCORS(
                    id: try rule.text("Id"), origins: try rule.texts("AllowedOrigins") ?? [],
                    methods: try rule.texts("AllowedMethods") ?? [],
                    headers: try rule.texts("AllowedHeaders") ?? [],
                    exposedHeaders: try rule.texts("ExposedHeaders") ?? [],
                    maxAgeSeconds: try rule.integer("MaxAge", in: 0...Int(Int32.max))))
            rule.finish()
        }
        return read
    }

    /// API Gateway writes constants in single quotes.
    private func unquoted(_ text: String) -> String {
        guard text.utf8.count >= 2, text.has(prefix: "'"), text.has(suffix: "'") else {
            return text
        }
        return String(Substring(text.utf8.dropFirst().dropLast()))
    }
}
