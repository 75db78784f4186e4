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
  /// Adds the parts of the default session that the traits enable: libcurl, the content codings and the Digest scheme.
  ///
  /// Earlier settings stay: a transport, such as a mock, and a coding or a scheme of the same name. Later settings
  /// replace these.
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
