@_exported public import HTTPTypes
@_exported public import LupineMultipart
@_exported public import LupineReachability
@_exported public import LupineResilience
@_exported public import LupineSession
@_exported public import LupineStreams
@_exported public import LupineTransfers

#if Authentication
  @_exported public import LupineAuthentication
#endif
#if Cookies
  @_exported public import LupineCookies
#endif
#if Curl
  @_exported public import LupineCurl
#endif
#if Compression
  @_exported public import LupineCompression
#endif
#if OpenSSL
  @_exported public import LupineOpenSSL
#endif
