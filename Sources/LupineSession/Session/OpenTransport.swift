import LupineCore

/// A session's transport in an object of its own, which is handed to a request at the cost of a retain; a value of any
/// type is copied at a higher one.
final class OpenTransport: Sendable {
  let transport: any Transport

  init(_ transport: any Transport) { self.transport = transport }
}
