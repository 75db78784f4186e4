import LupineCore
import LupineEventLoop

/// The errors of connections that cannot be made.
enum ConnectFailure {
  /// The connect timeout passed before there was a connection.
  static let timeout = LupineError(.timedOut(.connect), "The connection was not made in time.")

  /// The error of a failed lookup of the peer's name.
  static func lookupError(_ error: LupineError, _ proxy: Proxy?) -> LupineError {
    guard let proxy, error.kind == .hostNotFound else { return error }
    return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(error.message)")
  }

  /// The error of a system call, for an exchange on this route.
  static func error(_ error: SystemError, on route: Route) -> LupineError {
    if error.isDescriptorShortage { return error.failure("A socket cannot be created") }
    let (key, detail) = (route.connectionKey, "(\(error.text))")
    if let proxy = route.proxy {
      return LupineError(.proxyFailed, "The proxy \(proxy) made no connection. \(detail)")
    }
    if let path = key.unixSocket {
      return LupineError(
        .connectionFailed, "No connection can be made to the socket \(path); is its server running? \(detail)")
    }
    if error.isRefusal {
      return LupineError(
        .connectionRefused, "The server's machine refused the connection; is the server running? \(detail)")
    }
    if error.isUnreachable {
      return LupineError(
        .networkUnreachable, "There is no route to the server; is this machine on the network? \(detail)")
    }
    if let address = key.localAddress {
      return LupineError(.connectionFailed, "No connection can be made from \(address), the local address. \(detail)")
    }
    return LupineError(.connectionFailed, "The connection to the server could not be made. \(detail)")
  }
}
