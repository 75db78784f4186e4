import LupineCore
public import LupineSession

/// Brings the content codings gzip, deflate, br and zstd to a session.
///
/// Responses in these codings are decoded while they arrive, within the session's limits, and `Accept-Encoding` names
/// them in the order in which browsers do.
public struct Compression: Plugin {
  /// Brings all four codings.
  public init() {}

  /// Adds the codings to the builder.
  public func install(in builder: inout Session.Builder) {
    builder = builder.contentCoding(.gzip).contentCoding(.deflate).contentCoding(.brotli).contentCoding(.zstd)
  }
}

extension Plugin where Self == Compression {
  /// The content codings gzip, deflate, br and zstd.
  public static var compression: Compression { Compression() }
}
