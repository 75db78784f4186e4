@_exported public import HTTPTypes
@_exported public import LupineCore

#if Curl
  @_exported public import LupineCurl
#endif
#if Compression
  @_exported public import LupineCompression
#endif
