extension DynamoDBService {
    /// Deletes an item; succeeds if there is none.
    func deleteItem(
        _ reader: RequestReader, _ origin: WriteOrigin?
    ) throws(DynamoDBError) -> [UInt8] {
        try writeItem(.delete, reader, origin)
    }
}
