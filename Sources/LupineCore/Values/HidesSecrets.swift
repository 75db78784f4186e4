/// A value that shows people its description alone: neither `dump`, nor a debugger, nor the message of a test that fails
/// finds what else is in it.
public protocol HidesSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension HidesSecrets {
  /// The same as the description.
  public var debugDescription: String { description }

  /// A mirror without children.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
