public import HTTPTypes
public import LupineCore
public import LupineFoundation
public import LupineTransfers

/// A transfer to add to a queue: a download into a file, or an upload of a file or of a form.
///
/// ```swift
/// var secret = QueuedTransfer.download("https://example.com/private.iso", to: .file("\(place)/private.iso"))
/// secret.credential = "accounting"  // the session's provider gets this name
/// ```
public struct QueuedTransfer: Sendable {
  /// The place of a downloaded file.
  public struct Destination: Sendable, Hashable, Codable {
    /// The path; a relative one is completed with the current folder when the transfer is added.
    public let path: String
    /// The changes that make the move to the path possible.
    public let options: DownloadDestination.Options

    /// A file at this path.
    ///
    /// A file that is there already fails the transfer before it begins, and one that appears while the download runs
    /// fails it at its end, unless the options replace it.
    public static func file(_ path: String, _ options: DownloadDestination.Options = []) -> Destination {
      Destination(path: path, options: options)
    }
  }

  /// Permissions to store something in the folder of the queue.
  public struct StorageOptions: OptionSet, Sendable, Hashable {
    /// The bits of the set; each option is one bit.
    public let rawValue: Int
    /// Makes a set from its bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// A URL whose query has a secret, such as a signature, may be stored.
    public static let storingSecrets = StorageOptions(rawValue: 1)
  }

  enum Content: Sendable {
    case download(Destination, ExpectedDigest?)
    case upload(RequestBody)
  }

  let request: Result<OutgoingRequest, LupineError>
  let content: Content

  /// The priority.
  ///
  /// Default: normal.
  public var priority = TransferPriority.normal
  /// The date after which the transfer fails; `nil` means none.
  ///
  /// A date and not a duration, because it must hold in later processes. If the date of the machine is set forth beyond
  /// it, the transfer fails at the next call or end of a transfer, and at the latest five minutes later. If the date is set
  /// back, the transfer has as much more time. While there is a transfer with a deadline, the queue compares the date every
  /// five minutes.
  public var deadline: Date?
  /// The name of the credential with which the session's provider is asked (`CredentialRequest.name`).
  ///
  /// The credential itself is not stored.
  public var credential: String?
  /// The name of the profile in the folder with whose session a runner makes the requests (`TransferQueue.setProfile`).
  ///
  /// `nil` is the profile `default`, if there is one. The queue of a program without
  /// `TransferQueue.Configuration.sessionForProfile` uses its own session for all transfers.
  public var profile: String?
  /// The name of the group; a hook is started when all transfers of a group have ended (`TransferQueue.setHook`).
  public var group: String?
  /// At most 64 KiB that come back with each event and each snapshot.
  public var data = Data()
  /// The permissions to store something.
  ///
  /// Default: no secret.
  public var options: StorageOptions = []
  /// Whether the URL of each attempt comes from `TransferQueue.Configuration.refreshURL`.
  ///
  /// The URL of the transfer is stored, names the file and is not sent. Default: no.
  public var asksForURL = false
  /// The maximum size of a downloaded file in bytes; `nil` means no limit.
  public var sizeLimit: Int64?

  /// A download into a file.
  ///
  /// - Parameters:
  ///   - url: the absolute URL.
  ///   - destination: the file.
  ///   - digest: the digest of the file; `nil` compares none.
  ///   - headers: fields in addition to the session's, none of which is secret.
  public static func download(
    _ url: some URLConvertible, to destination: Destination, expecting digest: ExpectedDigest? = nil,
    headers: RequestHeaders = RequestHeaders()
  ) -> QueuedTransfer {
    QueuedTransfer(
      request: Self.result { OutgoingRequest(url: try url.asURL(relativeTo: nil), headers: try headers.fields) },
      content: .download(destination, digest))
  }

  /// An upload of a file, which is read when it is sent and must not change before.
  public static func upload(
    file path: String, to url: some URLConvertible, method: HTTPRequest.Method = .post,
    headers: RequestHeaders = RequestHeaders()
  ) -> QueuedTransfer {
    upload(
      Self.result {
        OutgoingRequest(
          url: try url.asURL(relativeTo: nil), method: method, headers: try headers.fields, body: .file(path))
      })
  }

  /// An upload of the request's body, such as a form.
  ///
  /// A body that is a whole file is read when it is sent. Any other body is written once to the queue's folder, when
  /// the transfer is added. The options of the request are not stored: `TransferQueue.add(_:priority:)` refuses a request
  /// that has any, those of plugins included, with an error of kind `invalidRequest` that names them.
  ///
  /// ```swift
  /// let photos = try OutgoingRequest("https://example.com/photos", method: .post).encoding(multipart: form())
  /// try await second.add(.upload(photos))
  /// ```
  public static func upload(_ request: OutgoingRequest) -> QueuedTransfer { upload(.success(request)) }

  private static func upload(_ request: Result<OutgoingRequest, LupineError>) -> QueuedTransfer {
    QueuedTransfer(request: request, content: .upload((try? request.get().body) ?? .none))
  }

  private static func result(_ make: () throws -> OutgoingRequest) -> Result<OutgoingRequest, LupineError> {
    do {
      return .success(try make())
    } catch {
      return .failure(
        error as? LupineError
          ?? LupineError(.invalidRequest, "The transfer could not be described: \(error).", underlying: error))
    }
  }

  private init(request: Result<OutgoingRequest, LupineError>, content: Content) {
    self.request = request
    self.content = content
  }
}
