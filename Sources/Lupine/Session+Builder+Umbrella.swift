public import LupineCore

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
  public func umbrellaDefaults() -> Self {
    var builder = self
    #if Curl
      builder = builder.transport(.curl)
    #endif
    #if Compression
      builder = builder.install(.compression)
    #endif
    #if Authentication
      builder = builder.install(.authentication)
    #endif
    return builder
  }
}
