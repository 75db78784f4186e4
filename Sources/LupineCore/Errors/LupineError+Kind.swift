extension LupineError {
  /// What happened, as a program tells it apart.
  ///
  /// More cases may come; a `switch` over it keeps a `default`.
  public enum Kind: Sendable, Hashable {
    /// The URL is none, or is not one this library sends to.
    case invalidURL
    /// A method, a field, a body or an option cannot be sent as it stands.
    case invalidRequest
    /// The session cannot be built: every part that does not fit, all of them at once; or one turned out to be unusable when
    /// it was needed, such as a file of certificates.
    case configuration([ConfigurationIssue])
    /// The parameters could not be encoded.
    case parameterEncodingFailed
    /// The request's body could not be read: a file that is missing, a stream that threw.
    case bodyFailed
    /// A `RequestAdapter` threw.
    case adaptationFailed
    /// An `Interceptor` threw something of its own.
    case interceptionFailed

    /// An `AuthenticationInterceptor` has no credential to send the request with.
    case missingCredential
    /// The credential could not be refreshed.
    case refreshFailed
    /// The credential was refreshed so often in so short a time that another refresh would be no use.
    case excessiveRefresh

    /// A server, or a proxy, did not prove that it knows the password, as the session requires.
    case serverNotAuthenticated

    /// The host's name has no address.
    case hostNotFound
    /// The server's machine refused the connection.
    case connectionRefused
    /// No route to the network or the host.
    case networkUnreachable
    /// The connection could not be made for another reason.
    case connectionFailed
    /// The connection ended before the response did; `LupineError.isUnprocessed` says whether the server is known not to
    /// have acted on the request.
    case connectionLost
    /// The TLS handshake failed.
    case tlsFailed
    /// The server's certificate was judged and refused.
    case certificateRejected
    /// A proxy refused, or could not be reached.
    case proxyFailed
    /// The session's network policy refuses the address that the host has.
    case addressRefused
    /// A timeout passed.
    case timedOut(Timeout)
    /// The task or the request was cancelled.
    case cancelled
    /// The session was shut down while the request ran, or before it began.
    case sessionShutDown

    /// The response breaks the rules of HTTP; its connection is not used again.
    case malformedResponse
    /// One of the limits was exceeded; the message names it.
    case limitExceeded(Limits.Name)
    /// The response's content coding could not be undone.
    case contentDecodingFailed
    /// A response's or download's file could not be written.
    case fileFailed

    /// An interrupted download cannot be continued, and was not to begin anew.
    case resumeFailed
    /// A downloaded file does not have the digest that was expected.
    case digestMismatch

    /// A redirect could not be followed.
    case redirectFailed

    /// `validate(statusCode:)` refused this status.
    case unacceptableStatusCode(Int)
    /// `validate(contentType:)` refused this media type; `nil` when the response had none.
    case unacceptableContentType(String?)
    /// A validation closure refused the response.
    case validationFailed

    /// The response's body was empty where the serializer needs one.
    case emptyResponse
    /// The response's body could not be made into the value asked for.
    case serializationFailed

    /// A retrier ended the request with an error of its own.
    case retryRefused
    /// A kind that a plugin declares; see `PluginKind`.
    case plugin(PluginKind)
    /// None of the others; the message and `underlying` tell.
    case other

    /// The name of the kind without its value, such as `timedOut`; a plugin's kind has the name that the plugin gave it.
    public var name: String {
      String(text.prefix { $0 != "(" })
    }

    /// The kind as messages show it: with its value, and a plugin's kind by its name.
    var text: String {
      if case .plugin(let kind) = self { kind.name } else { "\(self)" }
    }
  }

  /// A kind of error that a plugin declares, so that programs tell its errors apart.
  ///
  /// The plugin gives it a name that no other plugin uses, and offers it beside the library's own kinds:
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

    /// Makes a kind of its name.
    public init(_ name: String) { self.name = name }

    /// Makes a kind of its name.
    public init(stringLiteral name: String) { self.name = name }

    /// The name.
    public var description: String { name }
  }

  /// Which timeout passed.
  public enum Timeout: String, Sendable, Hashable {
    /// Name lookup, connection and TLS handshake together took too long.
    case connect
    /// Neither the request nor the response made progress for too long.
    ///
    /// Bytes that are part of neither, such as frames of HTTP/2 without content or a head that is not complete, do not
    /// count.
    case idle
    /// The request as a whole, retries included, took too long.
    case total
    /// One attempt, with its redirects and challenges, took too long.
    case attempt
  }
}

extension LupineError {
  /// Whether the request was cancelled, by the program or by the task that awaited it.
  ///
  /// A cancelled request throws this error and no `CancellationError`: code that tells cancellation by that type, as some
  /// libraries do, must ask this as well.
  public var isCancelled: Bool { kind == .cancelled }
}

extension LupineError {
  /// Whether a connection was lost or could not be made, so that another one may succeed.
  package var isLostConnection: Bool {
    switch kind {
    case .connectionLost, .connectionRefused, .connectionFailed, .networkUnreachable, .hostNotFound: true
    case .timedOut(let bound): bound != .total
    default: false
    }
  }
}
