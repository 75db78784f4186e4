import Lupine

/// Makes a session with compression and a total timeout, over the transport of the current test.
func networkSession(
  total: Duration? = .seconds(30), _ change: (Session.Builder) -> Session.Builder = { $0 }
) throws -> Session {
  let builder = Session.Builder().transport(.curl).install(.compression).timeouts(total: total)
  return try change(builder).build()
}

extension HTTPField.Name {
  static let custom = HTTPField.Name("X-Custom") ?? .server
  static let secret = HTTPField.Name("X-Secret") ?? .server
  static let apiKey = HTTPField.Name("X-API-Key") ?? .server
  static let refererField = HTTPField.Name("Referer") ?? .server
}
