/// Adds several parts to a session at once.
public protocol Plugin: Sendable {
  /// Adds its parts to the builder, as a program would by hand.
  func install(in builder: inout Session.Builder)
}
