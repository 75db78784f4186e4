import LupineCore
public import LupineSession

/// Adds the content codings gzip, deflate, br and zstd to a session.
///
/// Responses in these codings are decoded while they arrive, within the session's limits. `Accept-Encoding` names them
/// in the same order as browsers.
public struct Compression: Plugin {
  /// Creates the plugin with all four codings.
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
