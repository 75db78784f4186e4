@_exported public import HTTPTypes
@_exported public import LupineCore
@_exported public import LupineMultipart
@_exported public import LupineReachability
@_exported public import LupineResilience

#if Curl
  @_exported public import LupineCurl
#endif
#if Compression
  @_exported public import LupineCompression
#endif
#if OpenSSL
  @_exported public import LupineOpenSSL
#endif
