import LupineCore
public import LupineFoundation

/// Something that has happened to a transfer, and that the program has not acknowledged yet.
///
/// The queue writes an event to the disk before it reports it. It reports the event again after each restart until the
/// program acknowledges it, and never after that.
public struct TransferEvent: Sendable, Hashable {
  /// The kinds of event.
  public enum Kind: Sendable, Hashable, Codable {
    /// The transfer has ended well.
    case finished(TransferResult)
    /// The transfer has failed.
    case failed(TransferFailure)
    /// The program has cancelled the transfer.
    case cancelled
    /// The session has no credential for the transfer, which waits; the value is the name of the credential.
    case needsCredential(String?)
  }

  /// The number of the event: a later event has a greater one.
  public let number: Int64
  /// The transfer.
  public let transfer: TransferID
  /// The kind of the event.
  public let kind: Kind
  /// The data that were added with the transfer.
  public let data: Data

  /// Decodes the data that were added with the transfer.
  ///
  /// - Throws: the error of the decoder.
  public func value<Value: Decodable>(of type: Value.Type = Value.self) throws -> Value {
    try JSONDecoder().decode(type, from: data)
  }
}

/// The result of a transfer that has ended well.
public struct TransferResult: Sendable, Hashable, Codable {
  /// The path of the downloaded file; `nil` for an upload.
  public var path: String?
  /// The status of the response; `nil` if the file was complete before the process was restarted.
  public var status: Int?
  /// The first 64 KiB of the response to an upload; empty for a download.
  public var response: Data

  init(path: String? = nil, status: Int? = nil, response: Data = Data()) {
    self.path = path
    self.status = status
    self.response = response
  }
}

/// The failure of a transfer.
public struct TransferFailure: Error, Sendable, Hashable, Codable, CustomStringConvertible {
  /// The kind of the error as text, such as `connectionLost`; see `LupineError.Kind`.
  public var kind: String
  /// The problem and advice, without a secret.
  public var message: String
  /// The status of the response, if there was one.
  public var status: Int?

  init(kind: String, message: String, status: Int? = nil) {
    self.kind = kind
    self.message = message
    self.status = status
  }

  init(_ error: LupineError) {
    kind = "\(error.kind)"
    message = error.message
    status = error.response?.status.code
  }

  /// The message.
  public var description: String { message }
}
