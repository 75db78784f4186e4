public import LupineFoundation

/// A transfer at one moment.
public struct TransferSnapshot: Sendable, Hashable {
  /// The transfer.
  public let id: TransferID
  /// The URL without its query.
  public let url: String
  /// Whether it is an upload.
  public let isUpload: Bool
  /// The path of the file that is written or sent; `nil` for a form.
  public let path: String?
  /// The state, which is on the disk.
  public let state: TransferState
  /// The priority.
  public let priority: TransferPriority
  /// The date after which the transfer fails.
  public let deadline: Date?
  /// The name of the credential.
  public let credential: String?
  /// The name of the profile.
  public let profile: String?
  /// The name of the group.
  public let group: String?
  /// The data that were added with the transfer.
  public let data: Data
  /// The number of bytes so far.
  ///
  /// A transfer that runs in this process, or whose progress another process reports to this one, has the last report. Any
  /// other download that has not ended well has the size of what is on the disk, which it continues; any other upload has
  /// 0, because only its server knows.
  public let completed: Int64
  /// The number of all bytes, if it is known.
  public let total: Int64?

  /// Decodes the data that were added with the transfer.
  ///
  /// - Throws: the error of the decoder.
  public func value<Value: Decodable>(of type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }
}
