import LupineSession

#if Configuration
  import Configuration
  import Foundation
  import LupineConfiguration
  import LupineCore
  import LupineMock
  import Testing

  @Suite struct ListedKeysTests {
    private func unknown(_ listing: ListedKeys...) async -> [String] {
      let reader = ConfigReader(provider: InMemoryProvider(values: [:]))
      do throws(LupineError) {
        _ = try await Session.Builder(configuration: reader, listing: listing).transport(MockTransport()).build()
        return []
      } catch {
        guard case .configuration(let issues) = error.kind else { return ["\(error)"] }
        return issues.map(\.part)
      }
    }

    @Test func `an unknown variable of the scope is an issue`() async {
      let names = [
        "HTTP_BASE_URL", "HTTP_TIMEOUTS_TOTL", "HTTP_LIMITS_RESPONSE_FIELD_COUNT", "HTTP_BASEURL", "PATH",
        "HTTPS_PROXY",
        "HTTP",
      ]
      #expect(await unknown(.environment(names, scope: "http")) == ["HTTP_BASEURL", "HTTP_TIMEOUTS_TOTL"])
      #expect(await unknown(.environment(names, scope: [])) == [])
      #expect(await unknown(.environment(["MY_HTTP_PINS", "MY_HTTP_PIN"], scope: "my.http")) == ["MY_HTTP_PIN"])
    }

    @Test func `an unknown key of a provider is an issue`() async {
      let keys: [AbsoluteConfigKey] = ["http.timeouts.totl", "http.timeouts.total", "http.timeouts", "database.url"]
      #expect(await unknown(.keys(keys, scope: "http")) == ["http.timeouts", "http.timeouts.totl"])
      #expect(await unknown(.keys(keys)).count == 4)
    }

    @Test func `an unknown key of a JSON file is an issue, however deep it is`() async {
      let content = Data(
        #"{"http": {"retry": {"limit": 3, "limits": {"a": [1]}}, "cache": null, "chache": "x"}, "other": 1}"#.utf8)
      #expect(await unknown(.json(content, scope: "http")) == ["http.chache", "http.retry.limits.a"])
      #expect(await unknown(.json(Data("{".utf8))) == [])
    }

    @Test func `the issues of several lists are reported together`() async {
      #expect(await unknown(.keys(["a"]), .environment(["B_C"], scope: "b")) == ["a", "B_C"])
    }
  }
#endif
