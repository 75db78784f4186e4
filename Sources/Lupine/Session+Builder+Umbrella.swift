import LupineCore
public import LupineSession

#if Authentication
  import LupineAuthentication
#endif
#if Curl
  import LupineCurl
#endif
#if Compression
  import LupineCompression
#endif

extension Session.Builder {
  /// Adds what the umbrella's default session has: libcurl, the content codings and the Digest scheme, as far as the traits
  /// bring them.
  ///
  /// What was named before stays: a transport, such as a mock, and a coding or a scheme of the same name. What is named
  /// afterwards takes the place of these.
  public func standardDefaults() -> Self {
    var builder = self
    #if Curl
      if !hasTransport { builder = builder.transport(.curl) }
    #endif
    #if Compression
      builder = builder.installDefault(.compression)
    #endif
    #if Authentication
      builder = builder.installDefault(.authentication)
    #endif
    return builder
  }
}
