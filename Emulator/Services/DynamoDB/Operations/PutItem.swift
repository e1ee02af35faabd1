extension DynamoDBService {
    /// Puts an item in the place of whatever has its key.
    func putItem(_ reader: RequestReader) throws(DynamoDBError) -> [UInt8] {
        try writeItem(.put, reader)
    }
}
