#if Configuration
  import LupineCore
  import LupineSession

  /// Applies the settings of a configuration to a builder.
  struct SessionSettings {
    var builder = Session.Builder()
    var reader: SettingReader

    mutating func applyAddress() async {
      if let url = await reader.text(.baseURL) { builder = builder.baseURL(url) }
      guard let name = await reader.text(.httpVersion) else { return }
      if let version = ProtocolVersion(rawValue: name), version != .http1_0 {
        builder = builder.httpVersion(version)
      } else {
        reader.refuse(.httpVersion, "\"\(name)\" is not a version; write HTTP/1.1 or HTTP/2")
      }
    }

    /// Sets the timeouts if the configuration has one of them; the others keep their defaults.
    mutating func applyTimeouts() async {
      var timeouts = Timeouts()
      let connect = await reader.timeout(.connectTimeout)
      let idle = await reader.timeout(.idleTimeout)
      let total = await reader.timeout(.totalTimeout)
      let attempt = await reader.timeout(.attemptTimeout)
      guard connect != nil || idle != nil || total != nil || attempt != nil else { return }
      timeouts.connect = connect ?? timeouts.connect
      timeouts.idle = idle ?? timeouts.idle
      timeouts.total = total ?? timeouts.total
      timeouts.attempt = attempt ?? timeouts.attempt
      builder = builder.timeouts(
        connect: timeouts.connect, idle: timeouts.idle, total: timeouts.total, attempt: timeouts.attempt)
    }

    mutating func applyConnections() async {
      var options = ConnectionOptions()
      options.perHost = await reader.count(.connectionsPerHost)
      options.total = await reader.count(.connectionsInTotal)
      options.idleLifetime = await reader.duration(.connectionIdleLifetime)
      options.lifetime = await reader.duration(.connectionLifetime)
      if options != ConnectionOptions() { builder = builder.connections(options) }
    }

    mutating func applyProxy() async {
      let exceptions = await reader.texts(.proxyExceptions) ?? []
      let url = await reader.text(.proxyURL, isSecret: true)
      if await reader.flag(.environmentProxies) == true, url != SettingText.none {
        builder = builder.environmentProxies()
      }
      if let url, url != SettingText.none {
        builder = builder.proxy(url, except: exceptions)
      } else if url == nil, !exceptions.isEmpty {
        reader.refuse(.proxyExceptions, "there is no \(SettingKey.proxyURL.rawValue) to make exceptions from")
      }
    }

    mutating func applyTLS(_ pinning: (@Sendable ([String]) -> any TrustEvaluator)?) async {
      if let path = await reader.text(.certificateAuthorities) { builder = builder.certificateAuthorities(path) }
      if let path = await reader.text(.additionalCertificateAuthorities) {
        builder = builder.additionalCertificateAuthorities(path)
      }
      if let name = await reader.text(.minimumTLSVersion) {
        if let version = TLSVersion(rawValue: name) {
          builder = builder.tlsVersions(minimum: version)
        } else {
          let names = TLSVersion.allCases.map(\.rawValue).joined(separator: " or ")
          reader.refuse(.minimumTLSVersion, "\"\(name)\" is not a version; write \(names)")
        }
      }
      await applyPins(pinning)
    }

    private mutating func applyPins(_ pinning: (@Sendable ([String]) -> any TrustEvaluator)?) async {
      guard let entries = await reader.texts(.pins), entries != [SettingText.none] else { return }
      guard !entries.isEmpty else {
        return reader.refuse(.pins, "the list is empty; write none for a session without pins, or remove the key")
      }
      guard let pinning else {
        return reader.refuse(
          .pins, "the program passes no evaluator of pins; add pinning: { .publicKeys(PublicKeys($0)) }")
      }
      var pins: [String: [String]] = [:]
      for entry in entries {
        let words = entry.split(whereSeparator: \.isWhitespace).map(String.init)
        guard let host = words.first, words.count > 1 else {
          reader.refuse(.pins, "\"\(entry)\" is not a host and its pins, with spaces between them")
          continue
        }
        pins[host, default: []] += words.dropFirst()
      }
      if !pins.isEmpty { builder = builder.trust(pins.mapValues(pinning)) }
    }

    mutating func applyRetries() async {
      let limit = await reader.count(.retryLimit)
      let cap = await reader.duration(.maximumRetryDelay)
      let retryAfterCap = await reader.duration(.maximumRetryAfter)
      guard limit != 0, limit != nil || cap != nil || retryAfterCap != nil else { return }
      builder = builder.retrier(
        RetryPolicy(
          limit: limit ?? RetryPolicy.defaultLimit, cap: cap ?? RetryPolicy.defaultCap,
          retryAfterCap: retryAfterCap ?? RetryPolicy.defaultRetryAfterCap))
    }

    mutating func applyLimits() async {
      var limits = Limits()
      let bodies: [(SettingKey, WritableKeyPath<Limits, Int64>)] = [
        (.responseBodyLimit, \.responseBody), (.discardedBodyLimit, \.discardedBody), (.errorBodyLimit, \.errorBody),
      ]
      for (key, limit) in bodies {
        if let size = await reader.size(key) { limits[keyPath: limit] = size }
      }
      let sections: [(SettingKey, WritableKeyPath<Limits, Int>)] = [
        (.responseFieldsLimit, \.responseFields), (.trailersLimit, \.trailers),
        (.chunkExtensionsLimit, \.chunkExtensions), (.requestFieldsLimit, \.requestFields),
      ]
      for (key, limit) in sections {
        if let size = await reader.size(key) { limits[keyPath: limit] = Int(clamping: size) }
      }
      let counts: [(SettingKey, WritableKeyPath<Limits, Int>)] = [
        (.responseFieldCountLimit, \.responseFieldCount), (.informationalResponsesLimit, \.informationalResponses),
        (.contentCodingsLimit, \.contentCodings), (.redirectsLimit, \.redirects),
      ]
      for (key, limit) in counts {
        if let count = await reader.count(key) { limits[keyPath: limit] = count }
      }
      if let ratio = await reader.ratio(.decodingRatioLimit) { limits.decodingRatio = ratio }
      if limits != Limits() { builder = builder.limits(limits) }
    }
  }
#endif
