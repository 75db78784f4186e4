#if Configuration
  public import Configuration
  import LupineCore
  public import LupineFoundation
  import LupineSession

  /// The keys that a provider holds, so that a key without a meaning is an issue.
  ///
  /// A `ConfigReader` cannot list its keys. The program lists those of the providers whose content it knows.
  public struct ListedKeys: Sendable {
    /// The issues with the listed keys.
    let issues: [ConfigurationIssue]

    /// - Parameter unknown: the listed keys that are no settings, as their provider writes them.
    private init(unknown: [String]) {
      issues = unknown.map {
        ConfigurationIssue(part: $0, reason: "no setting has this key; the guide \"Configuration\" lists the keys")
      }
    }

    private init(_ issue: ConfigurationIssue) { issues = [issue] }

    /// The names of environment variables, such as `ProcessInfo.processInfo.environment.keys`.
    ///
    /// A scope whose variables begin with `HTTP_` is an issue under CGI, because the client's request sets them.
    ///
    /// - Parameters:
    ///   - names: the names of all variables; those outside the scope are ignored.
    ///   - scope: the scope of the reader. The variables of the scope `client` begin with `CLIENT_`. Without a scope, no
    ///     variable can be told from those of other programs, and none is an issue.
    public static func environment(_ names: some Sequence<String>, scope: ConfigKey) -> ListedKeys {
      let encoder = EnvironmentVariablesProvider(environmentVariables: [:])
      func name(_ components: [String]) -> String? {
        try? encoder.value(forKey: AbsoluteConfigKey(components), type: .string).encodedKey
      }
      guard !scope.components.isEmpty, let scopeName = name(scope.components) else { return ListedKeys(unknown: []) }
      let names = Array(names)
      let prefix = scopeName + "_"
      if prefix.hasPrefix("HTTP_"), names.contains("GATEWAY_INTERFACE") || names.contains("REQUEST_METHOD") {
        let reason = "under CGI, a request sets the variables that begin with HTTP_; use another scope, such as client"
        return ListedKeys(ConfigurationIssue(part: "\(prefix)*", reason: reason))
      }
      let known = Set(SettingKey.allCases.compactMap { name(scope.components + $0.key.components) })
      return ListedKeys(unknown: names.filter { $0.hasPrefix(prefix) && !known.contains($0) }.sorted())
    }

    /// The keys of a provider, such as those of an `InMemoryProvider`; those outside the scope are ignored.
    ///
    /// - Parameters:
    ///   - keys: the keys, with the scope.
    ///   - scope: the scope of the reader. Default: none.
    public static func keys(_ keys: some Sequence<AbsoluteConfigKey>, scope: ConfigKey = []) -> ListedKeys {
      let known = Set(SettingKey.allCases.map { scope.components + $0.key.components })
      let unknown = keys.map(\.components).filter { $0.starts(with: scope.components) && !known.contains($0) }
      return ListedKeys(unknown: unknown.map { $0.joined(separator: ".") }.sorted())
    }

    /// The keys of a JSON file.
    ///
    /// Content that is not JSON lists no keys: the provider of the file reports it.
    ///
    /// - Parameters:
    ///   - content: the content of the file.
    ///   - scope: the scope of the reader. Default: none.
    public static func json(_ content: Data, scope: ConfigKey = []) -> ListedKeys {
      guard let root = try? JSONDecoder().decodeGuarded(JSONValue.self, from: content) else {
        return ListedKeys(unknown: [])
      }
      var found: [AbsoluteConfigKey] = []
      var open: [(key: [String], value: JSONValue)] = [([], root)]
      while let (key, value) = open.popLast() {
        if let object = value.object {
          open += object.map { (key + [$0.key], $0.value) }
        } else if !value.isNull {
          found.append(AbsoluteConfigKey(key))
        }
      }
      return keys(found, scope: scope)
    }
  }
#endif
