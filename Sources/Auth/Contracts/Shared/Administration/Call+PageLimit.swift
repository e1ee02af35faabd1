extension Call {
    /// The parameter `limit` of a list.
    func pageLimit(_ standard: Int64, max: Int64) throws(RequestError) -> Int64 {
        guard let text = query("limit"), !text.isEmpty else { return standard }
        guard let number = Int64(text), (1...max).contains(number) else {
            throw .invalidField("limit", .outOfRange(1...max))
        }
        return number
    }
}
