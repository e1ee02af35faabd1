extension DynamoDBService {
    /// Updates an item, or creates it.
    func updateItem(
        _ reader: RequestReader, _ origin: WriteOrigin?
    ) throws(DynamoDBError) -> [UInt8] {
        try writeItem(.update, reader, origin)
    }
}
