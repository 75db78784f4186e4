extension LupineError {
  /// The category of the error.
  ///
  /// More cases may be added; a `switch` over it needs a `default`.
  public enum Kind: Sendable, Hashable {
    /// The URL is invalid, or this library does not support it.
    case invalidURL
    /// A method, a field, a body or an option cannot be sent.
    case invalidRequest
    /// The session cannot be built, with every part that does not fit.
    ///
    /// The kind is also used if a part proved unusable when it was needed, such as a file of certificates.
    case configuration([ConfigurationIssue])
    /// The parameters could not be encoded.
    case parameterEncodingFailed
    /// The request's body could not be read, such as a missing file or a stream that threw.
    case bodyFailed
    /// A `RequestAdapter` threw.
    case adaptationFailed
    /// An `Interceptor` threw an error that is not a `LupineError`.
    case interceptionFailed

    /// An `AuthenticationInterceptor` has no credential to send the request with.
    case missingCredential
    /// The credential could not be refreshed.
    case refreshFailed
    /// The credential was refreshed too often in a short time, so that another refresh is useless.
    case excessiveRefresh

    /// A server or a proxy did not prove that it knows the password, as the session requires.
    case serverNotAuthenticated

    /// The host name has no address.
    case hostNotFound
    /// The server's machine refused the connection.
    case connectionRefused
    /// There is no route to the network or the host.
    case networkUnreachable
    /// The connection could not be made for another reason.
    case connectionFailed
    /// The connection ended before the response did.
    ///
    /// `LupineError.isUnprocessed` states whether the server is known not to have processed the request.
    case connectionLost
    /// The TLS handshake failed.
    case tlsFailed
    /// The trust evaluation refused the server's certificate.
    case certificateRejected
    /// A proxy refused the request or could not be reached.
    case proxyFailed
    /// The session's network policy refuses the host's address.
    case addressRefused
    /// A timeout passed.
    case timedOut(Timeout)
    /// The task or the request was cancelled.
    case cancelled
    /// The session was shut down while the request ran, or before it began.
    case sessionShutDown

    /// The response violates HTTP.
    ///
    /// Its connection is not reused.
    case malformedResponse
    /// A limit was exceeded; the message names it.
    case limitExceeded(Limits.Name)
    /// The response's content coding could not be decoded.
    case contentDecodingFailed
    /// A response's or download's file could not be written.
    case fileFailed

    /// An interrupted download cannot be continued, and a restart was not allowed.
    case resumeFailed
    /// A downloaded file does not have the expected digest.
    case digestMismatch

    /// A redirect could not be followed.
    case redirectFailed
    /// The link to the next page could not be followed.
    case paginationFailed

    /// `validate(statusCode:)` refused this status.
    case unacceptableStatusCode(Int)
    /// `validate(contentType:)` refused this media type; `nil` when the response had none.
    case unacceptableContentType(String?)
    /// A validation closure refused the response.
    case validationFailed

    /// The response's body is empty but the serializer needs data.
    case emptyResponse
    /// The response's body could not be converted to the requested value.
    case serializationFailed

    /// A retrier ended the request with its own error.
    case retryRefused
    /// A kind that a plugin declares; see `PluginKind`.
    case plugin(PluginKind)
    /// Any other error; see the message and `underlying`.
    case other

    /// The name of the kind without its value, such as `timedOut`.
    ///
    /// A plugin's kind has the name from the plugin.
    public var name: String {
      String(text.prefix { $0 != "(" })
    }

    /// The kind in messages, with its value.
    ///
    /// A plugin's kind appears by its name.
    var text: String {
      if case .plugin(let kind) = self { kind.name } else { "\(self)" }
    }
  }

  /// A kind of error that a plugin declares, so that programs can distinguish its errors.
  ///
  /// The plugin gives it a unique name and declares it beside the library's own kinds:
  ///
  ///     extension LupineError.Kind {
  ///       /// The server answered from a backup.
  ///       public static let staleBackup = LupineError.Kind.plugin("staleBackup")
  ///     }
  ///
  /// A program then compares `error.kind == .staleBackup`, or writes `case .staleBackup:` in a `switch`.
  public struct PluginKind: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name.
    public let name: String

    /// Creates a kind from its name.
    public init(_ name: String) { self.name = name }

    /// Creates a kind from its name.
    public init(stringLiteral name: String) { self.name = name }

    /// The name.
    public var description: String { name }
  }

  /// The timeout that passed.
  public enum Timeout: String, Sendable, Hashable, CustomStringConvertible {
    /// Name lookup, connection and TLS handshake together took too long.
    case connect
    /// Neither the request nor the response made progress for too long.
    ///
    /// Other bytes do not count, such as HTTP/2 frames without content or parts of an incomplete head.
    case idle
    /// The request as a whole, retries included, took too long.
    case total
    /// One attempt, with its redirects and challenges, took too long.
    case attempt

    /// The name of the timeout, such as `total`.
    public var description: String { rawValue }
  }
}

extension LupineError {
  /// Whether the request was cancelled by the program or by the task that awaited it.
  ///
  /// A cancelled request throws this error and not `CancellationError`. Code that checks for that type must check this
  /// property as well.
  public var isCancelled: Bool { kind == .cancelled }
}

extension LupineError {
  /// Whether a connection was lost or could not be made, so that another one may succeed.
  public var isLostConnection: Bool {
    switch kind {
    case .connectionLost, .connectionRefused, .connectionFailed, .networkUnreachable, .hostNotFound: true
    case .timedOut(let bound): bound != .total
    default: false
    }
  }
}

/// One part of a session's configuration that does not fit the others.
public struct ConfigurationIssue: Sendable, Hashable, CustomStringConvertible {
  /// The part of the builder, such as `trust` or `baseURL`.
  public let part: String
  /// The reason, with advice.
  public let reason: String

  /// Creates an issue.
  public init(part: String, reason: String) {
    self.part = part
    self.reason = reason
  }

  /// The part and the reason, on one line.
  public var description: String { "\(part): \(reason)" }
}
