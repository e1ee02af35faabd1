package import Time

extension PolicyContext {
    /// The context keys of every request.
    package init(_ call: ServiceCall, at now: Instant) {
        self.init()
        set("aws:CurrentTime", now.iso8601Seconds)
        set("aws:EpochTime", String(now.seconds))
        set("aws:SourceIp", call.sourceAddress)
        set("aws:SecureTransport", call.isSecure)
        set("aws:UserAgent", call.header("user-agent"))
        set("aws:referer", call.header("referer"))
    }
}
