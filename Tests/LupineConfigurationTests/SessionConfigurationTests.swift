@testable import LupineSession

#if Configuration
  import Configuration
  import Foundation
  import HTTPTypes
  import LupineCache
  import LupineConfiguration
  import LupineCore
  import LupineMock
  import LupineOpenSSL
  import Synchronization
  import Testing

  /// The ways to give the same settings to a session.
  enum Source: String, CaseIterable, Sendable {
    case environment, json, memory

    /// A reader of settings whose values are texts, numbers or texts in a list.
    func reader(_ settings: [String: JSONValue]) throws -> ConfigReader {
      switch self {
      case .environment:
        let encoder = EnvironmentVariablesProvider(environmentVariables: [:])
        var variables: [String: String] = [:]
        for (key, value) in settings {
          let name = try encoder.value(forKey: absolute(key), type: .string).encodedKey
          variables[name] = text(value)
        }
        return reader(EnvironmentVariablesProvider(environmentVariables: variables))
      case .json:
        let content = try JSONEncoder().encode(["client": nested(settings)])
        return reader(try JSONProvider(content))
      case .memory:
        let values = settings.map { (absolute($0.key), content($0.value)) }
        return reader(InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values)))
      }
    }

    private func absolute(_ key: String) -> AbsoluteConfigKey {
      AbsoluteConfigKey(["client"]).appending(ConfigKey(key))
    }

    private func reader(_ provider: some ConfigProvider) -> ConfigReader {
      ConfigReader(provider: provider).scoped(to: "client")
    }

    private func text(_ value: JSONValue) -> String {
      if let list = value.array { return list.map(text).joined(separator: ",") }
      return value.string ?? value.int.map { "\($0)" } ?? value.bool.map { "\($0)" } ?? ""
    }

    private func content(_ value: JSONValue) -> ConfigValue {
      if let list = value.array { return ConfigValue(.stringArray(list.map(text)), isSecret: false) }
      if let number = value.int { return ConfigValue(.int(number), isSecret: false) }
      if let flag = value.bool { return ConfigValue(.bool(flag), isSecret: false) }
      return ConfigValue(.string(text(value)), isSecret: false)
    }

    private func nested(_ settings: [String: JSONValue]) -> [String: JSONValue] {
      var object: [String: JSONValue] = [:]
      for (key, value) in settings {
        let names = key.split(separator: ".").map(String.init)
        if names.count == 1 {
          object[key] = value
        } else {
          var inner = object[names[0]]?.object ?? [:]
          inner[names[1]] = value
          object[names[0]] = .object(inner)
        }
      }
      return object
    }
  }

  /// A provider of the content of a JSON file.
  struct JSONProvider: ConfigProvider {
    let content: JSONSnapshot
    let providerName = "JSON"

    init(_ data: Data) throws {
      content = try JSONSnapshot(data: data.bytes, providerName: providerName, parsingOptions: .default)
    }

    func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
      try content.value(forKey: key, type: type)
    }

    func fetchValue(forKey key: AbsoluteConfigKey, type: ConfigType) async throws -> LookupResult {
      try content.value(forKey: key, type: type)
    }

    func watchValue<Return: ~Copyable>(
      forKey key: AbsoluteConfigKey, type: ConfigType,
      updatesHandler: (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws -> Return
    ) async throws -> Return {
      try await watchValueFromValue(forKey: key, type: type, updatesHandler: updatesHandler)
    }

    func snapshot() -> any ConfigSnapshot { content }

    func watchSnapshot<Return: ~Copyable>(
      updatesHandler: (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
      try await watchSnapshotFromSnapshot(updatesHandler: updatesHandler)
    }
  }

  @Suite struct SessionConfigurationTests {
    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func issues(of builder: Session.Builder) -> Set<String> {
      do throws(LupineError) {
        _ = try builder.build()
        return []
      } catch {
        guard case .configuration(let issues) = error.kind else { return ["\(error)"] }
        return Set(issues.map(\.description))
      }
    }

    @Test(arguments: Source.allCases)
    func `the settings apply to the requests of the session`(_ source: Source) async throws {
      let mock = MockTransport()
      mock.stub(.get, "/v1/users", .text("hello"))
      let names = Mutex<[String]>([])
      let reader = try source.reader([
        "transport": "mock", "baseURL": "https://api.example.com/v1", "log": ["first", "second"],
        "limits.responseBody": "4B",
      ])
      let session = try await Session.Builder(
        configuration: reader, transports: ["mock": mock],
        logs: [
          "first": .custom { event in
            if case .started = event.kind { names.withLock { $0.append("first") } }
          },
          "second": .custom { event in
            if case .started = event.kind { names.withLock { $0.append("second") } }
          },
        ]
      ).build()
      let response = await session.request("users").serializingString().response
      #expect(response.error?.kind == .limitExceeded(.responseBody))
      #expect("\(try #require(mock.requests.first).url)" == "https://api.example.com/v1/users")
      #expect(names.withLock { $0 } == ["first", "second"])
    }

    @Test(
      arguments: Source.allCases,
      [
        (["timeouts.total": "59.5s"], .total), (["timeouts.total": "61s"], .idle),
        (["timeouts.total": "61s", "timeouts.idle": "none"], .total), (["timeouts.idle": "250 ms"], .idle),
        (["timeouts.attempt": "1m", "timeouts.idle": "1h"], .attempt),
      ] as [([String: JSONValue], LupineError.Timeout)])
    func `a timeout of the configuration ends a request that stalls`(
      _ source: Source, _ settings: ([String: JSONValue], LupineError.Timeout)
    ) async throws {
      let mock = MockTransport()
      mock.stub(.get, "/", .stall)
      let session = try await Session.Builder(configuration: try source.reader(settings.0)).transport(mock)
        .clock(ImmediateClock()).build()
      let response = await session.request("https://api.example.com/").serializingData().response
      #expect(response.error?.kind == .timedOut(settings.1))
    }

    @Test(arguments: Source.allCases)
    func `a retry limit and a cache come from the configuration`(_ source: Source) async throws {
      let mock = MockTransport()
      mock.stub(.get, "/fails", .status(.serviceUnavailable))
      mock.stub(.get, "/kept", .text("kept").field("Cache-Control", "max-age=60"))
      let reader = try source.reader([
        "transport": "mock", "baseURL": "https://api.example.com", "retry.limit": 3, "retry.maximumDelay": "1ms",
        "cache": "memory",
      ])
      let session = try await Session.Builder(
        configuration: reader, transports: ["mock": mock], caches: ["memory": .cache(HTTPCache(memory: .megabytes(1)))]
      ).clock(ImmediateClock()).build()
      _ = await session.request("fails").serializingData().response
      #expect(mock.requests.count == 4)
      for _ in 0..<2 { #expect(try await session.request("kept").serializingString().value == "kept") }
      #expect(mock.requests.count == 5)
    }

    @Test(arguments: Source.allCases)
    func `build reports every value that cannot be used`(_ source: Source) async throws {
      let reader = try source.reader([
        "transport": "moc", "baseURL": "api.example.com", "timeouts.total": "30", "timeouts.idle": "1 day",
        "httpVersion": "2", "connections.perHost": -1, "proxy.url": "ftp://proxy.example.com",
        "pins": ["api.example.com sha256/short", "alone.example.com"], "tls.minimumVersion": "SSLv3",
        "retry.limit": -2, "cache": "disk", "log": ["file"], "limits.responseBody": "4mb", "limits.redirects": "many",
      ])
      let builder = await Session.Builder(
        configuration: reader, transports: ["mock": MockTransport(), "other": MockTransport()],
        pinning: { .publicKeys(PublicKeys($0)) })
      let found = issues(of: builder.transport(MockTransport()))
      let expected = [
        #"transport: "moc" is unknown; the names are "mock", "other""#,
        "baseURL: ",
        #"timeouts.total: "30" is not a duration; write a number and ms, s, m or h, such as 30s, or none"#,
        #"timeouts.idle: "1 day" is not a duration; write a number and ms, s, m or h, such as 30s, or none"#,
        #"httpVersion: "2" is not a version; write HTTP/1.1 or HTTP/2"#,
        "connections.perHost: -1 is negative",
        "proxy: ",
        #"trust: api.example.com: "sha256/short" is not a pin"#,
        #"pins: "alone.example.com" is not a host and its pins, with spaces between them"#,
        #"tls.minimumVersion: "SSLv3" is not a version; write TLSv1.2 or TLSv1.3"#,
        "retry.limit: -2 is negative",
        #"cache: "disk" is unknown; the program passes no parts"#,
        #"log: "file" is unknown; the program passes no parts"#,
        #"limits.responseBody: "4mb" is not a number of bytes"#,
        "limits.redirects: Config value for key",
      ]
      for start in expected { #expect(found.contains { $0.hasPrefix(start) }, "\(start)") }
      #expect(found.allSatisfy { issue in expected.contains { issue.hasPrefix($0) } || issue.hasPrefix("trust: ") })
    }

    @Test(arguments: Source.allCases)
    func `an empty text keeps the default, whatever the type of the setting but pins`(_ source: Source) async throws {
      let keys = [
        "transport", "baseURL", "httpVersion", "timeouts.total", "connections.perHost", "proxy.url", "proxy.except",
        "proxy.environment", "tls.minimumVersion", "retry.limit", "cache", "log", "limits.responseBody",
        "limits.decodingRatio", "limits.redirects",
      ]
      let reader = try source.reader(Dictionary(uniqueKeysWithValues: keys.map { ($0, JSONValue.string("")) }))
      let builder = await Session.Builder(configuration: reader)
      #expect(!builder.hasTransport)
      #expect(issues(of: builder.transport(MockTransport())) == [])
    }

    @Test(arguments: ["inf", "nan", "0.5"])
    func `a ratio is finite and at least 1`(_ ratio: String) async throws {
      let reader = try Source.environment.reader(["limits.decodingRatio": .string(ratio)])
      let builder = await Session.Builder(configuration: reader).transport(MockTransport())
      #expect(issues(of: builder) == ["limits.decodingRatio: \(ratio) is not a finite number of at least 1"])
    }

    @Test func `no proxy has precedence over those of the environment, and has no exceptions`() async throws {
      for (url, isUsed) in [("none", false), ("", true), ("http://proxy.example.com:1", true)] {
        let reader = try Source.memory.reader(["proxy.url": .string(url), "proxy.environment": true])
        #expect(await Session.Builder(configuration: reader).route.usesEnvironment == isUsed)
      }
      // The exceptions may come from a file that an environment variable overrides.
      var settings: [String: JSONValue] = ["proxy.except": ["localhost"]]
      let lacking = try await Session.Builder(configuration: Source.memory.reader(settings)).transport(MockTransport())
      #expect(issues(of: lacking) == ["proxy.except: there is no proxy.url to make exceptions from"])
      settings["proxy.url"] = "none"
      let overridden = try await Session.Builder(configuration: Source.memory.reader(settings)).transport(
        MockTransport())
      #expect(issues(of: overridden) == [])
    }

    @Test(arguments: [[], [""]] as [[JSONValue]])
    func `an empty list of pins is an error, and none turns pins off`(_ pins: [JSONValue]) async throws {
      for source in [Source.memory, .json] {
        let empty = try await Session.Builder(configuration: source.reader(["pins": .array(pins)]))
        #expect(
          issues(of: empty.transport(MockTransport())) == [
            "pins: the list is empty; write none for a session without pins, or remove the key"
          ])
        let off = try await Session.Builder(configuration: source.reader(["pins": ["none"]]))
        #expect(issues(of: off.transport(MockTransport())) == [])
      }
    }

    @Test func `pins need an evaluator that the program passes`() async throws {
      let reader = try Source.memory.reader(["pins": ["api.example.com \(Self.pin)"]])
      let builder = await Session.Builder(configuration: reader).transport(MockTransport())
      #expect(
        issues(of: builder) == [
          "pins: the program passes no evaluator of pins; add pinning: { .publicKeys(PublicKeys($0)) }"
        ])
    }

    @Test func `the pins of a host are the evaluator's, also from several entries`() async throws {
      let given = Mutex<[[String]]>([])
      let reader = try Source.memory.reader([
        "pins": ["api.example.com \(Self.pin)  sha256/b", "*.example.com sha256/c", "api.example.com sha256/d"]
      ])
      _ = await Session.Builder(
        configuration: reader,
        pinning: { pins in
          given.withLock { $0.append(pins) }
          return .publicKeys(PublicKeys(pins))
        })
      #expect(Set(given.withLock { $0 }) == [[Self.pin, "sha256/b", "sha256/d"], ["sha256/c"]])
    }

    @Test func `a value that the provider cannot read is an issue and not a missing one`() async throws {
      let reader = try Source.memory.reader(["timeouts.total": 30, "baseURL": true])
      let builder = await Session.Builder(configuration: reader).transport(MockTransport())
      #expect(
        issues(of: builder) == [
          "timeouts.total: Config value for key 'client.timeouts.total' failed to convert to type string",
          "baseURL: Config value for key 'client.baseURL' failed to convert to type string",
        ])
    }

    @Test func `a password of a proxy is in no issue`() async throws {
      let reader = try Source.environment.reader(["proxy.url": "socks9://user:hidden6@proxy.example.com"])
      let builder = await Session.Builder(configuration: reader).transport(MockTransport())
      let found = issues(of: builder)
      #expect(found.count == 1)
      #expect(!found.contains { $0.contains("hidden6") })
    }

    @Test func `a builder without settings keeps the defaults, and later calls replace settings`() async throws {
      let mock = MockTransport()
      mock.stub(.get, "/a", .text("a"))
      let empty = await Session.Builder(configuration: try Source.memory.reader([:]))
      #expect(!empty.hasTransport)
      let reader = try Source.memory.reader(["baseURL": "https://one.example.com"])
      let session = try await Session.Builder(configuration: reader).transport(mock)
        .baseURL("https://two.example.com").build()
      _ = try await session.request("a").serializingData().value
      #expect(mock.requests.first?.url.host == "two.example.com")
    }
  }
#endif
