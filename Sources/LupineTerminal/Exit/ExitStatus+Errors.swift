#if Terminal
  import LupineCore
  import LupineOpenSSL

  extension ExitStatus {
    /// The code for an error of the library.
    init(_ error: LupineError) {
      self = Self.ofConnection(error) ?? Self.ofContent(error) ?? .failure
    }

    private static func ofConnection(_ error: LupineError) -> ExitStatus? {
      switch error.kind {
      case .invalidURL, .invalidRequest, .configuration: .usage
      case .hostNotFound: .nameNotFound
      case .connectionRefused, .networkUnreachable, .connectionFailed, .addressRefused: .notConnected
      case .connectionLost: .connectionLost
      case .timedOut: .timedOut
      case .tlsFailed: .tlsFailed
      case .certificateRejected:
        (error.underlying as? TrustFailure)?.check == .pin ? .pinMismatch : .certificateRejected
      case .proxyFailed: .proxyFailed
      default: nil
      }
    }

    private static func ofContent(_ error: LupineError) -> ExitStatus? {
      switch error.kind {
      case .malformedResponse: .malformedResponse
      case .bodyFailed: .bodyFailed
      case .fileFailed, .resumeFailed: .fileFailed
      case .digestMismatch: .digestMismatch
      case .contentDecodingFailed, .serializationFailed: .decodingFailed
      case .limitExceeded(.redirects), .redirectFailed: .redirectFailed
      case .limitExceeded: .limitExceeded
      case .unacceptableStatusCode(let code): ExitStatus(statusClassOf: code)
      default: nil
      }
    }
  }
#endif
