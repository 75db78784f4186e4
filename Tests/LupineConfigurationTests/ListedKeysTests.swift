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
        "CLIENT_BASE_URL", "CLIENT_TIMEOUTS_TOTL", "CLIENT_LIMITS_RESPONSE_FIELD_COUNT", "CLIENT_BASEURL", "PATH",
        "HTTP_PROXY", "CLIENTS_PROXY",
        "CLIENT",
      ]
      #expect(await unknown(.environment(names, scope: "client")) == ["CLIENT_BASEURL", "CLIENT_TIMEOUTS_TOTL"])
      #expect(await unknown(.environment(names, scope: [])) == [])
      #expect(
        await unknown(.environment(["MY_CLIENT_PINS", "MY_CLIENT_PIN"], scope: "my.client")) == ["MY_CLIENT_PIN"])
    }

    @Test(arguments: ["GATEWAY_INTERFACE", "REQUEST_METHOD"])
    func `variables that the fields of a CGI request set are an issue`(_ sign: String) async {
      #expect(await unknown(.environment(["HTTP_BASE_URL", sign], scope: "http")) == ["HTTP_*"])
      #expect(await unknown(.environment(["HTTP_A_PINS", sign], scope: "http.a")) == ["HTTP_A_*"])
      #expect(await unknown(.environment(["HTTP_BASE_URL"], scope: "http")) == [])
      #expect(await unknown(.environment(["CLIENT_BASE_URL", sign], scope: "client")) == [])
    }

    @Test func `an unknown key of a provider is an issue`() async {
      let keys: [AbsoluteConfigKey] = [
        "client.timeouts.totl", "client.timeouts.total", "client.timeouts", "database.url",
      ]
      #expect(await unknown(.keys(keys, scope: "client")) == ["client.timeouts", "client.timeouts.totl"])
      #expect(await unknown(.keys(keys)).count == 4)
    }

    @Test func `an unknown key of a JSON file is an issue, however deep it is`() async {
      let content = Data(
        #"{"client": {"retry": {"limit": 3, "limits": {"a": [1]}}, "cache": null, "chache": "x"}, "other": 1}"#.utf8)
      #expect(await unknown(.json(content, scope: "client")) == ["client.chache", "client.retry.limits.a"])
      #expect(await unknown(.json(Data("{".utf8))) == [])
    }

    @Test func `the issues of several lists are reported together`() async {
      #expect(await unknown(.keys(["a"]), .environment(["B_C"], scope: "b")) == ["a", "B_C"])
    }
  }
#endif
