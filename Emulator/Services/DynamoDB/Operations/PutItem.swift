extension DynamoDBService {
    /// Puts an item, replacing one with the same key.
    func putItem(_ reader: RequestReader) throws(DynamoDBError) -> [UInt8] {
        try writeItem(.put, reader)
    }
}
