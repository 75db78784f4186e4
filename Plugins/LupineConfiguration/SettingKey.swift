#if Configuration
  import Configuration

  /// The keys of a session's settings, relative to the scope of the reader.
  enum SettingKey: String, CaseIterable, Sendable {
    case transport
    case baseURL
    case httpVersion
    case connectTimeout = "timeouts.connect"
    case idleTimeout = "timeouts.idle"
    case totalTimeout = "timeouts.total"
    case attemptTimeout = "timeouts.attempt"
    case connectionsPerHost = "connections.perHost"
    case connectionsInTotal = "connections.total"
    case connectionIdleLifetime = "connections.idleLifetime"
    case connectionLifetime = "connections.lifetime"
    case proxyURL = "proxy.url"
    case proxyExceptions = "proxy.except"
    case environmentProxies = "proxy.environment"
    case pins
    case certificateAuthorities = "tls.authorities"
    case additionalCertificateAuthorities = "tls.additionalAuthorities"
    case minimumTLSVersion = "tls.minimumVersion"
    case retryLimit = "retry.limit"
    case maximumRetryDelay = "retry.maximumDelay"
    case maximumRetryAfter = "retry.maximumRetryAfter"
    case cache
    case log
    case responseBodyLimit = "limits.responseBody"
    case discardedBodyLimit = "limits.discardedBody"
    case errorBodyLimit = "limits.errorBody"
    case responseFieldsLimit = "limits.responseFields"
    case responseFieldCountLimit = "limits.responseFieldCount"
    case informationalResponsesLimit = "limits.informationalResponses"
    case trailersLimit = "limits.trailers"
    case chunkExtensionsLimit = "limits.chunkExtensions"
    case requestFieldsLimit = "limits.requestFields"
    case decodingRatioLimit = "limits.decodingRatio"
    case contentCodingsLimit = "limits.contentCodings"
    case redirectsLimit = "limits.redirects"

    /// The key as swift-configuration represents it.
    var key: ConfigKey { ConfigKey(rawValue) }
  }
#endif
