/// Adds several parts to a session at once.
public protocol Plugin: Sendable {
  /// Adds the parts of the plugin to the builder.
  func install(in builder: inout Session.Builder)
}
