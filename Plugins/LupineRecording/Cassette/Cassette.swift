public import HTTPTypes
public import LupineCore
public import LupineFoundation

/// The exchanges of one recording, as its file has them.
///
/// The values contain no secret: each secret value is replaced by a placeholder when the exchange is recorded.
public struct Cassette: Sendable, Hashable {
  /// The facts about the recording as a whole.
  public var header: Header
  /// The exchanges, in the order in which their requests were first sent.
  public var entries: [Entry]

  /// Creates a cassette.
  ///
  /// - Parameter entries: the exchanges. Default: none.
  public init(header: Header, entries: [Entry] = []) {
    self.header = header
    self.entries = entries
  }

  /// The newest version of the format, which this module writes.
  public static let version = 1
}

extension Cassette {
  /// The facts about a recording as a whole: the first line of its file.
  public struct Header: Sendable, Hashable {
    /// The session's date when the recording began.
    public var date: Date
    /// The capabilities of the transport that was recorded.
    public var capabilities: TransportCapabilities
    /// The servers, by origin, such as `https://api.example.com`.
    public var origins: [String: Origin]

    /// Describes a recording.
    ///
    /// - Parameter origins: the servers by origin. Default: none.
    public init(date: Date, capabilities: TransportCapabilities, origins: [String: Origin] = [:]) {
      self.date = date
      self.capabilities = capabilities
      self.origins = origins
    }
  }

  /// The recorded facts about a server.
  public struct Origin: Sendable, Hashable {
    /// The address of the last connection, such as `192.0.2.1:443`; `nil` if the transport reported none.
    public var address: String?
    /// The certificates that the server presented, in DER, its own first; empty without TLS.
    public var certificates: [Data]
    /// The chain from the server's certificate to a trusted root that the transport verified for an evaluator, in DER;
    /// empty if it verified none, or no evaluator judged the server.
    public var verifiedCertificates: [Data]
    /// The result of the last TLS handshake; `nil` without TLS, and in cassettes of older versions of this module.
    public var tls: TLS?

    /// Describes a server.
    public init(
      address: String? = nil, certificates: [Data] = [], verifiedCertificates: [Data] = [], tls: TLS? = nil
    ) {
      self.address = address
      self.certificates = certificates
      self.verifiedCertificates = verifiedCertificates
      self.tls = tls
    }
  }

  /// The result of a TLS handshake.
  public struct TLS: Sendable, Hashable {
    /// The version of TLS, such as `TLSv1.3`.
    public var version: String
    /// The cipher suite, such as `TLS_AES_256_GCM_SHA384`.
    public var cipher: String
    /// The protocol from the ALPN negotiation (RFC 7301), such as `h2`; `nil` without one.
    public var applicationProtocol: String?

    /// Describes a handshake.
    public init(version: String, cipher: String, applicationProtocol: String? = nil) {
      self.version = version
      self.cipher = cipher
      self.applicationProtocol = applicationProtocol
    }
  }

  /// One exchange: a block of lines of the file.
  public struct Entry: Sendable, Hashable {
    /// The request, with placeholders in the place of secrets.
    public var request: Request
    /// The time of the first sending, since the beginning of the recording.
    public var begin: Duration
    /// The interim responses, in order.
    public var interim: [Interim]
    /// The final response; `nil` if the exchange failed before its head arrived.
    public var response: Response?
    /// The end of the exchange.
    public var end: End
    /// The time of the end, since `begin`.
    public var duration: Duration
    /// Whether the exchange used a connection that an earlier one had made.
    ///
    /// If such a connection is lost before the response, a session sends the request again.
    public var isConnectionReused: Bool

    /// Describes an exchange.
    public init(
      request: Request, begin: Duration = .zero, interim: [Interim] = [], response: Response? = nil,
      end: End = .complete(trailers: nil), duration: Duration = .zero, isConnectionReused: Bool = false
    ) {
      self.request = request
      self.begin = begin
      self.interim = interim
      self.response = response
      self.end = end
      self.duration = duration
      self.isConnectionReused = isConnectionReused
    }
  }

  /// The request of an exchange, as the transport received it.
  public struct Request: Sendable, Hashable {
    /// The method.
    public var method: HTTPRequest.Method
    /// The URL, with placeholders.
    public var url: String
    /// The fields, with placeholders; without `Host` and the framing, which the transport adds.
    public var fields: HTTPFields
    /// The body, with placeholders; of an upload that was cut, the bytes that were sent.
    public var body: Content
    /// Whether the body was sent in part, because the exchange ended before.
    public var isCut: Bool

    /// Describes a request.
    public init(
      method: HTTPRequest.Method = .get, url: String, fields: HTTPFields = HTTPFields(), body: Content = .none,
      isCut: Bool = false
    ) {
      self.isCut = isCut
      self.method = method
      self.url = url
      self.fields = fields
      self.body = body
    }
  }

  /// An interim (1xx) response.
  public struct Interim: Sendable, Hashable {
    /// The head.
    public var head: HTTPResponse
    /// The time of its arrival, since the beginning of the exchange.
    public var after: Duration

    /// Describes an interim response.
    public init(head: HTTPResponse, after: Duration) {
      self.head = head
      self.after = after
    }
  }

  /// A final response.
  public struct Response: Sendable, Hashable {
    /// The head, with placeholders.
    public var head: HTTPResponse
    /// The version of HTTP; `nil` if the transport did not report it.
    public var version: ProtocolVersion?
    /// The sender.
    public var source: TransportResponse.Source
    /// The time of the head's arrival, since the beginning of the exchange.
    public var after: Duration
    /// The body, with placeholders.
    ///
    /// Of an exchange that failed it has the bytes that arrived.
    public var body: Content
    /// The content codings that are applied to the body again when it is played, in the order in which the server
    /// applied them; empty if the body has the bytes of the wire.
    public var codings: [String]
    /// The pieces in which the body arrived; their counts add up to the length of `body`.
    public var chunks: [Chunk]

    /// Describes a response.
    public init(
      head: HTTPResponse, version: ProtocolVersion? = nil, source: TransportResponse.Source = .origin,
      after: Duration = .zero, body: Content = .none, codings: [String] = [], chunks: [Chunk] = []
    ) {
      self.head = head
      self.version = version
      self.source = source
      self.after = after
      self.body = body
      self.codings = codings
      self.chunks = chunks
    }
  }

  /// One piece of a response's body.
  public struct Chunk: Sendable, Hashable {
    /// The time of its arrival, since the beginning of the exchange.
    public var after: Duration
    /// The number of bytes of the recorded body, after decoding, that it contains; 0 if a decoder had no output for it.
    public var count: Int

    /// Describes a piece.
    public init(after: Duration, count: Int) {
      self.after = after
      self.count = count
    }
  }

  /// The bytes of a body.
  public enum Content: Sendable, Hashable {
    /// There is no body, or it is empty.
    case none
    /// Bytes that stand in the cassette itself.
    case inline(Data)
    /// Bytes in a file beside the cassette.
    case file(FileContent)
    /// Bytes that are not kept, of which only the length and the digest are known.
    case digest(length: Int64, sha256: Data)
  }

  /// A file beside the cassette that has the bytes of a body.
  public struct FileContent: Sendable, Hashable {
    /// The name of the file in the folder of the cassette's files, without a path.
    public var name: String
    /// The number of bytes.
    public var length: Int64
    /// The SHA-256 of the bytes.
    public var sha256: Data

    /// Describes a file.
    public init(name: String, length: Int64, sha256: Data) {
      self.name = name
      self.length = length
      self.sha256 = sha256
    }
  }

  /// The end of an exchange.
  public enum End: Sendable, Hashable {
    /// The response arrived completely.
    case complete(trailers: HTTPFields?)
    /// The exchange failed with an error of the transport, before the head or after the bytes of the body.
    case failed(Failure)
    /// The client ended the exchange, as with a timeout or a cancellation: nothing more arrives.
    case stalled
  }

  /// An error of a transport.
  public struct Failure: Sendable, Hashable {
    /// The kind of the error, such as `connectionLost` or `timedOut(connect)`.
    public var kind: String
    /// The message, with placeholders.
    public var message: String
    /// Whether the server has certainly not processed the request.
    public var isUnprocessed: Bool
    /// The fault that causes such an error in a mock, in Swift syntax, such as `.reset(afterBytes: 1000)`; `nil` if
    /// none fits.
    public var fault: String?

    /// Describes an error.
    public init(kind: String, message: String, isUnprocessed: Bool = false, fault: String? = nil) {
      self.kind = kind
      self.message = message
      self.isUnprocessed = isUnprocessed
      self.fault = fault
    }
  }
}
