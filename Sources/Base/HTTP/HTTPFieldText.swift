extension String {
    /// A token (RFC 9110 section 5.6.2), such as the name of a header or a method.
    package var isHTTPToken: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                byte &- 0x30 < 10 || byte | 0x20 &- 0x61 < 26
                    || "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
    }

    /// A header's value: no control characters except tab (RFC 9110 section 5.5). A line break would
    /// add a header.
    package var isHTTPFieldValue: Bool {
        utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
