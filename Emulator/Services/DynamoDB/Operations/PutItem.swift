extension DynamoDBService {
    /// Puts an item, replacing one with the same key.
    func putItem(
        _ reader: RequestReader, _ origin: WriteOrigin?
    ) throws(DynamoDBError) -> [UInt8] {
        try writeItem(.put, reader, origin)
    }
}
