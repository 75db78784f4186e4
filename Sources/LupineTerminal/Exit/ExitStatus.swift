#if Terminal
  import ArgumentParser

  /// The exit codes of the program; the manual page has the same table.
  ///
  /// A code that curl has for the same reason has curl's number.
  enum ExitStatus: Int32, CaseIterable, Error {
    case success = 0
    case failure = 1
    case usage = 2
    case redirectStatus = 3
    case clientErrorStatus = 4
    case serverErrorStatus = 5
    case nameNotFound = 6
    case notConnected = 7
    case malformedResponse = 8
    case fileFailed = 23
    case bodyFailed = 26
    case timedOut = 28
    case digestMismatch = 32
    case tlsFailed = 35
    case redirectFailed = 47
    case connectionLost = 56
    case certificateRejected = 60
    case decodingFailed = 61
    case limitExceeded = 63
    case pinMismatch = 90
    case proxyFailed = 97

    /// The reason, as the help and the manual page show it.
    var meaning: String {
      switch self {
      case .success: "The command succeeded."
      case .failure: "Another failure, which the message explains."
      case .usage: "The arguments are wrong, or the chosen parts do not support them."
      case .redirectStatus: "With --check-status, the status is 3xx."
      case .clientErrorStatus: "With --check-status, the status is 4xx."
      case .serverErrorStatus: "With --check-status, the status is 5xx."
      case .nameNotFound: "The name of the host was not found."
      case .notConnected: "The connection was refused, or the host cannot be reached."
      case .malformedResponse: "The response violates HTTP."
      case .fileFailed: "A file could not be read or written, or the output could not be written."
      case .bodyFailed: "The content of the request could not be read."
      case .timedOut: "A time limit passed."
      case .digestMismatch: "A downloaded file does not have the expected digest."
      case .tlsFailed: "The TLS handshake failed."
      case .redirectFailed: "A redirect could not be followed."
      case .connectionLost: "The connection ended before the response was complete."
      case .certificateRejected: "The certificate of the server was rejected."
      case .decodingFailed: "The content could not be decoded."
      case .limitExceeded: "A size limit was exceeded."
      case .pinMismatch: "The server does not have a pinned key."
      case .proxyFailed: "The proxy refused the request or could not be reached."
      }
    }

    /// The table for the help.
    static var table: String {
      allCases.map { status in
        let code = "\(status.rawValue)"
        return String(repeating: " ", count: 4 - code.count) + code + "  " + status.meaning
      }.joined(separator: "\n")
    }

    /// The code for the class of a status; `nil` for 1xx and 2xx.
    init?(statusClassOf code: Int) {
      switch code {
      case 300..<400: self = .redirectStatus
      case 400..<500: self = .clientErrorStatus
      case 500...: self = .serverErrorStatus
      default: return nil
      }
    }

    var exitCode: ExitCode { ExitCode(rawValue) }
  }
#endif
