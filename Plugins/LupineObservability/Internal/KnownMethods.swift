#if Observability
  import Glibc

  /// The methods that telemetry calls by their names.
  enum KnownMethods {
    /// Those that the environment names, as OpenTelemetry says; otherwise the standard's.
    static let all = named(by: getenv("OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS").map { String(cString: $0) })

    /// The methods of a list with commas, whose capitals count; of none, those of RFC 9110, RFC 5789 and QUERY.
    static func named(by list: String?) -> Set<String> {
      let names = (list ?? "").split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
      return names.isEmpty ? standard : Set(names)
    }

    private static let standard: Set<String> = [
      "GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "QUERY",
    ]
  }
#endif
