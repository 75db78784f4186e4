@_exported public import HTTPTypes
@_exported public import LupineCache
@_exported public import LupineMultipart
@_exported public import LupineReachability
@_exported public import LupineResilience
@_exported public import LupineSession
@_exported public import LupineStreams
@_exported public import LupineTransfers

#if Standard
  @_exported public import LupineAuthentication
  @_exported public import LupineCompression
  @_exported public import LupineCookies
  @_exported public import LupineCurl
  @_exported public import LupineOpenSSL
#endif

#if Standard || Native
  @_exported public import LupineNative
#endif
